# A sweep: each run uses one set of parameters, a line of the table beside the script.
nbscorep_results=
nbscorep_set=${LSB_JOBINDEX:-}
[ "$nbscorep_set" != 0 ] || nbscorep_set= # an LSF job that is not an array
nbscorep_set=${NBSCOREP_SET:-${SLURM_ARRAY_TASK_ID:-${PBS_ARRAY_INDEX:-${PBS_ARRAYID:-$nbscorep_set}}}}
table=@table@
case $nbscorep_set in
  none) ;;
  '')
    printf 'nbscorep: %q: this is a sweep of @count@ sets; submit it, choose a set with NBSCOREP_SET, or use nbscorep run --sweep\n' \
      "$self" >&2
    exit 2
    ;;
  *)
    if [ ! -f "$here/$table" ] || ! grep -qxF "# nbscorep build $build" -- "$here/$table" 2>/dev/null; then
      printf 'nbscorep: %q: %q is missing or from another build; build the notebook again\n' \
        "$self" "$table" >&2
      exit 1
    fi
    nbscorep_values=$(NBSCOREP_SET=$nbscorep_set awk -F '\t' \
      '!/^#/ && $1 "" == ENVIRON["NBSCOREP_SET"] { print $2; exit }' <"$here/$table")
    if [ -z "$nbscorep_values" ]; then
      printf 'nbscorep: %q: no set %q in a sweep of @count@\n' "$self" "$nbscorep_set" >&2
      exit 2
    fi
    nbscorep_results=$here/@results@/$nbscorep_set
    if [ -L "$nbscorep_results" ]; then
      printf 'nbscorep: %q: %q is a symbolic link; remove it\n' "$self" "$nbscorep_results" >&2
      exit 3
    fi
    mkdir -p -- "$nbscorep_results"
    # A link or a FIFO in place of the set's files comes from another user.
    for nbscorep_file in lock output.txt; do
      nbscorep_file=$nbscorep_results/$nbscorep_file
      if [ -L "$nbscorep_file" ] || { [ -e "$nbscorep_file" ] && [ ! -f "$nbscorep_file" ]; }; then
        rm -f -- "$nbscorep_file"
      fi
    done
    # All processes of the set hold this lock until the set has a status; ranks share it. If the file
    # system has no locks, or does not answer, the set runs without one.
    exec 18<>"$nbscorep_results/lock"
    timeout 5 flock -s 18 2>/dev/null || true
    rm -f -- "$nbscorep_results/status"
    # Ranks may write and read this file at the same time.
    nbscorep_file=$nbscorep_results/parameters.json
    rm -f -- "$nbscorep_file.$HOSTNAME.$$"
    printf '%s\n' "$nbscorep_values" >"$nbscorep_file.$HOSTNAME.$$"
    mv -f -- "$nbscorep_file.$HOSTNAME.$$" "$nbscorep_file"
    # Linux limits a variable to 131,071 bytes, and a character has up to four.
    NBSCOREP_PARAMETERS=$nbscorep_values
    [ "${#nbscorep_values}" -le 32000 ] || NBSCOREP_PARAMETERS=@$nbscorep_file
@output@    export NBSCOREP_SET="$nbscorep_set" NBSCOREP_PARAMETERS NBSCOREP_RESULTS="$nbscorep_results"
    ;;
esac
