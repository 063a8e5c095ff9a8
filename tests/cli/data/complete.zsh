# complete.zsh SCRIPT LINE: what zsh offers for LINE, one word a line. A SCRIPT called _nbscorep is
# found by its folder, another one is sourced.
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1= ; PROMPT_EOL_MARK= ; unsetopt zle_bracketed_paste 2>/dev/null; autoload -Uz compinit"
if [[ ${1:t} == _nbscorep ]]; then
  zpty -w z "fpath=(${(q)1:h} \$fpath); compinit -u -D"
else
  zpty -w z "compinit -u -D; source ${(q)1}"
fi
zpty -w z '
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a __hits
  builtin compadd -A __hits "$@"
  print -rl -- "<<"$^__hits">>"
  builtin compadd "$@"
}
complete_it() { BUFFER=$LINE; CURSOR=$#BUFFER; zle complete-word; print -r -- "<<<end>>>"; exit }
'
zpty -w z "LINE=${(q)2}; zle -N complete_it; bindkey '^T' complete_it; print -r -- re''ady"
local out=
while zpty -r z line; do [[ $line == *ready* ]] && break; done
zpty -w -n z $'\C-t'
while zpty -r z line; do
  [[ $line == *'<<<end>>>'* ]] && break
  [[ $line == *'<<'(#b)(*)'>>'* ]] && print -r -- $match[1]
done
