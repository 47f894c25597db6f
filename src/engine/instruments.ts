/**
 * Changes of what an exchange trades while the desk runs: new numbers count from now on, and a symbol that
 * the exchange does not list any more keeps its last ones. Each change is logged once.
 */
import { type Dec, dec } from '../domain/decimal.ts';
import type { Instrument } from '../domain/instrument.ts';
import type { LeverageBracket } from '../domain/position.ts';
import { utcText } from '../domain/utc-time.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';

/** Most symbols kept that are not traded any more and have nothing open; the oldest are forgotten first. */
const DELISTED_MAX = 1_000;
/** Most changed symbols that the log names; for the others it gives their number. */
const LINES_MAX = 5;

/** Figures of an instrument, with their names; null: reported as a general change. */
const FIGURES = {
  tickSize: 'tick size',
  stepSize: 'step size',
  minQty: 'least quantity',
  minNotional: 'least order value',
  multiplier: 'multiplier',
  maxQty: null,
  marketMaxQty: null,
  minPrice: null,
  maxPrice: null,
  maxNotional: null,
  percentDown: null,
  percentUp: null,
} as const satisfies Partial<Record<keyof Instrument, string | null>>;
const OTHERS = [
  'base',
  'quote',
  'kind',
  'trailingMinBps',
  'trailingMaxBps',
  'maxOrders',
  'maxIcebergParts',
] as const satisfies readonly (keyof Instrument)[];

export interface InstrumentChange {
  /** The instruments traded now, followed by those not traded any more, the longest gone first. */
  readonly list: readonly Instrument[];
  /** Symbols that are new, or traded again. */
  readonly listed: readonly string[];
  readonly delisted: readonly string[];
  /** For symbols that stay: what has changed, in words. */
  readonly changed: ReadonlyMap<string, string>;
}

/** Returns the changes by an exchange's complete list; null: none. An empty list means nothing. */
export function changeOfInstruments(
  known: ReadonlyMap<string, Instrument>,
  list: readonly Instrument[],
): InstrumentChange | null {
  if (list.length === 0) return null;
  const now = new Map(list.map((one) => [one.symbol, one]));
  const listed: string[] = [];
  const changed = new Map<string, string>();
  for (const one of now.values()) {
    const before = known.get(one.symbol);
    if (!before || before.delisted) listed.push(one.symbol);
    else {
      const words = wordsOf(before, one);
      if (words !== null) changed.set(one.symbol, words);
    }
  }
  const missing = [...known.values()].filter(({ symbol }) => !now.has(symbol));
  const goneBefore = missing.filter((one) => one.delisted);
  const gone = missing.filter((one) => !one.delisted).map((one) => ({ ...one, delisted: true }) as const);
  const delisted = gone.map(({ symbol }) => symbol);
  if (listed.length === 0 && delisted.length === 0 && changed.size === 0) return null;
  return { list: [...now.values(), ...goneBefore, ...gone], listed, delisted, changed };
}

/** Handles an exchange's complete list. */
export function onInstruments(
  step: StepContext,
  exchange: string,
  list: readonly Instrument[],
  brackets: ReadonlyMap<string, readonly LeverageBracket[]> = new Map(),
): void {
  const account = step.memory.account(exchange);
  const isFirst = account.instruments.size === 0;
  const change = changeOfInstruments(account.instruments, list);
  // Brackets are known only once the account is connected, even where the instruments were known before.
  const next = change ? withoutOldest(step.memory, account, change.list) : [...account.instruments.values()];
  step.memory.setInstruments(exchange, next, (symbol) => brackets.get(symbol) ?? []);
  if (!change) return;
  const { listed, delisted, changed } = change;
  step.effect({
    kind: 'instruments',
    exchange,
    symbols: [...listed, ...delisted, ...changed.keys()],
    delisted,
    listed,
  });
  if (isFirst) return;
  const isUsed = (symbol: string) => isInUse(step.memory, account, symbol);
  for (const { text, level } of linesOf(exchange, change, isUsed)) step.effect({ kind: 'log', level, text });
}

/** Returns the symbols that can be traded there, without the delisted ones. */
export function tradedSymbols({ instruments }: Pick<AccountMemory, 'instruments'>): string[] {
  return [...instruments.values()].filter(({ delisted }) => !delisted).map(({ symbol }) => symbol);
}

/** Returns the log lines: symbols with something open first, then the others in their order. */
function linesOf(
  exchange: string,
  { listed, delisted, changed }: InstrumentChange,
  isUsed: (symbol: string) => boolean,
): { text: string; level: 'info' | 'warn' }[] {
  const all = [
    ...delisted.map((symbol) => ({ symbol, text: 'is no longer traded', gone: true })),
    ...[...changed].map(([symbol, words]) => ({ symbol, text: `has ${words}`, gone: false })),
    ...listed.map((symbol) => ({ symbol, text: 'is traded now', gone: false })),
  ].map((one) => ({ ...one, used: isUsed(one.symbol) }));
  const ordered = [...all.filter(({ used }) => used), ...all.filter(({ used }) => !used)];
  const lines = ordered.slice(0, LINES_MAX).map(({ symbol, text, gone, used }) => ({
    text: `${exchange}: ${symbol} ${text}`,
    level: gone && used ? ('warn' as const) : ('info' as const),
  }));
  const more = all.length - lines.length;
  if (more > 0) {
    const text = `${exchange}: ${more} more ${more === 1 ? 'symbol has' : 'symbols have'} changed`;
    lines.push({ text, level: 'info' });
  }
  return lines;
}

/** Returns `a new tick size 0.1 (was 0.01)`; null: nothing has changed. */
function wordsOf(before: Instrument, now: Instrument): string | null {
  const words: string[] = [];
  let other = OTHERS.some((name) => before[name] !== now[name]);
  for (const [name, word] of Object.entries(FIGURES) as [keyof typeof FIGURES, string | null][]) {
    const [was, is] = [before[name] ?? '1', now[name] ?? '1'];
    if (was === is || figure(was) === figure(is)) continue;
    if (word === null) other = true;
    else words.push(`a new ${word} ${is} (was ${was})`);
  }
  if (before.halt !== now.halt)
    words.push(now.halt === undefined ? 'entries again' : `no entries: it is ${now.halt}`);
  if (before.endsAt !== now.endsAt)
    words.push(now.endsAt === undefined ? 'no end any more' : `an end: ${utcText(now.endsAt)}`);
  if (other) words.push('other limits');
  return words.length > 0 ? words.join(', ') : null;
}

function figure(text: string): Dec {
  return dec(text);
}

export function isInUse(memory: EngineMemory, account: AccountMemory, symbol: string): boolean {
  if (memory.openOn(account.account.id, symbol) > 0) return true;
  return [...(account.futures?.positions.values() ?? [])].some((position) => position.symbol === symbol);
}

function withoutOldest(
  memory: EngineMemory,
  account: AccountMemory,
  list: readonly Instrument[],
): readonly Instrument[] {
  const idle = list.filter(({ delisted, symbol }) => delisted && !isInUse(memory, account, symbol));
  const forgotten = new Set(idle.slice(0, Math.max(0, idle.length - DELISTED_MAX)));
  return forgotten.size === 0 ? list : list.filter((one) => !forgotten.has(one));
}
