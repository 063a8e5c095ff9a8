# The teardown: runs after the program, whatever its outcome.
teardown() {
@lines@}
export -f teardown
