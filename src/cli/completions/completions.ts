/** `outcry completions bash | zsh | fish`: a shell's completions, made from the table of commands. Pure. */
import { UsageError } from '../usage-error.ts';
import { bashCompletions } from './bash.ts';
import { fishCompletions } from './fish.ts';
import { zshCompletions } from './zsh.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type ShellName = (typeof SHELLS)[number];

/** An option as the table of options has it. */
export interface OptionRow {
  /** `-f, --follow` or `--port <port>`. */
  readonly flags: string;
  readonly help: string;
  readonly values?: readonly string[];
  /** Left out: the option is a switch. */
  readonly read?: unknown;
}

export interface CommandRow {
  /** One or two words: `panic`, `keys add`. */
  readonly words: readonly string[];
  readonly help: string;
  readonly options: readonly OptionRow[];
  /** The name of its argument; left out: it takes none. */
  readonly argument?: string;
}

export interface CommandTable {
  readonly commands: readonly CommandRow[];
  /** First words that several commands share, and what those commands are about. */
  readonly groups: Readonly<Record<string, string>>;
}

const MADE: Readonly<Record<ShellName, (table: CommandTable) => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
};

/** Returns the script that the shell sources. Throws a UsageError for an unknown shell. */
export function completionsFor(shell: string, table: CommandTable): string {
  const name = SHELLS.find((one) => one === shell);
  if (name === undefined)
    throw new UsageError(
      `outcry completions takes one of ${SHELLS.join(', ')}, not ${JSON.stringify(shell)}`,
    );
  return MADE[name](table);
}
