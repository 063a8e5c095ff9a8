
# The teardown's lines as they were written, all of them, whatever became of the program.
# shellcheck disable=SC2317 # not called where this tool looks
nbscorep_teardown() (
  export NBSCOREP_STATUS="$nbscorep_status"
  set +u
  set --
  # shellcheck disable=SC1091
  . /dev/fd/19 19<<'@end@'
@lines@@end@
)
