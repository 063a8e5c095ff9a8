#!/usr/bin/env bash
# Fuzzes each target, or those named, for SECONDS with clang's libFuzzer.
#
#     tests/fuzz/run.sh SECONDS [TARGET...]
#
# Everything it makes is below build/fuzz: what was found, the corpus that grows from run to run,
# logs. Ends with a table; the status is 1 when something was found.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."

all=(reader python_lexer magic_lexer yaml binding_args build cells samples recording measurement)
work=$PWD/build/fuzz/fuzzing
here=$PWD/tests/fuzz

usage() {
  printf 'usage: tests/fuzz/run.sh SECONDS [TARGET...]\ntargets: %s\n' "${all[*]}" >&2
  exit 2
}

[[ ${1-} =~ ^[1-9][0-9]*$ ]] || usage
seconds=$1
shift
targets=("${all[@]}")
[ $# -eq 0 ] || targets=("$@")
for target in "${targets[@]}"; do
  [[ " ${all[*]} " == *" $target "* ]] || usage
done

# The names in the tables $2... that the text $1 stands in front of, as entries of a dictionary.
names() {
  local before=$1
  shift
  sed -n "s/^[A-Z_]*(\"\\{0,1\\}\\([A-Za-z0-9_-]*\\).*/\"$before\\1\"/p" "$@"
}

dictionary() {
  case $1 in
    reader) cat "$here/json.dict" ;;
    python_lexer) cat "$here/python.dict" ;;
    magic_lexer) cat "$here/magic.dict" && names % src/lex/magics.def ;;
    yaml)
      cat "$here/yaml.dict"
      sed -n 's/^BUILD_OPTION([^,]*, "\([^"]*\)".*/"\1"/p; s/^CONFIG_KEY([^,]*, "\([^"]*\)".*/"\1"/p' \
        src/settings/settings.def ;;
    binding_args) cat "$here/args.dict" && names '' src/scorep/args.def src/scorep/variables.def ;;
    build) cat "$here"/{json,python,magic}.dict ;;
    cells) cat "$here"/{python,magic}.dict && names % src/lex/magics.def ;;
    samples) cat "$here/samples.dict" && names '' src/sample/series_head.def ;;
    recording) cat "$here/recording.dict" ;;
    measurement) names '' src/report/time_kind.def ;;
  esac
}

# The value of NAME in libFuzzer's final statistics.
stat_of() {
  sed -n "s/^stat::$2: *//p" "$1" | tail -n 1
}

fuzz() {
  local target=$1 folder=$work/$1 log=$work/$1.log asan=''
  mkdir -p "$folder/corpus" "$folder/findings"
  rm -f -- "$folder"/findings/*
  dictionary "$target" >"$folder/dictionary"
  # The OTF2 library asks for the memory that a damaged archive names. The program gives it as little.
  [ "$target" != measurement ] || asan=max_allocation_size_mb=256:allocator_may_return_null=1
  ASAN_OPTIONS=$asan UBSAN_OPTIONS=print_stacktrace=1 \
    "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 \
    -rss_limit_mb=2048 -malloc_limit_mb=1024 -print_final_stats=1 -dict="$folder/dictionary" \
    -artifact_prefix="$folder/findings/" "$folder/corpus" "$seeds/$target" \
    "$here/corpus/$target" >"$log" 2>&1 </dev/null
}

# Several of these may run side by side, for different targets.
mkdir -p "$work"
exec {lock}>"$work/lock"
flock "$lock"
cmake --preset fuzz -DPython3_EXECUTABLE="$(command -v python3)" >/dev/null
cmake --build --preset fuzz -j "$(nproc)" | tail -n 1
exec {lock}>&-
seeds=$(mktemp -d "$work/seeds.XXXXXX")
trap 'rm -rf -- "$seeds"' EXIT
python3 tests/fuzz/seeds.py "$seeds"

rows=() failed=0
for target in "${targets[@]}"; do
  printf 'fuzzing %s for %d s\n' "$target" "$seconds"
  status=0
  fuzz "$target" || status=$?
  found=$(find "$work/$target/findings" -type f | sort | tr '\n' ' ')
  if [ "$status" -ne 0 ] || [ -n "$found" ]; then
    failed=1
    tail -n 40 -- "$work/$target.log"
    found=${found:-"status $status, see $work/$target.log"}
  fi
  rows+=("$(printf '%-14s %12s %8s %8s   %s' "$target" \
    "$(stat_of "$work/$target.log" number_of_executed_units)" \
    "$(stat_of "$work/$target.log" average_exec_per_sec)" \
    "$(stat_of "$work/$target.log" peak_rss_mb)" "${found:-none}")")
done

printf '\n%-14s %12s %8s %8s   %s\n' target executions per_s peak_MB findings
printf '%s\n' "${rows[@]}"
exit "$failed"
