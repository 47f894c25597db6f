/** The completions for zsh, sourced or as a file `_outcry` on its `fpath`. Pure. */
import type { CommandTable, OptionRow } from './completions.ts';
import { byTakes, commandsOf, flagsOf, quoted, type Takes, valued, type Word, wordsAfter } from './words.ts';

export function zshCompletions(table: CommandTable): string {
  const names = commandsOf(table);
  const reduce = names
    .filter(({ name }) => name !== '')
    .map(({ name }) => `    ${quoted(name)}|${quoted(`${name} `)}*) at=${quoted(name)} ;;`);
  const values = byTakes(table).map(
    ({ takes, pairs }) => `    ${pairs.map(quoted).join('|')})\n      ${valuesOf(takes)}\n      return ;;`,
  );
  const options = names.map(
    ({ name, row }) => `    ${quoted(name)}) found=(${row.options.flatMap(optionWords).join(' ')}) ;;`,
  );
  const words = ['', ...Object.keys(table.groups)].map(
    (first) => `    ${quoted(first)}) found=(${wordsAfter(first, table).map(described).join(' ')}) ;;`,
  );
  return `#compdef outcry
# Completions of outcry for zsh: source <(outcry completions zsh)
_outcry() {
  local given='' at='' word='' i
  local -a found valued
  valued=(${valued(table).join(' ')})
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ $word == -* ]] || (( \${valued[(Ie)\${words[i-1]}]} )); then continue; fi
    given+="\${given:+ }$word"
  done
  case $given in
${reduce.join('\n')}
  esac
  case "$at \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    case $at in
${options.map((line) => `  ${line}`).join('\n')}
    esac
    found+=('--help:print the help')
    _describe -t options option found
    return
  fi
  case $given in
${words.join('\n')}
    'completions') found=(bash zsh fish) ;;
  esac
  (( \${#found} )) && _describe -t commands command found
}
if [[ \${funcstack[1]} == _outcry ]]; then _outcry "$@"; else compdef _outcry outcry; fi
`;
}

function optionWords(option: OptionRow): string[] {
  return flagsOf(option).map((word) => described({ word, help: option.help }));
}

/** Writes a word with its help; a colon ends the word, and only the first one counts. */
function described({ word, help }: Word): string {
  return quoted(`${word.replaceAll(':', '\\:')}:${help}`);
}

function valuesOf(takes: Takes): string {
  if (takes === 'file') return '_files';
  if (takes === 'folder') return '_files -/';
  return typeof takes === 'string' ? ':' : `found=(${takes.join(' ')}); _describe -t values value found`;
}
