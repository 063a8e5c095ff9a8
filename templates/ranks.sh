
# True if a launcher has started this process as one of its ranks.
nbscorep_is_rank() {
  [ -z "${OMPI_COMM_WORLD_RANK-}${PMIX_RANK-}${PMI_RANK-}" ] || return 0
  case ${SLURM_STEP_NUM_TASKS:-1} in [01] | *[!0-9]*) return 1 ;; esac
}

# Sets nbscorep_launcher: srun inside an allocation, else mpirun or mpiexec.
nbscorep_find_launcher() {
  if [ -n "$nbscorep_command_line" ]; then
    if [ -z "$nbscorep_ranks" ] && [ "${nbscorep_command_line%'{ranks}'*}" != "$nbscorep_command_line" ]; then
      printf 'nbscorep: launcher %q requires a number of ranks; use --ranks or set NBSCOREP_RANKS\n' "$nbscorep_command_line" >&2
      exit 2
    fi
    # Blanks separate its words; no other character is special.
    IFS=$' \t\n' read -r -d '' -a nbscorep_launcher <<<"${nbscorep_command_line//'{ranks}'/$nbscorep_ranks}" || true
    return
  fi
  for nbscorep_name in ${SLURM_JOB_ID:+srun} mpirun mpiexec none; do
    ! command -v "$nbscorep_name" >/dev/null || break
  done
  if [ "$nbscorep_name" = none ]; then
    printf 'nbscorep: no srun in an allocation, mpirun or mpiexec found; use --launcher or set NBSCOREP_LAUNCHER\n' >&2
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

# Makes the folder that the ranks share: beside the script if there are several nodes.
nbscorep_make_folder() {
  nbscorep_parent=${TMPDIR:-/tmp}
  case ${SLURM_JOB_NUM_NODES:-1} in
    [01] | *[!0-9]*) ;;
    *) nbscorep_parent=${nbscorep_here:-/} ;;
  esac
  nbscorep_folder=$(mktemp -d "${NBSCOREP_SHARED_TMPDIR:-$nbscorep_parent}/nbscorep-XXXXXX")
}

# Lets the bindings prepare once for the command "$@" of a rank, and puts their variables before it:
# only ranks get these variables, because the launcher must not be measured.
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
    printf 'nbscorep: cannot prepare the bindings once for all ranks; each rank prepares its own\n' >&2
    nbscorep_mind_bindings
    return
  fi
  while IFS= read -r -d '' nbscorep_variable; do
    nbscorep_variables+=("$nbscorep_variable")
  done <"$nbscorep_folder/environment"
  nbscorep_words=(env "${nbscorep_variables[@]}" "$nbscorep_python" -m scorep --keep-files "$@")
}

# Names the experiment directory below which each rank has its own. Renames an existing one, as Score-P
# does, because an earlier run may have had more ranks.
nbscorep_name_directory() {
  if [ -z "${SCOREP_EXPERIMENT_DIRECTORY:-}" ]; then
    printf -v SCOREP_EXPERIMENT_DIRECTORY '%s%(%Y%m%d_%H%M%S)T' "$nbscorep_prefix" -1
    [ ! -e "$SCOREP_EXPERIMENT_DIRECTORY" ] || SCOREP_EXPERIMENT_DIRECTORY+=-$$
  elif [ -d "$SCOREP_EXPERIMENT_DIRECTORY" ]; then
    nbscorep_old=${SCOREP_EXPERIMENT_DIRECTORY%/}
    mv -- "$nbscorep_old" "$nbscorep_old-$(date -r "$nbscorep_old" +%Y%m%d_%H%M_%N)"
  fi
}

# Writes the script with which each rank reports its start and finds its experiment directory.
nbscorep_part_ranks() {
  {
    echo ': >"${0%/*}/started"'
    if [ "$nbscorep_ranks" != 1 ] && nbscorep_measures_apart; then
      nbscorep_name_directory
      declare -f nbscorep_own_directory
      echo 'nbscorep_own_directory "$1" || exit'
    fi
    echo 'shift && exec "$@"'
  } >"$nbscorep_folder/rank.sh"
}

