#compdef nbscorep
# zsh completion for nbscorep; printed by 'nbscorep completion zsh'
_nbscorep() {
  local -a offers found
  local offer
  offers=("${(@f)$($words[1] __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $words[CURRENT] == --*=* ]]; then compset -P '*='; fi
  case $offers[1] in
    '') ;;
    :folders) _files -/ ;;
    :files*) _files -g "*${${offers[1]#:files}# }" ;;
    *)
      for offer in $offers; do
        found+=("${${offer%%$'\t'*}//:/\\:}:${offer#*$'\t'}")
      done
      _describe nbscorep found
      ;;
  esac
}
# from a folder of fpath its first call loads it; else it is sourced
if [[ $funcstack[1] == _nbscorep ]]; then
  _nbscorep "$@"
else
  compdef _nbscorep nbscorep
fi
