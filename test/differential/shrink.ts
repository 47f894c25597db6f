/**
 * Shrinks a case that differs while it still differs in the same way: fewer events, kills and settings,
 * shorter numbers.
 */
import type { DiffCase, Mode } from './case.ts';
import { type Planted, type Played, playCase } from './play.ts';

/** Maximum number of tries: a case takes some 50 ms. */
const TRIES_MAX = 600;

/**
 * The kind of line that differs first, and the errors of runs that ended in ERROR: a smaller case must
 * differ in the same way.
 */
export function signatureOf({ difference, expected, got }: Played): string | null {
  if (!difference) return null;
  const word = (line: string | null) => {
    const [first = 'none', , , side = ''] = (line ?? 'none').split(' ');
    return first === 'fill' ? `fill ${side}` : first;
  };
  const errors = (lines: readonly string[]) =>
    lines.flatMap((line) => /^(?:run .*?|broken): (.*)/.exec(line)?.[1]?.replaceAll(/[\d.]+/g, '0') ?? []);
  return [word(difference.expected), word(difference.got), errors(expected)[0], errors(got)[0]].join('|');
}

/** `onTry`: called before each candidate is played. */
export async function shrunk(
  one: DiffCase,
  mode: Mode,
  planted: Planted = {},
  onTry: () => void = () => {},
): Promise<DiffCase> {
  const signature = signatureOf(await playCase(one, mode, planted));
  if (signature === null) return one;
  let best = one;
  let tries = 0;
  for (let improved = true; improved && tries < TRIES_MAX; ) {
    improved = false;
    for (const candidate of candidates(best)) {
      if (tries >= TRIES_MAX) break;
      const smaller = candidate();
      if (!smaller || sizeOf(smaller) >= sizeOf(best)) continue;
      tries++;
      onTry();
      if (signatureOf(await playCase(smaller, mode, planted)) !== signature) continue;
      best = smaller;
      improved = true;
      break;
    }
  }
  return best;
}

type Candidate = () => DiffCase | null;

function sizeOf(one: DiffCase): number {
  return JSON.stringify(one).length;
}

/** Large cuts first. */
function* candidates(one: DiffCase): Generator<Candidate> {
  const { scenario } = one;
  const { events } = scenario;
  for (let length = events.length >> 1; length >= 1; length >>= 1) {
    for (let at = events.length - length; at >= 0; at -= length) {
      yield () => withoutEvents(one, at, length);
    }
  }
  for (let i = 0; i < one.kills.length; i++)
    yield () => ({ ...one, kills: one.kills.filter((_, other) => other !== i) });
  for (const name of ['options', 'history', 'participation', 'position', 'targets'] as const) {
    if (scenario[name] === undefined) continue;
    yield () => {
      const { [name]: _, ...rest } = scenario;
      return { ...one, scenario: rest };
    };
  }
  if (Array.isArray(scenario.history)) {
    const rows = scenario.history;
    yield () => ({ ...one, scenario: { ...scenario, history: rows.slice(rows.length >> 1) } });
  }
  for (const path of pathsOf(scenario.settings)) {
    yield () => withSettings(one, (settings) => removed(settings, path));
  }
  for (const field of ['makerRate', 'takerRate'] as const) {
    const { instrument } = scenario;
    if (instrument && instrument[field] !== '0')
      yield () => ({ ...one, scenario: { ...scenario, instrument: { ...instrument, [field]: '0' } } });
  }
  for (let i = 0; i < events.length; i++) yield () => plainer(one, i);
  for (const path of pathsOf(scenario.settings)) {
    yield () => withSettings(one, (settings) => rounder(settings, path));
  }
}

function withoutEvents(one: DiffCase, at: number, length: number): DiffCase | null {
  const { events } = one.scenario;
  const left = [...events.slice(0, at), ...events.slice(at + length)];
  if (!left.some((event) => 'tick' in event)) return null;
  const kills = one.kills
    .map((kill) => ({
      ...kill,
      event: kill.event >= at + length ? kill.event - length : Math.min(kill.event, at),
    }))
    .filter(({ event }) => event < left.length);
  return { ...one, kills, scenario: { ...one.scenario, events: left } };
}

/** The case with a tick that has no volume, or a shorter number. */
function plainer(one: DiffCase, at: number): DiffCase | null {
  const event = one.scenario.events[at];
  if (!event || !('tick' in event) || event.volume === undefined) return null;
  const { volume: _, ...bare } = event;
  const events = one.scenario.events.with(at, bare);
  return { ...one, scenario: { ...one.scenario, events } };
}

type Path = readonly (string | number)[];

/** Paths of all values within, the outer ones first. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Object.keys(value).map((key) => [...path, Array.isArray(value) ? Number(key) : key]);
  return [
    ...own,
    ...own.flatMap((inner) => pathsOf((value as Record<string, unknown>)[inner.at(-1) as string], inner)),
  ];
}

function withSettings(
  one: DiffCase,
  change: (settings: Record<string, unknown>) => boolean,
): DiffCase | null {
  const settings = structuredClone(one.scenario.settings) as Record<string, unknown>;
  return change(settings) ? { ...one, scenario: { ...one.scenario, settings } } : null;
}

function holderOf(settings: Record<string, unknown>, path: Path): Record<string, unknown> {
  let holder = settings;
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
  return holder;
}

function removed(settings: Record<string, unknown>, path: Path): boolean {
  const holder = holderOf(settings, path);
  const key = path.at(-1) as string | number;
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
  return true;
}

/** Shortens a number by one digit. */
function rounder(settings: Record<string, unknown>, path: Path): boolean {
  const holder = holderOf(settings, path);
  const key = path.at(-1) as string;
  const text = holder[key];
  if (typeof text !== 'string' || !/^-?\d+\.\d+$/.test(text)) return false;
  holder[key] = Number(text).toFixed((text.split('.')[1] ?? '').length - 1);
  return true;
}
