#!/usr/bin/env bash
# Compiled by nbscorep from @notebook_comment@. Edit the notebook, then build again.
# nbscorep build @build@
@header@# Dollar signs in single quotes are literal; traps call functions.
# shellcheck disable=SC2016,SC2317
set -eu
[ -n "${BASH_VERSION:-}" ] || exec bash -- "$0" "$@" # sh FILE

@start_folder@self=@run_script@
script=@script@
notebook_folder=@notebook_folder@ # relative to this file's folder
build=@build@

# Sets folder to that of the path $1. A command substitution would remove line ends from a name.
folder_of() {
  case $1 in
    */*) folder=${1%/*}/ ;;
    *) folder=./ ;;
  esac
}

# True if the script is beside $1, or beside the target of the link $1. Sets folder to its folder.
lies_beside() {
  folder_of "$1"
  if [ ! -e "$folder$script" ] && [ -L "$1" ]; then
    target=$(readlink -fn -- "$1" && echo .) || return
    folder_of "${target%.}"
  fi
  [ -e "$folder$script" ]
}

# Batch systems run a copy of this file in a spool folder. Slurm reports the submitted command, but not
# where its arguments begin. If that fails, and with PBS and LSF, use the folder of the submission.
if ! lies_beside "${BASH_SOURCE[0]}"; then
  folder_of "${BASH_SOURCE[0]}"
  if [ -n "${SLURM_JOB_ID:-}" ]; then
    command=$(scontrol show job "$SLURM_JOB_ID" 2>/dev/null | sed -n '/^ *Command=/{s///p;q;}' || true)
    until [ -f "$command" ] && lies_beside "$command"; do
      folder=${SLURM_SUBMIT_DIR:-.}/
      [ "${command% *}" != "$command" ] || break
      command=${command% *}
    done
  elif [ -n "${PBS_O_WORKDIR:-${LS_SUBCWD:-}}" ]; then
    folder=${PBS_O_WORKDIR:-$LS_SUBCWD}/
  fi
fi
CDPATH='' cd -P -- "$folder"
here=${PWD%/}

if [ ! -r "$here/$script" ]; then
  printf 'nbscorep: %q: cannot find %q in %q\n' "$self" "$script" "${here:-/}" >&2
  exit 1
fi
found=none
while IFS= read -r line; do
  case $line in
    '# nbscorep build '*) found=${line#'# nbscorep build '} ;;
    '#'*) ;;
    *) break ;;
  esac
done <"$here/$script"
if [ "$found" != "$build" ]; then
  printf 'nbscorep: %q: %q is from another build (%q, expected %s); build the notebook again\n' \
    "$self" "$script" "$found" "$build" >&2
  exit 1
fi

# Python reads the runtime around the script from descriptor 19.
if ! { : 19</dev/null; } 2>/dev/null; then
  printf 'nbscorep: %q: the limit of open files (ulimit -n) must be at least 20\n' "$self" >&2
  exit 3
fi

CDPATH='' cd -P -- "./$notebook_folder"
nbscorep_program=("$here/$script" "$@")
@settings@@python@
# Below this line, this file reads only variables nbscorep_*: the notebook's may have any other name.
@modules@
export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"
export MPLBACKEND="${MPLBACKEND:-Agg}"
export SCOREP_TOTAL_MEMORY="${SCOREP_TOTAL_MEMORY:-512M}"
@environment@
@setup@nbscorep_prefix=@experiment@
# In a Slurm job, the experiment directory is named after the job, with the array's element and the
# restart, and after the start within the job: the step or mpirun's name of it, and a number.
if [ -n "${SLURM_JOB_ID:-}" ] && [ -z "${SCOREP_EXPERIMENT_DIRECTORY:-}" ]; then
  nbscorep_name=${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}
  [ "${SLURM_RESTART_COUNT:-0}" = 0 ] || nbscorep_name+=-restart$SLURM_RESTART_COUNT
  if [ -n "${OMPI_COMM_WORLD_RANK:-}" ]; then # only ranks on other nodes are in a step
    nbscorep_name+=-mpirun${PMIX_NAMESPACE:-}
  else
    nbscorep_name+=${SLURM_STEP_ID:+-step$SLURM_STEP_ID}
  fi
  nbscorep_size=${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:-${SLURM_STEP_NUM_TASKS:-1}}}
  case $nbscorep_size in *[!0-9]* | ??????????*) nbscorep_size=1 ;; esac
  nbscorep_name=$nbscorep_prefix$nbscorep_name
  export SCOREP_EXPERIMENT_DIRECTORY="$nbscorep_name"
  nbscorep_number=1
  while [ "$nbscorep_size" -le 1 ] && [ -e "$SCOREP_EXPERIMENT_DIRECTORY" ]; do
    nbscorep_number=$((nbscorep_number + 1))
    SCOREP_EXPERIMENT_DIRECTORY=$nbscorep_name-$nbscorep_number
  done
fi
# Score-P creates its experiment directory, but not the folders above it.
case ${SCOREP_EXPERIMENT_DIRECTORY:-} in
  */*) mkdir -p -- "${SCOREP_EXPERIMENT_DIRECTORY%/*}/" ;;
