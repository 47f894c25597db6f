/**
 * `outcry doctor`: what keeps a desk from running well, one line per finding with its remedy. It works
 * whether or not a desk runs, writes nothing, starts nothing, sends no request to an exchange, and ends
 * within `DOCTOR_LIMIT_MS`. Exit code 1 if something fails, else 0.
 */
import { join } from 'node:path';
import type { DeskClient } from '../../desk/console/protocol.ts';
import { VERSION } from '../../desk/version.ts';
import { errorText } from '../../domain/errors.ts';
import { resolveDataFolder } from '../../store/data-folder.ts';
import { lookAtStore } from '../../store/sqlite/look.ts';
import { readConfig } from '../config.ts';
import { introduction, stateOf } from '../desk-state.ts';
import { jsonLine } from '../json-line.ts';
import { processShell, type Shell } from '../light-desk.ts';
import { shownInLine } from '../shown.ts';
import { EXIT_FAILURE, EXIT_OK } from '../usage-error.ts';
import { checkConnections } from './check-connections.ts';
import { checkDesk, checkPort } from './check-desk.ts';
import { checkDisk, checkFolder, readPid } from './check-folder.ts';
import { checkClock, checkRuntime, checkTerminal } from './check-machine.ts';
import { checkSshd } from './check-sshd.ts';
import { checkConfig, checkHeld, checkStore } from './check-store.ts';
import { type Case, type Check, type DeskLook, type Finding, fail, storeFile } from './finding.ts';
import { realWorld, type World } from './world.ts';

export interface DoctorSettings {
  readonly dataDir?: string;
  readonly json?: boolean;
}

/** Time limit of one check, and of reading the desk's state. */
export const CHECK_LIMIT_MS = 6_000;
/** Time limit of all checks, which run at the same time. */
export const DOCTOR_LIMIT_MS = 2 * CHECK_LIMIT_MS;

/** The checks, in the order in which they are shown. */
const CHECKS: readonly (readonly [name: string, check: Check])[] = [
  ['runtime', checkRuntime],
  ['folder', checkFolder],
  ['disk', checkDisk],
  ['config', checkConfig],
  ['store', checkStore],
  ['desk', checkDesk],
  ['port', checkPort],
  ['clock', checkClock],
  ['terminal', checkTerminal],
  ['sshd', checkSshd],
  ['connections', checkConnections],
  ['stops', checkHeld],
];

export async function doctor(
  settings: DoctorSettings,
  shell: Shell = processShell(),
  world: World = realWorld(shell),
): Promise<number> {
  const dataDir = resolveDataFolder({ dataDir: settings.dataDir, env: world.env });
  const findings = await examine(dataDir, world);
  const failed = findings.some(({ level }) => level === 'fail');
  const report = { version: VERSION, at: world.now(), dataDir, ok: !failed, lines: findings };
  shell.out(settings.json ? `${jsonLine(report)}\n` : textOf(findings));
  return failed ? EXIT_FAILURE : EXIT_OK;
}

/** Returns all findings, in the order of the checks. Never rejects. */
export async function examine(dataDir: string, world: World): Promise<readonly Finding[]> {
  const one: Case = {
    world,
    dataDir,
    config: configOf(dataDir),
    store: lookAtStore(storeFile(dataDir)),
    desk: await limited(lookAtDesk(dataDir, world), (problem) => ({ ...NO_DESK, problem })),
  };
  const found = CHECKS.map(([name, check]) =>
    limited((async () => check(one))(), (problem): readonly Finding[] => [
      fail(name, `it could not be looked at: ${problem}`, 'look again'),
    ]),
  );
  return (await Promise.all(found)).flat();
}

const NO_DESK: DeskLook = {
  pid: null,
  state: null,
  locked: false,
  connections: null,
  operators: null,
  problem: null,
  runs: false,
};

function configOf(dataDir: string): Case['config'] {
  try {
    return readConfig(dataDir);
  } catch (error) {
    return { problem: errorText(error) };
  }
}

async function lookAtDesk(dataDir: string, world: World): Promise<DeskLook> {
  const pid = readPid(join(dataDir, 'outcry.pid'));
  const living = pid !== null && world.lives(pid) ? pid : null;
  let calls: DeskClient | null = null;
  let screen: DeskClient | null = null;
  try {
    calls = await world.connect(dataDir, introduction({}, false));
    if (!calls) return { ...NO_DESK, pid: living };
    // A refused call does not affect the other.
    const [connections, operators] = await Promise.all([
      calls.call('connections.list', {}).catch(() => null),
      calls.call('operators.list', {}).catch(() => null),
    ]);
    screen = await world.connect(dataDir, introduction({}, true)).catch(() => null);
    const state = screen ? await stateOf(screen).catch(() => null) : null;
    const locked = state?.me?.locked != null;
    return {
      pid: living,
      connections,
      locked,
      problem: null,
      runs: true,
      state: locked ? null : state,
      operators: operators?.length ?? null,
    };
  } catch (error) {
    return { ...NO_DESK, pid: living, problem: errorText(error) };
  } finally {
    calls?.close();
    screen?.close();
  }
}

/** Returns the result of `work`, or `otherwise` with the reason if it fails or is too late. */
async function limited<T>(work: Promise<T>, otherwise: (problem: string) => T): Promise<T> {
  const { promise: late, resolve } = Promise.withResolvers<T>();
  const limit = setTimeout(
    () => resolve(otherwise(`no answer within ${CHECK_LIMIT_MS / 1_000} s`)),
    CHECK_LIMIT_MS,
  );
  try {
    return await Promise.race([work.catch((error: unknown) => otherwise(errorText(error))), late]);
  } finally {
    clearTimeout(limit);
  }
}

const MARKS = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' } as const;

function textOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .map(({ check, level, text, remedy }) => {
      const line = `${MARKS[level]}  ${check.padEnd(width)}  ${shownInLine(text)}\n`;
      return remedy === null ? line : `${line}${' '.repeat(width + 8)}do: ${shownInLine(remedy)}\n`;
    })
    .join('');
}
