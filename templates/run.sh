#!/usr/bin/env bash
# Compiled by nbscorep from @notebook_comment@. Edit the notebook, then build again.
# nbscorep build @build@
# A dollar sign in single quotes is one.
# shellcheck disable=SC2016
set -eu

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

# Under sbatch bash runs a copy in a spool folder, so look where the job was submitted from.
folder_of "${BASH_SOURCE[0]}"
if [ ! -e "$folder$script" ] && [ -n "${SLURM_JOB_ID:-}" ]; then
  command=$(scontrol show job "$SLURM_JOB_ID" 2>/dev/null | sed -n 's/^ *Command=//p' || true)
  if [ -n "$command" ] && [ -e "${command%%/"$self"*}/$script" ]; then
    folder=${command%%/"$self"*}/
  elif [ -n "${SLURM_SUBMIT_DIR:-}" ]; then
    folder=$SLURM_SUBMIT_DIR/
  fi
fi
CDPATH='' cd -- "$folder"
here=${PWD%/}

if [ ! -r "$here/$script" ]; then
  printf 'nbscorep: %s: cannot find %s in %s\n' "$self" "$script" "${here:-/}" >&2
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
  printf 'nbscorep: %s: %s is from another build (%s, expected %s); build the notebook again\n' \
    "$self" "$script" "$found" "$build" >&2
  exit 1
fi

cd -- "$notebook_folder"
@environment@export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"
export MPLBACKEND="${MPLBACKEND:-Agg}"

# Score-P makes its experiment directory, but not the folders above it.
case ${SCOREP_EXPERIMENT_DIRECTORY:-} in
  */*) mkdir -p -- "${SCOREP_EXPERIMENT_DIRECTORY%/*}/" ;;
esac

exec "${PYTHON:-python3}" -m scorep@arguments@ "$here/$script" "$@"
