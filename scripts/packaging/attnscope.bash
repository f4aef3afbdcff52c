# shellcheck shell=bash
# Completion of attnscope for bash. The program itself says what can come next.

_attnscope() {
  local line=${COMP_LINE:0:COMP_POINT} word
  local -a words candidates=()
  read -ra words <<<"$line"
  [[ $line != *[[:space:]] ]] || words+=("")
  local typed=${words[-1]}

  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    if [[ $word == :files ]]; then
      compopt -o filenames
      # Of --labels=FILE the file only.
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${typed#--*=}")
    else
      candidates+=("$word")
      [[ $word != *= ]] || compopt -o nospace
    fi
  done < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
  # bash takes what stands before the last = or : for words of their own.
  local before=""
  if [[ $typed == *[=:]* && $COMP_WORDBREAKS == *=* ]]; then before=${typed%"${typed##*[=:]}"}; fi
  for word in "${candidates[@]}"; do
    COMPREPLY+=("${word#"$before"}")
  done
}

complete -F _attnscope attnscope