# Lets each rank write when its cells begin and end, if this is used: by nbscorep, which sets
# NBSCOREP_CELLS, in a job's log, or at a terminal.
nbscorep_time_cells() {
  nbscorep_cells=
  [ "${NBSCOREP_RUNTIME:-}" != no ] || return 0
  if [ -z "${NBSCOREP_CELLS:-}" ]; then
    [ -z "${NBSCOREP_QUIET:-}" ] || return 0
    [ -n "${SLURM_JOB_ID:-}${PBS_JOBID:-}${LSB_JOBID:-}" ] || [ -t 2 ] || return 0
  fi
  nbscorep_cells=$nbscorep_folder/cells
  mkdir -- "$nbscorep_cells"
  [ -z "${NBSCOREP_CELLS:-}" ] || ln -s -- "$NBSCOREP_CELLS/live" "$nbscorep_cells/live"
}

# Copies the files of the ranks for nbscorep, or prints a table of them.
# shellcheck disable=SC2317 # called by a trap
nbscorep_show_cells() {
  set -- "$nbscorep_cells"/rank-*
  [ -e "$1" ] || return
  if [ -n "${NBSCOREP_CELLS:-}" ]; then
    cp -- "$@" "$NBSCOREP_CELLS/"
    return
  fi
  IFS='' read -r -d '' nbscorep_table <<'END_OF_TABLE'
@rank_times@END_OF_TABLE
  "$nbscorep_python" -I -c "$nbscorep_table" "$@" >&2
}

# mpirun has printed why it starts no rank, but not how to change that here.
# shellcheck disable=SC2317 # called by a trap
nbscorep_explain_launcher() {
  case ${nbscorep_launcher[0]##*/} in mpirun* | mpiexec* | orterun | prterun) ;; *) return ;; esac
  [ "$nbscorep_status" != 0 ] && [ "$nbscorep_status" -le 128 ] && [ ! -e "$nbscorep_folder/started" ] || return
  case $("${nbscorep_launcher[@]}" true 2>&1) in
    *'not enough slots'*)
      printf "nbscorep: Open MPI starts one rank per core, or per task of a job; to start more, build \
with --launcher '%s --oversubscribe -n {ranks}' or set NBSCOREP_LAUNCHER to it\n" "${nbscorep_launcher[0]}" >&2
      ;;
  esac
}

# Runs the script on several ranks; nbscorep_leave removes their files afterwards.
nbscorep_start_ranks() {
  nbscorep_catch
  nbscorep_find_launcher
  nbscorep_make_folder
  nbscorep_time_cells
  cat <&19 >"$nbscorep_folder/runtime.py"
  exec 19<&-
  nbscorep_command "$nbscorep_folder/runtime.py" "$@"
  nbscorep_part_ranks
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
        # Slurm sends TERM to mpirun itself, too. mpirun always waits that long, so only in a Slurm job.
        [ -z "${SLURM_JOB_ID:-}" ] ||
          export OMPI_MCA_odls_base_sigkill_timeout="${OMPI_MCA_odls_base_sigkill_timeout:-20}"
        nbscorep_words=(env NBSCOREP_ENDING=USR2 "${nbscorep_words[@]}")
        ;;
    esac
  fi
  nbscorep_words=(bash "$nbscorep_folder/rank.sh" "$nbscorep_ranks" "${nbscorep_words[@]}")
  # Not every launcher passes the environment to other nodes.
  nbscorep_words=(env@exports@ ${nbscorep_cells:+"NBSCOREP_CELLS=$nbscorep_cells"} "${nbscorep_words[@]}")
  case ${nbscorep_launcher[0]##*/},${SLURM_CPUS_PER_TASK:-} in
    # With this variable, their own srun would give all ranks of a node the cores of one rank.
    mpirun*,* | mpiexec*,* | orterun,* | prterun,* | *,) ;;
    *) export SRUN_CPUS_PER_TASK="${SRUN_CPUS_PER_TASK:-$SLURM_CPUS_PER_TASK}" ;; # srun reads only this one
  esac
  nbscorep_wait "${nbscorep_launcher[@]}" "${nbscorep_words[@]}"
}
