/** Child processes of a bench and its temporary folders. Every child is ended by its id, every folder removed. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ptyPids } from './pty.ts';

export const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));
export const MAIN = join(ROOT, 'dist/main.js');
const ANSWER_LIMIT_MS = 60_000;

const running = new Set<ChildProcess>();
const folders: string[] = [];

/**
 * Creates a folder on the disk of the user's temporary files: the cost of durable writes is part of the
 * measurement.
 */
export function temporaryFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'outcry-bench-'));
  folders.push(folder);
  return folder;
}

export async function cleanUp(): Promise<void> {
  for (const pid of ptyPids) process.kill(pid, 'SIGKILL');
  await Promise.all([...running].map((child) => end(child, 'SIGKILL')));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A forked TypeScript module that answers commands, one at a time (`answering.ts`). */
export class Helper {
  readonly child: ChildProcess;

  constructor(module: URL, execArgv: readonly string[] = []) {
    this.child = fork(module, [], {
      execArgv: ['--disable-warning=ExperimentalWarning', ...execArgv],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    running.add(this.child);
    this.child.once('exit', () => running.delete(this.child));
  }

  ask<T>(command: string, params: unknown = {}, limitMs = ANSWER_LIMIT_MS): Promise<T> {
    return new Promise<T>((done, fail) => {
      const stop = (error: Error) => {
        forget();
        fail(error);
      };
      const onExit = (code: number | null) => stop(new Error(`the helper ended (${code}) at ${command}`));
      const onMessage = (message: unknown) => {
        const { value, error } = message as { value?: T; error?: string };
        forget();
        if (error === undefined) done(value as T);
        else fail(new Error(error));
      };
      const limit = setTimeout(() => stop(new Error(`no answer to ${command}`)), limitMs);
      const forget = () => {
        clearTimeout(limit);
        this.child.off('exit', onExit);
        this.child.off('message', onMessage);
      };
      this.child.once('exit', onExit);
      this.child.once('message', onMessage);
      this.child.send({ command, params });
    });
  }

  /** Ends the child regularly, so that a profiler in it can write its file. */
  end(): Promise<void> {
    return new Promise((done) => {
      this.child.once('exit', () => done());
      this.child.disconnect();
    });
  }
}

/** Starts the built program without a terminal and returns its first line of output. */
export async function startProgram(
  args: readonly string[],
): Promise<{ child: ChildProcess; firstLine: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const firstLine = await new Promise<string>((done, fail) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) done(text.slice(0, text.indexOf('\n')));
    });
    child.once('exit', (code) => fail(new Error(`the program ended with code ${code}`)));
  });
  return { child, firstLine };
}

export function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) return done();
    child.once('exit', () => done());
    child.kill(signal);
  });
}
