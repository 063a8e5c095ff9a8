
# Runs whenever this script ends, unless another program has replaced it.
# shellcheck disable=SC2317 # called by a trap
nbscorep_leave() {
  nbscorep_status=$?
  set +e
@steps@}
trap nbscorep_leave EXIT
