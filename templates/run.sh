#!/usr/bin/env bash
# Compiled by nbscorep from @notebook_comment@. Edit the notebook, then build again.
# nbscorep build @build@
@header@# A dollar sign in single quotes is one.
# shellcheck disable=SC2016
set -eu
[ -n "${BASH_VERSION:-}" ] || exec bash -- "$0" "$@" # sh FILE

self=@run_script@
script=@script@
notebook_folder=@notebook_folder@ # relative to this file's folder
build=@build@

# Prints the folder of the path $1. No command substitution: it would cut line ends off a name.
folder_of() {
  case $1 in
    */*) folder=${1%/*}/ ;;
    *) folder=./ ;;
  esac
}

# Under sbatch bash runs a copy in a spool folder, so look where the job was submitted from: Slurm knows
# the command, whose arguments may look like its path.
folder_of "${BASH_SOURCE[0]}"
if [ ! -e "$folder$script" ] && [ -n "${SLURM_JOB_ID:-}" ]; then
  folder=${SLURM_SUBMIT_DIR:-.}/
  command=$(scontrol show job "$SLURM_JOB_ID" 2>/dev/null | sed -n 's/^ *Command=//p' || true)
  while [ "${command%/"$self"*}" != "$command" ]; do
    command=${command%/"$self"*}
    if [ -e "$command/$script" ]; then
      folder=$command/
      break
    fi
  done
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

CDPATH='' cd -P -- "./$notebook_folder"
export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"
export MPLBACKEND="${MPLBACKEND:-Agg}"
@settings@set -- "$here/$script" "$@"

# From here on no variable of this file is read but nbscorep_*, so that the notebook's may have any name.
@environment@
# Score-P makes its experiment directory, but not the folders above it.
case ${SCOREP_EXPERIMENT_DIRECTORY:-} in
  */*) mkdir -p -- "${SCOREP_EXPERIMENT_DIRECTORY%/*}/" ;;
esac

# An active virtual environment, also where something was put before it on PATH.
nbscorep_python=${PYTHON:-python3}
if [ -z "${PYTHON:-}" ] && [ -n "${VIRTUAL_ENV:-}" ] && [ "${PATH%%:*}" != "$VIRTUAL_ENV/bin" ] &&
  [ -x "$VIRTUAL_ENV/bin/python" ]; then
  nbscorep_python=$VIRTUAL_ENV/bin/python
fi

# Adds to the command of the script, "$@", what starts it. The file $1 looks after signals, and after
# the cell that an exception comes from.
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
@ranks@
nbscorep_start() {
@start@  nbscorep_command /dev/fd/19 "$@"
  exec "${nbscorep_words[@]}"
}

nbscorep_start "$@" 19<<'END_OF_RUNTIME'
@runtime@END_OF_RUNTIME
