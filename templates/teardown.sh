
# The unchanged lines of the teardown. All of them run, whatever the outcome of the program.
# shellcheck disable=SC2317 # called by a trap
nbscorep_teardown() (
  export NBSCOREP_STATUS="$nbscorep_status"
  set +u
  set --
  # shellcheck disable=SC1091
  . /dev/fd/19 19<<'@end@'
@lines@@end@
)
