/** `outcry completions bash | zsh | fish`: what completes this command line in a shell, made of the table of commands. Pure. */
import { UsageError } from '../usage-error.ts';
import { bashCompletions } from './bash.ts';
import { fishCompletions } from './fish.ts';
import { zshCompletions } from './zsh.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type ShellName = (typeof SHELLS)[number];

/** An option as the table of options has it. */
export interface OptionRow {
  /** `-f, --follow`, `--port <port>`. */
  readonly flags: string;
  readonly help: string;
  readonly values?: readonly string[];
  /** Left out: a switch. */
  readonly read?: unknown;
}

export interface CommandRow {
  /** One or two: `panic`, `keys add`. */
  readonly words: readonly string[];
  readonly help: string;
  readonly options: readonly OptionRow[];
  /** A word for what it takes; left out: nothing. */
  readonly argument?: string;
}

export interface CommandTable {
  readonly commands: readonly CommandRow[];
  /** First words of several commands, and what those are about. */
  readonly groups: Readonly<Record<string, string>>;
}

const MADE: Readonly<Record<ShellName, (table: CommandTable) => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
};

/** The text to be sourced by that shell. Throws a UsageError for another one. */
export function completionsFor(shell: string, table: CommandTable): string {
  const name = SHELLS.find((one) => one === shell);
  if (name === undefined)
    throw new UsageError(
      `outcry completions takes one of ${SHELLS.join(', ')}, not ${JSON.stringify(shell)}`,
    );
  return MADE[name](table);
}
