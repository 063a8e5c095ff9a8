
# Does a launcher start this very process as one of its ranks?
nbscorep_is_rank() {
  [ -z "${OMPI_COMM_WORLD_RANK-}${PMIX_RANK-}${PMI_RANK-}" ] || return 0
  case ${SLURM_STEP_NUM_TASKS:-1} in [01] | *[!0-9]*) return 1 ;; esac
}

# Sets nbscorep_launcher: srun inside an allocation, else mpirun or mpiexec.
nbscorep_find_launcher() {
  if [ -n "$nbscorep_command_line" ]; then
    if [ -z "$nbscorep_ranks" ] && [ "${nbscorep_command_line%'{ranks}'*}" != "$nbscorep_command_line" ]; then
      printf 'nbscorep: the launcher wants a number of ranks: %q\n' "$nbscorep_command_line" >&2
      exit 2
    fi
    # Blanks part its words; nothing else in it is special.
    IFS=$' \t\n' read -r -d '' -a nbscorep_launcher <<<"${nbscorep_command_line//'{ranks}'/$nbscorep_ranks}" || true
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
  case ${SLURM_JOB_NUM_NODES:-1} in
    [01] | *[!0-9]*) ;;
    *) nbscorep_parent=${nbscorep_here:-/} ;;
  esac
  nbscorep_folder=$(mktemp -d "${NBSCOREP_SHARED_TMPDIR:-$nbscorep_parent}/nbscorep-XXXXXX")
}

# Lets the bindings prepare themselves once for the command "$@" of a rank, and puts their variables
# in front of it: they are for the ranks only, as the launcher is not to be measured.
nbscorep_prepare() {
  nbscorep_variables=()
  IFS='' read -r -d '' nbscorep_preparation <<'END_OF_PREPARE' || true
@prepare@END_OF_PREPARE
  shift 3 # python3 -m scorep
  nbscorep_status=0
  "$nbscorep_python" -c "$nbscorep_bindings$nbscorep_preparation" "$nbscorep_folder" "$@" \
    </dev/null 2>"$nbscorep_folder/messages" || nbscorep_status=$?
  [ "$nbscorep_status" = 0 ] || cat -- "$nbscorep_folder/messages" >&2
  [ "$nbscorep_status" != 3 ] || exit 3
  if [ "$nbscorep_status" != 0 ]; then
    printf 'nbscorep: the bindings cannot be prepared once for all ranks; each does it by itself\n' >&2
    nbscorep_mind_bindings
    return
  fi
  while IFS= read -r -d '' nbscorep_variable; do
    nbscorep_variables+=("$nbscorep_variable")
  done <"$nbscorep_folder/environment"
  nbscorep_words=(env "${nbscorep_variables[@]}" "$nbscorep_python" -m scorep --keep-files "$@")
}

# Lets each rank find its own experiment directory. What an earlier run has left in the run's is
# renamed, as Score-P does: there may have been more ranks.
nbscorep_part_ranks() {
  if [ -z "${SCOREP_EXPERIMENT_DIRECTORY:-}" ]; then
    printf -v SCOREP_EXPERIMENT_DIRECTORY '%s%(%Y%m%d_%H%M%S)T' "$nbscorep_prefix" -1
    [ ! -e "$SCOREP_EXPERIMENT_DIRECTORY" ] || SCOREP_EXPERIMENT_DIRECTORY+=-$$
  elif [ -d "$SCOREP_EXPERIMENT_DIRECTORY" ]; then
    nbscorep_old=${SCOREP_EXPERIMENT_DIRECTORY%/}
    mv -- "$nbscorep_old" "$nbscorep_old-$(date -r "$nbscorep_old" +%Y%m%d_%H%M_%N)"
  fi
  { declare -f nbscorep_own_directory && echo 'nbscorep_own_directory "$1" && shift && exec "$@"'; } \
    >"$nbscorep_folder/rank.sh"
  nbscorep_words=(bash "$nbscorep_folder/rank.sh" "$nbscorep_ranks" "${nbscorep_words[@]}")
}

# Runs the script on several ranks, and removes behind the last one what was made for them.
nbscorep_start_ranks() {
  nbscorep_catch
  nbscorep_find_launcher
  nbscorep_make_folder
  cat <&19 >"$nbscorep_folder/runtime.py"
  exec 19<&-
  nbscorep_command "$nbscorep_folder/runtime.py" "$@"
  nbscorep_apart=no
  [ "$nbscorep_ranks" = 1 ] || ! nbscorep_measures_apart || nbscorep_apart=yes
  nbscorep_ending=TERM
  if [ "${NBSCOREP_MEASURE:-}" != no ]; then
    if [ "${NBSCOREP_PREPARE:-}" = no ]; then
      nbscorep_mind_bindings
    else
      nbscorep_prepare "${nbscorep_words[@]}"
    fi
    case ${nbscorep_launcher[0]##*/},${NBSCOREP_RUNTIME:-} in
      *,no) ;;
      mpirun*,* | mpiexec*,* | orterun,* | prterun,*)
        nbscorep_ending=USR2
        # Slurm's TERM comes to mpirun itself, too. It always waits that long, so not where nobody sends it.
        [ -z "${SLURM_JOB_ID:-}" ] ||
          export OMPI_MCA_odls_base_sigkill_timeout="${OMPI_MCA_odls_base_sigkill_timeout:-20}"
        nbscorep_words=(env NBSCOREP_ENDING=USR2 "${nbscorep_words[@]}")
        ;;
    esac
  fi
  [ "$nbscorep_apart" = no ] || nbscorep_part_ranks
  # Not every launcher takes the environment to other nodes.
  nbscorep_words=(env@exports@ "${nbscorep_words[@]}")
  case ${nbscorep_launcher[0]##*/},${SLURM_CPUS_PER_TASK:-} in
    # With it, the srun that they call themselves would leave one rank's cores to all ranks of a node.
    mpirun*,* | mpiexec*,* | orterun,* | prterun,* | *,) ;;
    *) export SRUN_CPUS_PER_TASK="${SRUN_CPUS_PER_TASK:-$SLURM_CPUS_PER_TASK}" ;; # srun reads no other
  esac
  nbscorep_wait "${nbscorep_launcher[@]}" "${nbscorep_words[@]}"
}
