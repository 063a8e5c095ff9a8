# Modules. The shell of a batch job may lack the command, which, like its files, may fail with set -eu.
nbscorep_has_module() {
  type module >/dev/null 2>&1
}

nbscorep_module() {
  set +eu
  module "$@" >&2
  nbscorep_status=$?
  set -eu
  [ "$nbscorep_status" = 0 ] || {
    printf 'nbscorep: module' >&2
    printf ' %q' "$@" >&2
    printf ' failed with status %d\n' "$nbscorep_status" >&2
    exit 3
  }
}

set --
if ! nbscorep_has_module; then
  set +eu
  for nbscorep_file in "$NBSCOREP_MODULES_INIT" "${MODULESHOME:+$MODULESHOME/init/bash}" \
    "${LMOD_PKG:+$LMOD_PKG/init/bash}" /etc/profile.d/{00-modulepath,modules,lmod,z00_lmod}.sh \
    /usr/share/{modules,Modules,lmod/lmod}/init/bash /opt/cray/pe/{lmod/lmod,modules/default}/init/bash; do
    [ -r "$nbscorep_file" ] || continue
    # shellcheck disable=SC1090
    . "$nbscorep_file" >&2
    nbscorep_has_module && break
  done
  set -eu
fi
if ! nbscorep_has_module; then
  printf 'nbscorep: command module not found; set MODULESHOME, or set NBSCOREP_MODULES_INIT to its init file for bash\n' >&2
  exit 3
fi
@modules@