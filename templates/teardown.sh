# The teardown: runs after the program, whatever its outcome.
teardown() {
@lines@}
NBSCOREP_TEARDOWN="$(declare -f teardown); teardown" # as text: some shells drop exported functions
export NBSCOREP_TEARDOWN
