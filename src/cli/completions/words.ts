/** The parts of all completions: words that can follow, what an option takes, and quoted texts. Pure. */
import type { CommandRow, CommandTable, OptionRow } from './completions.ts';

/** The command that runs if none is named: its options may come before any command. */
const DEFAULT = 'console';

export interface Word {
  readonly word: string;
  readonly help: string;
}

/** What an option takes: nothing, a file, a folder, one of some words, or anything. */
export type Takes = 'nothing' | 'file' | 'folder' | 'anything' | readonly string[];

export function takesOf({ flags, values, read }: OptionRow): Takes {
  if (read === undefined) return 'nothing';
  if (values) return values;
  if (/<file>/.test(flags)) return 'file';
  return /<dir>/.test(flags) ? 'folder' : 'anything';
}

/** The flags of an option: `-f` and `--follow` of `-f, --follow`. */
export function flagsOf({ flags }: OptionRow): readonly string[] {
  return flags.split(/[ ,]+/).filter((part) => part.startsWith('-'));
}

/** All options that are followed by a value, of all commands. */
export function valued({ commands }: CommandTable): readonly string[] {
  const options = commands.flatMap((row) => row.options).filter((row) => takesOf(row) !== 'nothing');
  return [...new Set(options.flatMap(flagsOf))];
}

/** The name of a command, such as `keys add`. */
export function nameOf({ words }: CommandRow): string {
  return words.join(' ');
}

/** Returns all commands, those of two words first, and the default command again under an empty name. */
export function commandsOf({ commands }: CommandTable): readonly { name: string; row: CommandRow }[] {
  const all = commands.map((row) => ({ name: nameOf(row), row }));
  const unnamed = all.filter(({ name }) => name === DEFAULT).map(({ row }) => ({ name: '', row }));
  return [...all.sort((a, b) => b.row.words.length - a.row.words.length), ...unnamed];
}

/** Returns the words that can follow `first`; empty: the beginning. */
export function wordsAfter(first: string, { commands, groups }: CommandTable): readonly Word[] {
  if (first !== '')
    return commands.flatMap(({ words: [one, two], help }) =>
      one === first && two !== undefined ? [{ word: two, help }] : [],
    );
  const single = commands.flatMap(({ words: [one = '', two], help }) =>
    two === undefined ? [{ word: one, help }] : [],
  );
  return [...single, ...Object.entries(groups).map(([word, help]) => ({ word, help }))];
}

/** Quotes a text in single quotes, for bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Options whose values a shell can complete, by command. */
export function completed(table: CommandTable): readonly { name: string; flag: string; takes: Takes }[] {
  return commandsOf(table).flatMap(({ name, row }) =>
    row.options.flatMap((option) => {
      const takes = takesOf(option);
      return takes === 'nothing' ? [] : flagsOf(option).map((flag) => ({ name, flag, takes }));
    }),
  );
}

/** Groups pairs of command and option by what the option takes, for a `case` of a shell. */
export function byTakes(table: CommandTable): readonly { takes: Takes; pairs: readonly string[] }[] {
  const groups = Map.groupBy(completed(table), ({ takes }) => String(takes));
  return [...groups.values()].map((group) => ({
    takes: group[0]?.takes ?? 'anything',
    pairs: group.map(({ name, flag }) => `${name} ${flag}`),
  }));
}
