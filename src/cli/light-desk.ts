/** Connects commands that only ask and act to a data folder's desk. Starts no desk, reads no state. */
import { clean } from '../console/ui/clean.ts';
import type { DeskClient } from '../desk/console/protocol.ts';
import type { ClientOptions } from '../desk/hosting/transports/client.ts';
import { systemClock } from '../desk/hosting/transports/system-clock.ts';
import { connectUnixSocket } from '../desk/hosting/transports/unix-socket.ts';
import type { Outcome } from '../domain/errors.ts';
import { resolveDataFolder } from '../store/data-folder.ts';
import { hiddenLine } from './hidden-line.ts';
import { UsageError } from './usage-error.ts';

/** The input and output of a command. */
export interface Shell {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Asks a question and returns the typed line; null: nobody is there to type. */
  readonly ask: ((question: string) => Promise<string>) | null;
  /** The same, hidden while typed; null if the person gave up. The caller fills the answer with zeros. */
  readonly secret: ((question: string) => Promise<Buffer | null>) | null;
  /** Connects to a desk. Without `how`: calls only, no state, as the owner of the folder. */
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
    // Ctrl-C, or the end of the input, is no consent.
    return '';
  } finally {
    lines.close();
  }
}

/** Runs `work` with the desk of the folder; throws a sentence if none runs there. */
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

/** Returns true after `--yes`, or if the word was typed. Throws a UsageError if nobody can type it. */
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

/** Returns the result, or throws the refusal as an error whose message is safe to show. */
export function granted<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(clean(outcome.error.message));
  return outcome.data;
}