esac

# Use an active virtual environment, even if another folder precedes it on PATH.
nbscorep_python=${PYTHON:-python3}
if [ -z "${PYTHON:-}" ] && [ -n "${VIRTUAL_ENV:-}" ] && [ "${PATH%%:*}" != "$VIRTUAL_ENV/bin" ] &&
  [ -x "$VIRTUAL_ENV/bin/python" ]; then
  nbscorep_python=$VIRTUAL_ENV/bin/python
fi

# Sets nbscorep_words to the command that runs the script and its arguments, "$@", with the runtime $1,
# which handles signals and names the cell of an exception.
nbscorep_command() {
  nbscorep_file=$1
  shift
  if [ "${NBSCOREP_MEASURE:-}" = no ]; then
    [ "${NBSCOREP_RUNTIME:-}" = no ] || set -- "$nbscorep_file" "$@"
  else
    [ "${NBSCOREP_RUNTIME:-}" = no ] || set -- "--instrumenter-file=$nbscorep_file" "$@"
    set -- -m scorep@arguments@ "$@"
  fi
  nbscorep_words=("$nbscorep_python" "$@")
}

# Python code that prints what to do and ends with status 3 if the bindings are missing.
IFS='' read -r -d '' nbscorep_bindings <<'END_OF_BINDINGS' || true
@bindings@END_OF_BINDINGS

# Adds that check to the Python that starts the bindings, which the script's Python replaces anyway.
nbscorep_mind_bindings() {
  case ${nbscorep_words[1]},${SCOREP_PYTHON_BINDINGS_INITIALISED:-} in
    -m,true) ;;
    -m,*)
      nbscorep_words=("$nbscorep_python" -c "$nbscorep_bindings
import runpy
runpy.run_module(\"scorep\", run_name=\"__main__\", alter_sys=True)" "${nbscorep_words[@]:3}")
      ;;
  esac
}

# True if ranks are measured separately: no binding argument --mpp measures them together.
nbscorep_measures_apart() {
  [ "${NBSCOREP_MEASURE:-}" != no ] || return
  for nbscorep_word in "${nbscorep_words[@]:3}"; do
    case $nbscorep_word in
      --mpp=none) ;;
      --mpp=* | --mpi) return 1 ;;
      -*) ;;
      *) break ;;
    esac
  done
}

# Gives this rank an experiment directory of its own below the run's directory: ranks that are measured
# separately would take one directory from each other. $1: the number of ranks, if known; $2: the
# start of the name of the run's directory.
nbscorep_own_directory() {
  nbscorep_rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-${MV2_COMM_WORLD_RANK:-}}}}
  [ -n "$nbscorep_rank" ] || [ -z "${SLURM_STEP_ID:-}" ] || nbscorep_rank=${SLURM_PROCID:-}
  nbscorep_size=${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:-${MV2_COMM_WORLD_SIZE:-${SLURM_STEP_NUM_TASKS:-$1}}}}
  case $nbscorep_rank,$nbscorep_size in
    *,1 | ,) return ;;
    ,* | *[!0-9]*,*) nbscorep_rank=$HOSTNAME-$$ ;; # a launcher that does not number ranks
  esac
  [ -n "${SCOREP_EXPERIMENT_DIRECTORY:-}" ] ||
    SCOREP_EXPERIMENT_DIRECTORY=$2${PMIX_NAMESPACE:-$PPID}
  export SCOREP_EXPERIMENT_DIRECTORY+=/rank-$nbscorep_rank
  mkdir -p -- "${SCOREP_EXPERIMENT_DIRECTORY%/*}/"
  [ "$nbscorep_rank" != 0 ] || [ -n "${NBSCOREP_QUIET:-}" ] ||
    printf 'nbscorep: each rank is measured separately (no --mpp=mpi): rank 0 in %q\n' \
      "$SCOREP_EXPERIMENT_DIRECTORY" >&2
}
@wait@@ranks@
nbscorep_start() {
@start@  nbscorep_command /dev/fd/19 "$@"
  ! nbscorep_measures_apart || nbscorep_own_directory "" "$nbscorep_prefix"
  nbscorep_mind_bindings
  @exec@ "${nbscorep_words[@]}"
}

nbscorep_start "${nbscorep_program[@]}" 19<<'END_OF_RUNTIME'
@runtime@END_OF_RUNTIME
