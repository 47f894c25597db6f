/** The completions for bash, from 3.2 on. Pure. */
import type { CommandTable } from './completions.ts';
import { byTakes, commandsOf, flagsOf, quoted, type Takes, valued, wordsAfter } from './words.ts';

export function bashCompletions(table: CommandTable): string {
  const names = commandsOf(table);
  const reduce = names
    .filter(({ name }) => name !== '')
    .map(({ name }) => `    ${quoted(name)}|${quoted(`${name} `)}*) at=${quoted(name)} ;;`);
  const values = byTakes(table).map(
    ({ takes, pairs }) => `    ${pairs.map(quoted).join('|')})\n      ${valuesOf(takes)}\n      return ;;`,
  );
  const options = names.map(
    ({ name, row }) => `    ${quoted(name)}) options=${quoted(row.options.flatMap(flagsOf).join(' '))} ;;`,
  );
  const words = ['', ...Object.keys(table.groups)].map((first) => {
    const list = wordsAfter(first, table).map(({ word }) => word);
    return `    ${quoted(first)}) words=${quoted(list.join(' '))} ;;`;
  });
  const taken = table.commands
    .filter(({ words: list }) => list[0] === 'completions')
    .map(() => `    'completions') words='bash zsh fish' ;;`);
  return `# Completions of outcry for bash: source <(outcry completions bash)
_outcry() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local given='' at='' options='' words='' word i
  local valued=${quoted(` ${valued(table).join(' ')} `)}
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == -* || $valued == *" \${COMP_WORDS[i-1]} "* ]]; then continue; fi
    given+="\${given:+ }$word"
  done
  case $given in
${reduce.join('\n')}
  esac
  case "$at $prev" in
${values.join('\n')}
  esac
  case $at in
${options.join('\n')}
  esac
  case $given in
${[...words, ...taken].join('\n')}
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options --help" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -F _outcry outcry
`;
}

function valuesOf(takes: Takes): string {
  const files = (how: string) =>
    `compopt -o filenames 2>/dev/null; local IFS=$'\\n'; COMPREPLY=($(compgen ${how} -- "$cur"))`;
  if (takes === 'file') return files('-f');
  if (takes === 'folder') return files('-d');
  return typeof takes === 'string' ? ':' : `COMPREPLY=($(compgen -W ${quoted(takes.join(' '))} -- "$cur"))`;
}
