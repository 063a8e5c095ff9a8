
# Does a launcher start this very process as one of its ranks?
nbscorep_is_rank() {
  [ -n "${OMPI_COMM_WORLD_RANK-}${PMIX_RANK-}${PMI_RANK-}" ] || [ "${SLURM_STEP_NUM_TASKS:-1}" -gt 1 ]
}

# Sets nbscorep_launcher: srun inside an allocation, else mpirun or mpiexec.
nbscorep_find_launcher() {
  if [ -n "$nbscorep_command_line" ]; then
    if [ -z "$nbscorep_ranks" ] && [ "${nbscorep_command_line%'{ranks}'*}" != "$nbscorep_command_line" ]; then
      printf 'nbscorep: the launcher wants a number of ranks: %q\n' "$nbscorep_command_line" >&2
      exit 2
    fi
    # Blanks part its words; nothing else in it is special.
    read -r -d '' -a nbscorep_launcher <<<"${nbscorep_command_line//'{ranks}'/$nbscorep_ranks}" || true
    return
  fi
  for nbscorep_name in ${SLURM_JOB_ID:+srun} mpirun mpiexec none; do
    ! command -v "$nbscorep_name" >/dev/null || break
  done
  if [ "$nbscorep_name" = none ]; then
    printf 'nbscorep: no srun in an allocation, no mpirun, no mpiexec: name a launcher\n' >&2
    exit 3
  fi
  nbscorep_launcher=("$nbscorep_name" -n "$nbscorep_ranks")
  [ "$nbscorep_tagged" = yes ] || return 0
  nbscorep_version=$("$nbscorep_name" --version 2>/dev/null || true)
  case $nbscorep_name,$nbscorep_version in
    srun,*) nbscorep_launcher+=(--label) ;;
    *Open*MPI* | *OpenRTE*) nbscorep_launcher+=(--tag-output) ;;
    *) nbscorep_launcher+=(-prepend-rank) ;;
  esac
}

# The folder that the ranks share; with several nodes it lies where the script does.
nbscorep_make_folder() {
  nbscorep_parent=${TMPDIR:-/tmp}
  [ "${SLURM_JOB_NUM_NODES:-1}" -le 1 ] || nbscorep_parent=${nbscorep_here:-/}
  nbscorep_folder=$(mktemp -d "${NBSCOREP_SHARED_TMPDIR:-$nbscorep_parent}/nbscorep-XXXXXX")
}

# Lets the bindings prepare themselves once for the command "$@" of a rank, and puts their variables
# in front of it: they are for the ranks only, as the launcher is not to be measured.
nbscorep_prepare() {
  nbscorep_variables=()
  shift 3 # python3 -m scorep
  if ! "$nbscorep_python" - "$nbscorep_folder" "$@" 2>"$nbscorep_folder/messages" <<'END_OF_PREPARE'
@prepare@END_OF_PREPARE
  then
    cat -- "$nbscorep_folder/messages" >&2
    printf 'nbscorep: the bindings cannot be prepared once for all ranks; each does it by itself\n' >&2
    return
  fi
  while IFS= read -r -d '' nbscorep_variable; do
    nbscorep_variables+=("$nbscorep_variable")
  done <"$nbscorep_folder/environment"
  nbscorep_words=(env "${nbscorep_variables[@]}" "$nbscorep_python" -m scorep --keep-files "$@")
}

nbscorep_clean() {
  [ -z "${nbscorep_folder:-}" ] || rm -rf -- "$nbscorep_folder"
}

# INT, TERM, HUP and QUIT ask the ranks to end at once. mpirun would kill them a second after that, so
# it first gets USR2, which it hands on, and what it was sent only the next time.
nbscorep_signals=0
nbscorep_on_signal() {
  nbscorep_signals=$((nbscorep_signals + 1))
  [ -n "${nbscorep_child:-}" ] || exit $((128 + $(kill -l "$1")))
  case $1 in
    USR?) kill -s "$1" "$nbscorep_child" 2>/dev/null || true ;;
    *)
      kill -s "$nbscorep_ending" "$nbscorep_child" 2>/dev/null || true
      nbscorep_ending=TERM
      nbscorep_ended=$((128 + $(kill -l "$1")))
      ;;
  esac
}

# Runs the launcher "$@" to its end, in a process group of its own: a signal for the whole group of
# this process comes to it once. Only a wait that no signal has interrupted tells its status.
nbscorep_wait() {
  set -m
  if [ -t 0 ]; then
    "$@" </dev/null &
  else
    "$@" <&0 &
  fi
  nbscorep_child=$!
  set +m
  while :; do
    nbscorep_seen=$nbscorep_signals
    wait "$nbscorep_child" && nbscorep_status=0 || nbscorep_status=$?
    [ "$nbscorep_seen" != "$nbscorep_signals" ] || break
  done
  case $nbscorep_status in
    # 128 + SIGALRM: ranks that ended had waited for one that could not.
    0 | 1 | 142) exit "${nbscorep_ended:-$nbscorep_status}" ;;
  esac
  exit "$nbscorep_status"
}

# Runs the script on several ranks, and removes behind the last one what was made for them.
nbscorep_start_ranks() {
  trap nbscorep_clean EXIT
  for nbscorep_signal in INT TERM HUP QUIT USR1 USR2; do
    # shellcheck disable=SC2064
    trap "nbscorep_on_signal $nbscorep_signal" "$nbscorep_signal"
  done
  nbscorep_find_launcher
  nbscorep_make_folder
  cat <&19 >"$nbscorep_folder/runtime.py"
  exec 19<&-
  nbscorep_command "$nbscorep_folder/runtime.py" "$@"
  nbscorep_ending=TERM
  if [ "${NBSCOREP_MEASURE:-}" != no ]; then
    [ "${NBSCOREP_PREPARE:-}" = no ] || nbscorep_prepare "${nbscorep_words[@]}"
    case ${nbscorep_launcher[0]##*/},${NBSCOREP_RUNTIME:-} in
      *,no) ;;
      mpirun*,* | mpiexec*,* | orterun,* | prterun,*)
        nbscorep_ending=USR2
        nbscorep_words=(env NBSCOREP_ENDING=USR2 "${nbscorep_words[@]}")
        ;;
    esac
  fi
  # Not every launcher takes the environment to other nodes.
  nbscorep_words=(env@exports@ "${nbscorep_words[@]}")
  if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then
    export SRUN_CPUS_PER_TASK="${SRUN_CPUS_PER_TASK:-$SLURM_CPUS_PER_TASK}" # srun does not read the other
  fi
  nbscorep_wait "${nbscorep_launcher[@]}" "${nbscorep_words[@]}"
}
