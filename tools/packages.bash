# shellcheck shell=bash
# Functions for scripts that source this file: they install missing Debian packages.

# The packages that are required to build nbscorep and to run its scripts.
# shellcheck disable=SC2034  # used by the scripts that source this
build_packages=(gcc libc6-dev cmake make ninja-build pkg-config libjansson-dev libyaml-dev libpcre2-dev
  libexpat1-dev libopen-trace-format2-dev python3)

missing_packages() {
  local package
  for package; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      printf '%s\n' "$package"
  done
}

# Runs apt-get install with the words before -- as a prefix. Starts no services, as containers cannot.
apt_install() (
  prefix=()
  while [ "$1" != -- ]; do
    prefix+=("$1")
    shift
  done
  shift
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ] && [ ! -d /run/systemd/system ]; then
    trap '"${prefix[@]}" rm -f -- "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | "${prefix[@]}" install -m 755 /dev/stdin "$policy"
  fi
  "${prefix[@]}" apt-get install -y -qq --no-install-recommends "$@" </dev/null
)

# Installs the packages of $@ that are missing, without prompts. Requires root or sudo only if a
# package is missing.
install_packages() {
  local missing prefix=()
  if ! command -v dpkg-query >/dev/null; then
    printf 'this is not Debian; install the equivalents of: %s\n' "$*" >&2
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  printf 'installing: %s\n' "${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      printf 'installing packages requires root or sudo; ask an administrator to run: apt-get install %s\n' \
        "${missing[*]}" >&2
      return 1
    fi
    prefix=(sudo)
  fi
  prefix+=(env DEBIAN_FRONTEND=noninteractive)
  "${prefix[@]}" apt-get update -qq &&
    apt_install "${prefix[@]}" -- "${missing[@]}"
}
