
# INT, TERM, HUP and QUIT ask the program to end at once. mpirun would kill its ranks a second later, so
# it gets USR2 first, which it passes on, and the signal itself only the next time. timeout(1) signals
# this process and immediately its group: a signal within a second is not the next time.
nbscorep_signals=0
nbscorep_ending=
nbscorep_again=0
# shellcheck disable=SC2317 # called by a trap
nbscorep_on_signal() {
  nbscorep_signals=$((nbscorep_signals + 1))
  [ -n "${nbscorep_child:-}" ] || exit $((128 + $(kill -l "$1")))
  case $1 in
    USR?) kill -s "$1" "$nbscorep_child" 2>/dev/null || true ;;
    *)
      printf -v nbscorep_now '%(%s)T' -1
      [ "$nbscorep_now" -lt "$nbscorep_again" ] ||
        kill -s "${nbscorep_ending:-$1}" "$nbscorep_child" 2>/dev/null || true
      if [ "$nbscorep_ending" = USR2 ]; then
        nbscorep_ending=TERM
        nbscorep_again=$((nbscorep_now + 2))
      fi
      nbscorep_ended=$((128 + $(kill -l "$1")))
      ;;
  esac
}

nbscorep_catch() {
  for nbscorep_signal in INT TERM HUP QUIT USR1 USR2; do
    # shellcheck disable=SC2064
    trap "nbscorep_on_signal $nbscorep_signal" "$nbscorep_signal"
  done
}

# Ends processes that the program has left in its process group, which would take processor time from
# the next program. Kills them after 30 seconds, unless nbscorep does this.
nbscorep_end_left() {
  kill -s TERM -- "-$nbscorep_child" 2>/dev/null || return 0
  [ "${NBSCOREP_KILL_AFTER:-}" != none ] || return 0
  nbscorep_until=$((SECONDS + 30))
  while kill -s 0 -- "-$nbscorep_child" 2>/dev/null; do
    if [ "$SECONDS" -ge "$nbscorep_until" ]; then
      kill -s KILL -- "-$nbscorep_child" 2>/dev/null
      break
    fi
    sleep .1
  done
}

# Runs "$@" to its end in a process group of its own, so that a signal to the whole group of this process
# reaches it once. Only a wait that no signal has interrupted returns its status. If many signals arrive,
# bash may report an interruption by one whose trap has already run.
nbscorep_wait() {
  set -m
  if [ -t 0 ]; then
    "$@" </dev/null &
  else
    "$@" <&0 &
  fi
  nbscorep_child=$!
  set +m
  [ -z "${nbscorep_results:-}" ] || echo "$nbscorep_child" >&18
  while :; do
    nbscorep_seen=$nbscorep_signals
    wait "$nbscorep_child" && nbscorep_status=0 || nbscorep_status=$?
    [ "$nbscorep_seen" = "$nbscorep_signals" ] || continue
    if [ "$nbscorep_status" -le 128 ] || ! kill -0 "$nbscorep_child" 2>/dev/null; then break; fi
  done
  [ "$nbscorep_status" != 134 ] || [ "${NBSCOREP_MEASURE:-}" = no ] ||
    printf 'nbscorep: if Score-P reports "Out of memory" above, set SCOREP_TOTAL_MEMORY higher than %q (at most 4095M)\n' \
      "$SCOREP_TOTAL_MEMORY" >&2
  case $nbscorep_ending,$nbscorep_status in
    # 128 + SIGALRM: ranks that ended had waited for a rank that could not end.
    ?*,0 | ?*,1 | ?*,142) exit "${nbscorep_ended:-$nbscorep_status}" ;;
  esac
  exit "$nbscorep_status"
}
