#!/usr/bin/env node
/**
 * The launcher. In a checkout it installs what is missing and builds what is stale; then it runs the program on a Node
 * that is new enough: in this process if it is, else in a child with the same terminal, signals and end.
 * Plain Node 18, no dependency: it must start before anything is installed. Writes to stderr only.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isatty } from 'node:tty';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  clearInstallStamp,
  findNode,
  isBuilt,
  isCheckout,
  isInstalled,
  withLock,
  writeInstallStamp,
} from './launcher-lib.js';

const ROOT = path.resolve(fileURLToPath(new URL('..', import.meta.url)));
const FORWARDED = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);
const SELF_KILL_GRACE_MS = 500;
const PARENT_POLL_MS = 500;
const LATE_ANSWER_MS = 150;
/** A program that has said that it leaves is gone long before. */
const LEAVING_LIMIT_MS = 3_000;
/** One that was told to stop, too: a desk takes ten seconds at most. */
const STOP_LIMIT_MS = 20_000;

const vitest = ['node_modules/vitest/vitest.mjs', 'run'];
/** Pseudo commands of the npm scripts: each a list of Node command lines, run in order. */
const TASKS = {
  '@build': () => [],
  '@test': (/** @type {string[]} */ args) => [[...vitest, ...args]],
  '@sim': (/** @type {string[]} */ args) => [['test/simulation/main.ts', ...args]],
  '@diff': (/** @type {string[]} */ args) => [['test/differential/main.ts', ...args]],
  '@scenarios': (/** @type {string[]} */ args) => [['test/scenarios/main.ts', ...args]],
  '@emulator': (/** @type {string[]} */ args) => [[`test/emulators/${venueOf(args)}/serve.ts`, ...args]],
  '@soak': (/** @type {string[]} */ args) => [['test/emulators/soak.ts', ...args]],
  '@walk': (/** @type {string[]} */ args) => [['test/emulators/walk.ts', ...args]],
  '@bench': (/** @type {string[]} */ args) => [['bench/main.ts', ...args]],
  '@attacks': () => [['test/security/write.ts']],
  '@check': () => [
    ['node_modules/@biomejs/biome/bin/biome', 'check'],
    ['node_modules/typescript/bin/tsc'],
    [...vitest, 'test/architecture'],
  ],
};

const EMULATED = ['binance', 'bybit', 'okx'];

/**
 * What `--venue` says; binance without it.
 * @param {string[]} args
 */
function venueOf(args) {
  const at = args.findIndex((arg) => arg === '--venue' || arg.startsWith('--venue='));
  const venue = at < 0 ? 'binance' : (args[at]?.split('=')[1] ?? args[at + 1] ?? '');
  if (EMULATED.includes(venue)) return venue;
  throw new LauncherError(
    `there is no emulator of ${venue || 'nothing'}; --venue is one of ${EMULATED.join(', ')}`,
  );
}

/** Ends with one sentence and no stack. */
class LauncherError extends Error {}

/**
 * `stuck`: it had said that it leaves and did not go.
 * @typedef {{ code: number | null, signal: NodeJS.Signals | null, output: string, stuck?: boolean }} Ended
 */

async function main() {
  const [first, ...rest] = process.argv.slice(2);
  const task =
    first !== undefined && Object.hasOwn(TASKS, first) ? /** @type {keyof typeof TASKS} */ (first) : null;
  if (first === '@dev') process.argv.splice(2, 1);
  else if (first?.startsWith('@') && !task) throw new LauncherError(`outcry has no task ${first}`);

  // Checks and tests build what they need themselves, so that both say something about sources that do not build.
  if (isCheckout(ROOT)) await prepare(task === null || task === '@build');
  else if (task) throw new LauncherError(`${task} works in a source checkout only`);

  const node = requireNode();
  if (task) {
    process.exitCode = await runTask(node, TASKS[task](rest));
  } else if (node === process.execPath && !(isatty(0) && isatty(1))) {
    process.setSourceMapsEnabled(true);
    whenOrphaned(() => process.kill(process.pid, 'SIGTERM'));
    await import(pathToFileURL(path.join(ROOT, 'dist/main.js')).href);
  } else {
    const args = [
      '--enable-source-maps',
      '--disable-sigusr1',
      path.join(ROOT, 'bin/child.js'),
      ...process.argv.slice(2),
    ];
    // At a terminal always a child: a desk that outlives its console must not hold the shell.
    const ended = await run(node, args, 'program');
    if (ended.signal || ended.stuck) await restoreTerminal();
    await endLike(ended);
  }
}

