/**
 * Composition root: options in, one running desk out, in four phases: files, trading, facades, running. A
 * first start and a start after a crash take this same path. Whatever cannot be opened ends in a
 * DeskStartError of one clear sentence, with nothing damaged.
 */
import { randomBytes } from 'node:crypto';
import { selfTest } from '../access/self-test.ts';
import { ApiStartError } from '../api/start-api.ts';
import type { Clock, Random } from '../domain/clock.ts';
import { errorText } from '../domain/errors.ts';
import { FeedError } from '../market/feed.ts';
import type { Target } from '../notify/target.ts';
import { DataFolderError } from '../store/data-folder.ts';
import type { openSqliteStore } from '../store/sqlite/index.ts';
import { StoreError } from '../store/store.ts';
import type { ConfigFile } from './connections/connections.ts';
import type { DeskCore } from './core/desk-core.ts';
import { copyTo } from './core/log-copy.ts';
import { type Facades, openFacades } from './facades.ts';
import { type DeskFiles, openFiles } from './files.ts';
import { systemClock } from './hosting/transports/system-clock.ts';
import { type CompiledDeskOptions, compileDeskOptions } from './options.ts';
import type { DeskOptions, RunningDesk } from './running.ts';
import { type OwnSsh, openSsh } from './ssh/open-ssh.ts';
import type { StartProgram } from './ssh/sshd-process.ts';
import { DeskStartError } from './start-error.ts';
import { openTrading, type Trading, type TradingPorts } from './trading.ts';
import { unlockAtStart } from './vault/desk-vault.ts';

/** Replacements that tests give for the real thing. */
export interface DeskPorts extends TradingPorts {
  readonly openStore?: typeof openSqliteStore;
  /** Starts the program that replaces sshd. */
  readonly startSshd?: StartProgram;
}

type Ending = { readonly reason: string; readonly exitCode: 0 | 1 };

export async function openDesk(
  given: DeskOptions,
  clock: Clock = systemClock,
  ports: DeskPorts = {},
): Promise<RunningDesk> {
  const closers: (() => void | Promise<void>)[] = [];
  try {
    return await open(compileDeskOptions(given), clock, ports, closers);
  } catch (error) {
    for (const close of closers.reverse()) await close();
    throw startError(error);
  }
}

/** @param closers gets a function for each opened thing that closes it, for a start that fails later */
async function open(
  options: CompiledDeskOptions,
  clock: Clock,
  ports: DeskPorts,
  closers: (() => void | Promise<void>)[],
): Promise<RunningDesk> {
  const problem = selfTest();
  if (problem) throw new DeskStartError(problem, 1);
  let core: DeskCore | null = null;
  /** Warnings of the log from before there is a desk that can report them. */
  const early: string[] = [];
  const files = openFiles({
    dataDir: options.dataDir,
    ...(ports.openStore ? { openStore: ports.openStore } : {}),
    maintainFailed: (error) => trading.core.report('error', 'store', `maintenance: ${String(error)}`),
    log: {
      ...(options.logStderr ? { copy: copyTo(process.stderr) } : {}),
      failed(problem) {
        if (options.headless && !options.logStderr) process.stderr.write(`outcry: ${problem}\n`);
        if (core) core.report('error', 'desk', problem);
        else early.push(problem);
      },
    },
  });
  closers.push(() => files.close());
  const { promise: stopping, resolve: stopNow } = Promise.withResolvers<Ending>();
  const trading: Trading = openTrading({
    options,
    ports,
    clock,
    random,
    store: files.store,
    config: { ...configFile(options.dataDir), opensVault: options.vaultPassphraseFile !== null },
    place: files.place,
    takeover: options.takeover,
    targets: await targetsOf(options),
    notices: options.notices,
    logFile: files.writeLog,
    fatal: (reason) => {
      files.writeLog({ at: clock.wall(), level: 'error', source: 'desk', text: reason });
      stopNow({ reason, exitCode: 1 });
    },
  });
  core = trading.core;
  for (const problem of early) core.report('error', 'desk', problem);
  closers.push(() => trading.deliveries.stop());
  await unlockAtStart(trading.vault, options.vaultPassphraseFile, (...line) => trading.core.report(...line));
  await trading.start();
  closers.push(() => trading.core.stop());
  const ssh = await openSsh({ options, clock, trading, start: ports.startSshd });
  closers.push(() => ssh.stop());
  const facades = await openFacades({
    options,
    clock,
    trading,
    ssh,
    store: files.store,
    stop: (reason) => stopNow({ reason, exitCode: 0 }),
  });
  closers.push(() => facades.close());
  return run(options, { files, trading, ssh, facades }, stopping, stopNow);
}

