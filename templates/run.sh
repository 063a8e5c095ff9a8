#!/usr/bin/env bash
# Compiled by nbscorep from @notebook@. Edit the notebook, then build again.
# nbscorep build @build@@options@
@header@@bash@set -eu
@start_folder@# Find the script: a batch job runs a copy of this file, which may also be started through a link.
here=${0%/*}
[ -e @script@ ] || here=$(dirname -- "$(readlink -f -- "$0")")
if [ ! -e @script@ ] && [ -n "${SLURM_JOB_ID:-}" ]; then
  here=$(scontrol show job "$SLURM_JOB_ID" 2>/dev/null | sed -n 's/^ *Command=//p' | head -n 1)
  until [ -f "$here" ] || [ "${here% *}" = "$here" ]; do here=${here% *}; done # its path, then arguments
  here=$(dirname -- "$(readlink -f -- "$here")")
fi
[ -e @script@ ] || here=${SLURM_SUBMIT_DIR:-${PBS_O_WORKDIR:-${LS_SUBCWD:-$here}}} # where it was submitted
CDPATH='' cd -P -- "$here"
if [ ! -e @script_beside@ ] || [ ! -e @package@ ]; then
  echo "nbscorep: missing in $PWD:" @missing@ >&2
  exit 1
fi
@notebook_folder@@keep@@trap@@modules@@environment@@teardown@@trap_teardown@@setup@@restore@PYTHON=@python@
command -v "$PYTHON" >/dev/null || { echo "nbscorep: cannot find the Python '$PYTHON'" >&2; exit 3; }
# Measures as "python3 -m scorep ... SCRIPT" does, threads too, into scorep-SCRIPT-DATE-TIME or $SCOREP_EXPERIMENT_DIRECTORY.
exec "$PYTHON" @command_line@ "$@"
