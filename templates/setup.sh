
# Reports which line of the setup has ended this script.
# shellcheck disable=SC2317 # called by a trap
nbscorep_explain() {
  [ "$nbscorep_step" = setup ] && [ "$nbscorep_status" != 0 ] || return
  printf 'nbscorep: setup ended with status %d in its line %d (%s)\n' "$nbscorep_status" \
    "$nbscorep_line" "${nbscorep_places[nbscorep_line]:-}" >&2
}

# The unchanged lines of the setup. A line that fails ends this script; variables may be unset.
nbscorep_step=setup
nbscorep_line=1
nbscorep_places=(""@places@)
set --
set +u
set -T
# LINENO also counts lines of the trap, and is 1 when this script is left. The lines may use set -u.
trap 'case ${#BASH_SOURCE[@]}.${FUNCNAME:+f}.$LINENO in 2..1) ;; 2..*) nbscorep_line=$LINENO ;; esac' DEBUG
# shellcheck disable=SC1091
. /dev/fd/19 19<<'@end@'
@lines@:
@end@
trap - DEBUG
trap nbscorep_leave EXIT # the lines may have changed it
set +T
set -eu
nbscorep_step=program
