# bash completion for nbscorep; made by 'nbscorep completion bash'
_nbscorep() {
  local current=${COMP_WORDS[COMP_CWORD]} words='' kind='' option
  local suffix=.ipynb
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '@commands@--help --version' -- "$current")
    return
  fi
  # bash splits at =, so the option of --option=word is one or two words back
  option=${COMP_WORDS[COMP_CWORD - 1]}
  if [ "$option" = = ]; then option=${COMP_WORDS[COMP_CWORD - 2]}; fi
  if [ "$current" = = ]; then current=''; fi
  case ${COMP_WORDS[1]}:$option in
@arguments@  esac
  case $kind in
    text) return ;;
    ?*)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -A "$kind" -- "$current")
      return
      ;;
  esac
  if [ -n "$words" ] && [[ $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  case $current in
    -*) ;;
    *)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -X "!*$suffix" -- "$current"; compgen -d -- "$current")
      return
      ;;
  esac
  case ${COMP_WORDS[1]} in
@options@  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _nbscorep nbscorep
