/** The completions for fish, from 3.1 on. Pure. */
import type { CommandTable, OptionRow } from './completions.ts';
import { commandsOf, flagsOf, takesOf, valued, wordsAfter } from './words.ts';

export function fishCompletions(table: CommandTable): string {
  const words = ['', ...Object.keys(table.groups)].flatMap((first) =>
    wordsAfter(first, table).map(
      ({ word, help }) => `complete -c outcry -n "__outcry_at ${inner(first)}" -a ${word} -d ${text(help)}`,
    ),
  );
  const options = commandsOf(table).flatMap(({ name, row }) =>
    row.options.map((option) => {
      const when = name === '' ? "__outcry_at ''" : `__outcry_in ${inner(name)}`;
      return `complete -c outcry -n "${when}" ${flags(option)} ${taken(option)}-d ${text(option.help)}`;
    }),
  );
  return `# Completions of outcry for fish: outcry completions fish | source
function __outcry_words
  set -l valued ${valued(table).join(' ')}
  set -l given
  set -l before
  for word in (commandline -opc)[2..-1]
    if not string match -q -- '-*' $word; and not contains -- "$before" $valued
      set -a given $word
    end
    set before $word
  end
  string join ' ' -- $given
end
function __outcry_at
  set -l given (__outcry_words)
  test "$given" = "$argv[1]"
end
function __outcry_in
  set -l given (__outcry_words)
  test "$given" = "$argv[1]"; or string match -q -- "$argv[1] *" "$given"
end
complete -c outcry -f
complete -c outcry -l help -d 'print the help'
complete -c outcry -n "__outcry_at 'completions'" -a 'bash zsh fish'
${[...words, ...options].join('\n')}
`;
}

/** Quotes a name inside double quotes. */
function inner(name: string): string {
  return `'${name}'`;
}

/** Quotes a text in single quotes, where only these two characters need a backslash. */
function text(help: string): string {
  return `'${help.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function flags(option: OptionRow): string {
  return flagsOf(option)
    .map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
    .join(' ');
}

function taken(option: OptionRow): string {
  const takes = takesOf(option);
  if (takes === 'nothing') return '';
  if (takes === 'file') return '-r -F ';
  if (takes === 'folder') return "-x -a '(__fish_complete_directories)' ";
  return typeof takes === 'string' ? '-x ' : `-x -a '${takes.join(' ')}' `;
}
