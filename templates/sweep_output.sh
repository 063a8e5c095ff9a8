    if [ -z "${NBSCOREP_SET:-}" ]; then # an element of a job array
      printf 'set %s of @count@ %s: output in %q\n' "$nbscorep_set" "$nbscorep_values" \
        "$nbscorep_results/output.txt"
      : >"$nbscorep_results/output.txt"
      exec >>"$nbscorep_results/output.txt" 2>&1 # ranks share the file
    fi
