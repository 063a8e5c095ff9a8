#compdef nbscorep
# zsh completion for nbscorep; made by 'nbscorep completion zsh'
_nbscorep() {
  local -a commands
  if (( CURRENT == 2 )); then
    commands=(
@commands@    )
    _describe command commands
    _arguments --help --version
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
@options@  esac
}
# from a folder of fpath its first call loads it; else it is sourced
if [[ $funcstack[1] == _nbscorep ]]; then
  _nbscorep "$@"
else
  compdef _nbscorep nbscorep
fi
