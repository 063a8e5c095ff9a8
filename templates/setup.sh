set -@all@E +u
trap 'case $BASH_SUBSHELL in 0) echo "nbscorep: setup: status $? in line $LINENO: $BASH_COMMAND" >&2 ;; esac' ERR
@lines@trap - ERR
set +@all@E -eu