/** Runs the last phase: reports what there is to report, and starts the market. */
function run(
  options: CompiledDeskOptions,
  { files, trading, ssh, facades }: { files: DeskFiles; trading: Trading; ssh: OwnSsh; facades: Facades },
  stopping: Promise<Ending>,
  stopNow: (ending: Ending) => void,
): RunningDesk {
  const { core, market } = trading;
  for (const warning of [...files.warnings, ...options.warnings]) core.report('warn', 'desk', warning);
  core.report(
    'info',
    'desk',
    `desk started on ${options.dataDir}, API at ${facades.api.url}, feed ${market.feed.label}`,
  );
  trading.run();
  void ssh.start();
  /**
   * In order: no logins, no new ticks, no new requests, nothing pending, everything stored, no secret in
   * memory.
   */
  const end = async (reason: string) => {
    stopNow({ reason, exitCode: 0 });
    await ssh.stop();
    await trading.halt();
    await facades.close();
    await trading.close(reason);
    trading.vault.end();
    files.close();
  };
  let stopped: Promise<void> | null = null;
  return {
    info: facades.info,
    call: facades.call,
    state: facades.state,
    delta: facades.delta,
    look: facades.look,
    onChange: (listener) => core.onChange(listener),
    roster: trading.people.operators,
    pin: trading.people.pin,
    audit: (level, text) => core.report(level, 'ssh', text),
    report: (doing, error) => core.report('error', 'desk', `${doing}: ${errorText(error)}`),
    stopping,
    stop: (reason) => {
      stopped ??= end(reason);
      return stopped;
    },
  };
}

const BASE32 = '0123456789abcdefghijklmnopqrstuv';

/** Bytes read at once from the system's random source: a call costs more than an id. */
const POOL_BYTES = 4_096;
let pool = Buffer.alloc(0);

/** Returns random bytes; each byte is used once. */
function randomBytesOf(length: number): Buffer {
  if (length > POOL_BYTES) return randomBytes(length);
  if (pool.length < length) pool = randomBytes(POOL_BYTES);
  const bytes = pool.subarray(0, length);
  pool = pool.subarray(length);
  return bytes;
}

const random: Random = {
  id(length) {
    let id = '';
    for (const byte of randomBytesOf(length)) id += BASE32[byte & 31];
    return id;
  },
  next: () => randomBytesOf(6).readUIntBE(0, 6) / 2 ** 48,
};

/** Returns access to the configuration file; the code that changes it is loaded only when it is changed. */
function configFile(dataDir: string): ConfigFile {
  const blocks = () => import('./connections/config-block.ts');
  return {
    append: async (connection) => (await blocks()).appendBlock(dataDir, connection),
    remove: async (name) => {
      (await blocks()).removeBlock(dataDir, name);
    },
  };
}

/** Makes the notification targets; the code that sends is loaded only if there are any. */
async function targetsOf({ targets }: CompiledDeskOptions): Promise<ReadonlyMap<string, Target>> {
  if (targets.length === 0) return new Map();
  const { createTargets } = await import('../notify/index.ts');
  return createTargets(targets);
}

/** Returns any error of a start as one with a sentence. */
function startError(error: unknown): DeskStartError {
  if (error instanceof DeskStartError) return error;
  const known =
    error instanceof DataFolderError ||
    error instanceof StoreError ||
    error instanceof ApiStartError ||
    error instanceof FeedError;
  if (!known) return new DeskStartError(`the desk could not start: ${String(error)}`, 1, error);
  const usage =
    error instanceof FeedError || (error instanceof ApiStartError && ['HOST', 'TLS'].includes(error.code));
  return new DeskStartError(error.message, usage ? 2 : 1, error);
}
