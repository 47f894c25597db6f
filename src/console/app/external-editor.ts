/**
 * Edits a text in the person's own editor (`$VISUAL`, else `$EDITOR`): that program has the terminal until it
 * ends. Only the owner can read the file, and it is always removed afterwards.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorText } from '../../domain/errors.ts';

export type Edited =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/** Runs a callback while the console does not use the terminal. */
export type Suspend = (run: () => Promise<void>) => Promise<void>;

export interface EditorPorts {
  readonly env: Record<string, string | undefined>;
  /** Hands the terminal over; null: this terminal cannot be handed over. */
  readonly suspend: Suspend | null;
  /** Runs `command FILE` and returns its exit code. @default a shell on this process's terminal */
  readonly run?: (command: string, file: string) => Promise<number>;
}

/** Largest accepted file: a bot is never larger. */
const MAX_BYTES = 1_000_000;

export async function editExternally(text: string, name: string, ports: EditorPorts): Promise<Edited> {
  const command = ports.env.VISUAL || ports.env.EDITOR;
  if (!command) {
    return refused('neither VISUAL nor EDITOR names an editor: start outcry with EDITOR=nano, for example');
  }
  const { suspend, run = runInShell } = ports;
  if (!suspend) return refused('this terminal cannot be handed over to an editor');
  const folder = await mkdtemp(join(tmpdir(), 'outcry-'));
  const file = join(folder, name);
  try {
    await writeFile(file, text, { mode: 0o600 });
    let code = 0;
    await suspend(async () => {
      code = await run(command, file);
    });
    if (code !== 0) return refused(`${command} ended with code ${code}; nothing is changed`);
    if ((await stat(file)).size > MAX_BYTES) return refused(`the file has grown beyond ${MAX_BYTES} bytes`);
    return { ok: true, text: await readFile(file, 'utf8') };
  } catch (error) {
    return refused(`${command}: ${errorText(error)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function refused(problem: string): Edited {
  return { ok: false, problem };
}

/** The variable may hold a program with options; the file's name is never part of the shell's text. */
function runInShell(command: string, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child =
      process.platform === 'win32'
        ? spawn(`${command} "${file}"`, { stdio: 'inherit', shell: true })
        : spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', file], { stdio: 'inherit' });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ? 1 : (code ?? 1)));
  });
}
