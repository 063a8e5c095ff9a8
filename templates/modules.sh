# The shell of a batch job may lack the command module. Its files and modules do not bear set -eu.
set +eu
for file in "$NBSCOREP_MODULES_INIT" "$MODULESHOME/init/bash" "$LMOD_PKG/init/bash" \
  /etc/profile.d/{00-modulepath,modules,lmod,z00_lmod}.sh \
  /usr/share/{modules,Modules,lmod/lmod}/init/bash /opt/cray/pe/{lmod/lmod,modules/default}/init/bash; do
  type module >/dev/null 2>&1 || [ ! -r "$file" ] || builtin . "$file" >&2
done
type module >/dev/null 2>&1 || echo "nbscorep: command module not found; set NBSCOREP_MODULES_INIT" >&2
@modules@set -eu