/**
 * Installs and builds, each only if need be.
 * @param {boolean} build
 */
async function prepare(build) {
  if (isInstalled(ROOT) && (!build || isBuilt(ROOT))) return;
  const onWait = (/** @type {number} */ pid) =>
    say(`waiting for another start in this folder (process ${pid})...`);
  await withLock(
    ROOT,
    async (helper) => {
      if (!isInstalled(ROOT)) await install(helper);
      if (build && !isBuilt(ROOT)) await buildProgram();
    },
    { onWait },
  );
}

/** @param {(pid: number | undefined) => void} onStart told npm's process, and when it has ended */
async function install(onStart) {
  say('installing dependencies...');
  clearInstallStamp(ROOT);
  // What the user's environment may leave out (NODE_ENV=production, omit=optional) is needed to build and to run.
  const args = [
    'ci',
    '--no-audit',
    '--no-fund',
    '--include=dev',
    '--include=optional',
    '--no-engine-strict',
    '--loglevel=error',
  ];
  const npm = npmCommand();
  const ended = await run(npm.command, [...npm.args, ...args], 'quiet', { shell: npm.shell, onStart });
  onStart(undefined);
  if (ended.signal) await endLike(ended);
  if (ended.code !== 0) {
    process.stderr.write(ended.output);
    throw new LauncherError('the dependencies could not be installed: npm ci failed, its output is above');
  }
  writeInstallStamp(ROOT);
}

/** npm as the script runner names it, else as found on the path. */
function npmCommand() {
  const script = process.env.npm_execpath ?? '';
  if (path.basename(script) === 'npm-cli.js')
    return { command: process.execPath, args: [script], shell: false };
  const windows = process.platform === 'win32';
  return { command: windows ? 'npm.cmd' : 'npm', args: [], shell: windows };
}

async function buildProgram() {
  try {
    const { buildDist } = await import('../scripts/build.mjs');
    await buildDist(ROOT);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    throw new LauncherError('the program could not be built, the reason is above');
  }
}

/** @returns {string} */
function requireNode() {
  const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const required = engines.node.replace(/^>=\s*/, '').replace(/\.0$/, '');
  const node = findNode({ root: ROOT, required });
  if (node === null)
    throw new LauncherError(`outcry needs Node >= ${required}, found ${process.versions.node}`);
  return node;
}

/**
 * Runs every command line, whatever the ones before said, unless a signal ends one; 1 if any failed.
 * @param {string} node
 * @param {string[][]} commandLines
 */
async function runTask(node, commandLines) {
  // Scripts that the tools start are to find the same Node.
  process.env.PATH = path.dirname(node) + path.delimiter + (process.env.PATH ?? '');
  process.chdir(ROOT);
  let code = 0;
  for (const args of commandLines) {
    const ended = await run(node, args, 'task');
    if (ended.signal) await endLike(ended);
    if (ended.code !== 0) code = 1;
  }
  return code;
}

/**
 * Runs a child to its end and passes signals on meanwhile.
 * @param {string} command
 * @param {string[]} args
 * @param {'program' | 'task' | 'quiet'} kind `program` has a channel by which it notices the launcher's death; `quiet`
 *   has its output collected
 * @param {{ shell?: boolean, onStart?: (pid: number | undefined) => void }} [options]
 * @returns {Promise<Ended>}
 */
