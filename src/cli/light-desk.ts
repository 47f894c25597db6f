/** A connection to the desk that runs on a data folder, for commands that only ask and give orders: no desk is started, no state is read. */
import { clean } from '../console/ui/clean.ts';
import type { DeskClient } from '../desk/console/protocol.ts';
import type { ClientOptions } from '../desk/hosting/transports/client.ts';
import { systemClock } from '../desk/hosting/transports/system-clock.ts';
import { connectUnixSocket } from '../desk/hosting/transports/unix-socket.ts';
import type { Outcome } from '../domain/errors.ts';
import { resolveDataFolder } from '../store/data-folder.ts';
import { hiddenLine } from './hidden-line.ts';
import { UsageError } from './usage-error.ts';

/** Where a command reads and writes. */
export interface Shell {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The line that somebody types as the answer; null: nobody is there to type one. */
  readonly ask: ((question: string) => Promise<string>) | null;
  /** The same, not shown while it is typed; the answer is null when it was given up, else filled with zeros by who asked. */
  readonly secret: ((question: string) => Promise<Buffer | null>) | null;
  /** Left out of `how`: only calls, no state, as the owner of the folder. */
  readonly connect: (dataDir: string, how?: ClientOptions) => Promise<DeskClient | null>;
}

export function processShell(): Shell {
  const { stdin, stdout, stderr } = process;
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    ask: stdin.isTTY && stderr.isTTY ? typedLine : null,
    secret:
      stdin.isTTY && stderr.isTTY
        ? (question) => hiddenLine(stdin, question, (text) => void stderr.write(text))
        : null,
    connect: (dataDir, how = { state: false }) => connectUnixSocket(dataDir, systemClock, how),
  };
}

async function typedLine(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } catch {
    // Ctrl-C, or the end of what is typed, is no consent.
    return '';
  } finally {
    lines.close();
  }
}

/** Runs `work` on the desk of the folder; throws a sentence when none runs there. */
export async function onDesk<T>(
  shell: Shell,
  dataDir: string | undefined,
  work: (desk: DeskClient) => Promise<T>,
  how?: ClientOptions,
): Promise<T> {
  const folder = resolveDataFolder({ dataDir });
  const desk = await shell.connect(folder, how);
  if (!desk) {
    const start = 'outcry serve starts one, --data-dir names another folder';
    throw new Error(`no desk runs on ${clean(folder)}: ${start}`);
  }
  try {
    return await work(desk);
  } finally {
    desk.close();
  }
}

/** True: `--yes`, or the word was typed. Throws a UsageError where nobody can type it. */
export async function consented(
  shell: Shell,
  { yes, command, question, word }: { yes: boolean; command: string; question: string; word: string },
): Promise<boolean> {
  if (yes) return true;
  if (!shell.ask)
    throw new UsageError(
      `outcry ${command} asks before it acts, and there is no terminal to ask at: add --yes`,
    );
  return (await shell.ask(`${question} Type ${word} to go on: `)).trim() === word;
}

/** What was asked for, or the refusal as an error whose message is fit to be shown. */
export function granted<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(clean(outcome.error.message));
  return outcome.data;
}
