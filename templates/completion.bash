# bash completion for nbscorep; printed by 'nbscorep completion bash'
_nbscorep() {
  local current=${COMP_WORDS[COMP_CWORD]} offers=()
  mapfile -t offers < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # bash splits words at =
  if [ "$current" = = ]; then current=''; fi
  local suffix=${offers[0]-}
  suffix=${suffix#:files}
  COMPREPLY=()
  case ${offers[0]-} in
    '') ;;
    :folders)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      ;;
    :files*)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -X "!*${suffix# }" -- "$current"; compgen -d -- "$current")
      ;;
    *)
      mapfile -t COMPREPLY < <(compgen -W "${offers[*]%%$'\t'*}" -- "$current")
      case ${COMPREPLY[0]-} in *=) compopt -o nospace ;; esac
      ;;
  esac
}
complete -F _nbscorep nbscorep
