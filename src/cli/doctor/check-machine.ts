/** The doctor's checks of the machine: the Node version, core dumps, the clock, the terminal. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MIN_COLUMNS, MIN_ROWS } from '../../console/state/ui.ts';
import { colourDepth } from '../../console/ui/theme.ts';
import type { AccountView } from '../../desk/console/protocol.ts';
import { VERSION } from '../../desk/version.ts';
import { type Check, type Finding, fail, fine, moment, storeFile, warn } from './finding.ts';

/** Exchanges, and the desk's API, refuse requests whose clock differs by more than this. */
const CLOCK_FAIL_MS = 5_000;
const CLOCK_WARN_MS = 1_000;
/** Largest expected difference between file systems and machines that share one. */
const WRITTEN_LATER_MS = 60_000;

export const checkRuntime: Check = ({ world, desk, store }) => {
  const needed = neededNode();
  const running = `Outcry ${VERSION} on Node ${world.node}, ${world.platform}`;
  const findings: Finding[] = [
    needed === null || isAtLeast(world.node, needed)
      ? fine('runtime', running)
      : fail('runtime', `${running}; it needs Node ${needed}`, `install Node ${needed} or newer`),
  ];
  const core = world.coreBytes(desk.pid ?? 'self');
  const hasSecrets = store.state === 'there' && store.facts?.vault === true;
  if (core !== null && core > 0 && hasSecrets)
    findings.push(
      warn(
        'runtime',
        'core dumps are on: a crash could write open secrets of the vault to a disk',
        'ulimit -c 0 before the start, or LimitCORE=0 in the unit',
      ),
    );
  return findings;
};

/** Returns the Node version that the program's package.json requires; null: not found. */
function neededNode(): string | null {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    if (dirname(folder) === folder) return null;
    folder = dirname(folder);
  }
  const { engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    engines?: { node?: string };
  };
  return /^>=(\d+\.\d+\.\d+)$/.exec(engines?.node ?? '')?.[1] ?? null;
}

function isAtLeast(version: string, needed: string): boolean {
  const parts = (text: string) => text.split('.').map(Number);
  const [have, want] = [parts(version), parts(needed)];
  for (const [at, part] of want.entries()) if (have[at] !== part) return (have[at] ?? 0) > part;
  return true;
}

export const checkClock: Check = async ({ world, dataDir, desk }) => {
  const set = 'set the clock: timedatectl set-ntp true, or the settings of the system';
  const now = world.now();
  const files = [storeFile(dataDir), `${storeFile(dataDir)}-wal`, join(dataDir, 'log/outcry.log')];
  const written = Math.max(...files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0));
  if (written > now + WRITTEN_LATER_MS)
    return [
      fail('clock', `it says ${moment(now)}, but the data folder was written at ${moment(written)}`, set),
    ];
  const worst = worstOffset(desk.state?.accounts ?? []);
  if (worst && Math.abs(worst.ms) > CLOCK_WARN_MS) {
    const text = `it differs from that of ${worst.id} by ${(Math.abs(worst.ms) / 1_000).toFixed(1)} s`;
    return [Math.abs(worst.ms) > CLOCK_FAIL_MS ? fail('clock', text, set) : warn('clock', text, set)];
  }
  const jump = desk.state?.clock.jump;
  if (jump)
    return [
      warn(
        'clock',
        `it has jumped by ${(jump.byMs / 1_000).toFixed(1)} s at ${moment(jump.at)}, while the desk ran`,
        'see that something keeps it right, such as chrony or systemd-timesyncd, and that the machine does not sleep',
      ),
    ];
  if ((await keptByNetwork(world)) === false)
    return [warn('clock', `${moment(now)}; nothing keeps it right`, set)];
  return [fine('clock', worst ? `${moment(now)}, ${Math.round(worst.ms)} ms off ${worst.id}` : moment(now))];
};

function worstOffset(accounts: readonly AccountView[]): { readonly id: string; readonly ms: number } | null {
  let worst: { id: string; ms: number } | null = null;
  for (const { id, clockOffsetMs: ms, paper } of accounts)
    if (ms !== null && paper === null && Math.abs(ms) >= Math.abs(worst?.ms ?? 0)) worst = { id, ms };
  return worst;
}

/** Tells whether the network sets the clock; null: the system does not say. */
async function keptByNetwork({ ask, platform }: Parameters<Check>[0]['world']): Promise<boolean | null> {
  if (platform !== 'linux') return null;
  const said = (await ask('timedatectl', ['show', '--property=NTPSynchronized', '--value']))?.trim();
  return said === 'yes' ? true : said === 'no' ? false : null;
}

export const checkTerminal: Check = ({ world: { env, terminal } }) => {
  if (!terminal) return [fine('terminal', 'none here, and a desk needs none: outcry serve')];
  const { TERM: term = '', LC_ALL, LC_CTYPE, LANG } = env;
  const { columns, rows } = terminal;
  if (term === '' || term === 'dumb' || term === 'unknown')
    return [
      warn(
        'terminal',
        `TERM is ${term || 'not set'}: the console can only write lines there, as for a screen reader`,
        'use a terminal that can draw, and let it set TERM, such as xterm-256color',
      ),
    ];
  const findings: Finding[] = [];
  if (columns < MIN_COLUMNS || rows < MIN_ROWS)
    findings.push(
      warn(
        'terminal',
        `it has ${columns}x${rows} cells; the console needs ${MIN_COLUMNS}x${MIN_ROWS}`,
        'make the window larger',
      ),
    );
  const language = LC_ALL || LC_CTYPE || LANG || '';
  if (!/utf-?8/i.test(language))
    findings.push(
      warn(
        'terminal',
        `its language is ${language || 'not set'}, which is not UTF-8: lines may be drawn as other characters`,
        'export LANG=C.UTF-8, or start with --ascii',
      ),
    );
  const depth = colourDepth(env);
  if (findings.length === 0)
    findings.push(fine('terminal', `${term}, ${columns}x${rows}, colours: ${depth}`));
  return findings;
};