function run(command, args, kind, { shell = false, onStart } = {}) {
  return new Promise((resolve, reject) => {
    let output = '';
    /** @type {NodeJS.Signals | null} */
    let received = null;
    /** What the program has said that it ends with. @type {number | null} */
    let leaving = null;
    /** @type {NodeJS.Timeout | undefined} */
    let limit;
    const endAfter = (/** @type {number} */ ms) => {
      clearTimeout(limit);
      limit = setTimeout(() => child.kill('SIGKILL'), ms);
    };
    /** @type {import('node:child_process').StdioOptions} */
    const stdio = kind === 'quiet' ? ['ignore', 'pipe', 'pipe'] : ['inherit', 'inherit', 'inherit'];
    if (kind === 'program' && Array.isArray(stdio)) stdio.push('ipc');
    const child = spawn(command, args, { stdio, shell, cwd: kind === 'quiet' ? ROOT : undefined });
    onStart?.(child.pid);
    const collect = (/** @type {Buffer} */ chunk) => {
      output += chunk;
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    const stopForwarding = forwardSignals((signal, forward) => {
      received = signal;
      if (forward) child.kill(signal);
      // A hang-up may mean that the program goes on without a terminal.
      if (kind === 'program' && signal !== 'SIGHUP') endAfter(STOP_LIMIT_MS);
    }, kind);
    const stopWatching = whenOrphaned(() => child.kill('SIGTERM'));
    child.on('error', (cause) => {
      stopForwarding();
      stopWatching();
      reject(new LauncherError(`cannot start ${command}: ${cause.message}`));
    });
    // The program goes on without a terminal (src/cli/console.ts): whoever waits for this launcher is to be free.
    child.on('message', (message) => {
      const said = /** @type {{ outcry?: string, code?: number }} */ (message);
      if (kind === 'program' && said?.outcry === 'leaving') {
        leaving = said.code ?? 1;
        endAfter(LEAVING_LIMIT_MS);
        return;
      }
      if (kind !== 'program' || said?.outcry !== 'detached') return;
      clearTimeout(limit);
      stopForwarding();
      child.disconnect();
      child.unref();
      resolve({ code: 0, signal: null, output });
    });
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      stopForwarding();
      stopWatching();
      // npm answers a signal with an error code; it was asked to stop all the same.
      if (leaving !== null && signal === 'SIGKILL')
        resolve({ code: leaving, signal: null, output, stuck: true });
      else resolve({ code, signal: kind === 'quiet' && code !== 0 ? (signal ?? received) : signal, output });
    });
  });
}

/**
 * Keeps the launcher alive under a signal until its child has ended of it. A keyboard's signals reach every process of
 * the terminal by themselves: tools get them only that way, the program once more (it takes repeats as one), since
 * nobody can tell a key from a `kill`.
 * @param {(signal: NodeJS.Signals, forward: boolean) => void} onSignal
 * @param {'program' | 'task' | 'quiet'} kind
 */
function forwardSignals(onSignal, kind) {
  /** @type {[NodeJS.Signals, () => void][]} */
  const handlers = [];
  for (const signal of FORWARDED) {
    const fromKeyboard = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
    const handler = () => onSignal(signal, kind === 'program' || !fromKeyboard);
    try {
      process.on(signal, handler);
      handlers.push([signal, handler]);
    } catch {
      // This system has no such signal.
    }
  }
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
}

/**
 * Under npm a signal for npm ends the shell between it and us and reaches us by no way but this: our parent changes. A
 * hang-up does that too, but reaches us as well, and what it means is the program's choice.
 * @param {() => void} stop
 * @returns {() => void} ends the watch
 */
function whenOrphaned(stop) {
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return () => {};
  const parent = process.ppid;
  const onHangUp = () => {
    end();
    // With nobody else to hear it, a hang-up ends a process.
    if (process.listenerCount('SIGHUP') === 0) process.kill(process.pid, 'SIGHUP');
  };
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    end();
    stop();
  }, PARENT_POLL_MS);
  timer.unref();
  const end = () => {
    clearInterval(timer);
    process.off('SIGHUP', onHangUp);
  };
  process.on('SIGHUP', onHangUp);
  return end;
}

/**
 * Ends as the child has ended: same code, or same signal. After a signal nothing else runs.
 * @param {Ended} ended
 * @returns {Promise<void>}
 */
function endLike({ code, signal }) {
  if (signal === null) {
    process.exitCode = code ?? 1;
    return Promise.resolve();
  }
  process.exitCode = 128 + (os.constants.signals[signal] ?? 0);
  process.kill(process.pid, signal);
  // Where the signal does not end this process (ignored by whoever started it), the code tells.
  setTimeout(() => process.exit(), SELF_KILL_GRACE_MS);
  return new Promise(() => {});
}

/** A program that was killed leaves the terminal as the console had it: raw, on its other screen, without a cursor. */
async function restoreTerminal() {
  if (isatty(1)) process.stdout.write('\x1b[?2004l\x1b[?1049l\x1b[?25h\x1b[0m');
  if (!isatty(0) || process.platform === 'win32') return;
  // What the terminal answers to the last question would be typed into the shell.
  process.stdin.setRawMode(true).resume();
  await new Promise((resolve) => setTimeout(resolve, LATE_ANSWER_MS));
  process.stdin.setRawMode(false).pause();
  spawnSync('stty', ['sane'], { stdio: 'inherit' });
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`outcry: ${text}\n`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof LauncherError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
