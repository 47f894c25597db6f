/**
 * The format of a strategy scenario (`design/scenarios/README.md`) and the comparison of the outcome with
 * what it expects.
 */
import { historyOf as tableHistory, tableOfCandles } from '../../src/bots/market/candle-table.ts';
import type { RunFigures } from '../../src/domain/bot.ts';
import { dec, roundTo, str } from '../../src/domain/decimal.ts';
import type { Candle } from '../../src/domain/rows.ts';

export interface ScenarioFile {
  readonly format: 1;
  readonly type: string;
  readonly scenarios: readonly Scenario[];
}

export interface ScenarioInstrument {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly kind: 'spot' | 'futures';
  readonly tickSize: string;
  readonly stepSize: string;
  readonly minQty: string;
  readonly minNotional: string;
  readonly makerRate: string;
  readonly takerRate: string;
}

export type CandleRow = readonly [number, string, string, string, string, string];

export interface ExpectedOrder {
  readonly side: string;
  readonly type: string;
  readonly price?: string;
  readonly stopPrice?: string;
  readonly qty: string;
}

export type ScenarioEvent = { readonly at: number } & (
  | { readonly tick: string; readonly volume?: string; readonly symbol?: string }
  | {
      readonly command: { readonly message: string; readonly params: Readonly<Record<string, unknown>> };
    }
  | { readonly stop: { readonly cleanup?: string; readonly action?: string; readonly force?: boolean } }
  | { readonly advance: true }
  | { readonly expectOpen: readonly ExpectedOrder[] }
);

export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly instrument?: ScenarioInstrument;
  readonly instruments?: readonly ScenarioInstrument[];
  readonly balances?: Readonly<Record<string, string>>;
  readonly position?: { readonly amount: string; readonly entryPrice: string };
  readonly settings: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly history?: readonly CandleRow[] | Readonly<Record<string, readonly CandleRow[]>>;
  readonly start: number;
  /**
   * Beyond the format: share of a tick's volume that orders can take; futures: the account is in hedge mode.
   */
  readonly participation?: string;
  readonly hedge?: boolean;
  /** Last price before the start; left out: none is known. */
  readonly known?: string;
  /** Where alerts may be sent, by name. */
  readonly targets?: readonly string[];
  readonly events: readonly ScenarioEvent[];
  readonly expect: {
    readonly startError?: readonly string[];
    readonly fills?: readonly {
      readonly at: number;
      readonly side: string;
      readonly price: string;
      readonly qty: string;
      readonly maker: boolean;
    }[];
    readonly open?: readonly ExpectedOrder[];
    readonly balances?: Readonly<Record<string, { readonly total: string }>>;
    readonly position?: { readonly amount: string; readonly entryPrice: string } | null;
    readonly alerts?: readonly {
      readonly at: number;
      readonly symbol: string;
      readonly condition: string;
    }[];
    readonly status?: string;
    readonly state?: string;
    readonly reason?: string;
    readonly stats?: Readonly<Record<string, string | number>>;
  };
}

/** The outcome of a scenario, in the words of the format. */
export interface Outcome {
  readonly startError: string | null;
  readonly fills: readonly {
    at: number;
    side: string;
    price: string;
    qty: string;
    maker: boolean;
    /** For example `0.1 USDT`. */
    fee?: string;
    /** The strategy's label of the order. */
    label?: string;
  }[];
  readonly open: readonly ExpectedOrder[];
  readonly balances: Readonly<Record<string, { total: string }>>;
  readonly position: { amount: string; entryPrice: string } | null;
  readonly alerts: readonly { at: number; symbol: string; condition: string }[];
  readonly status: string;
  readonly state: string;
  readonly reason: string | null;
  readonly stats: Readonly<Record<string, string | number>>;
  /** Differences seen at `expectOpen` events. */
  readonly opens: readonly string[];
  /** Commands that were refused; the format does not expect anything about them. */
  readonly refused?: readonly string[];
  /** Every run, oldest first; the format covers the last one only. */
  readonly runs?: readonly RunOutcome[];
  /** Lots of the last run while it goes on. */
  readonly lots?: readonly string[];
  /** The exchange has liquidated the position; a tick market has no liquidations. */
  readonly liquidated?: boolean;
  /** The exchange has refused a price too far from the mark; a tick market does not do that. */
  readonly outOfBand?: boolean;
}

export interface RunOutcome {
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly reason: string | null;
  readonly error: string | null;
  readonly figures: RunFigures;
}

const PLACES = dec('0.000000000001');

/** Decimals as the format compares them: numbers rounded to 12 places. */
export function rounded(value: string | number): string {
  return str(roundTo(dec(String(value)), PLACES));
}

/** Returns every difference, a line each; empty = the scenario passes. */
export function differences(scenario: Scenario, outcome: Outcome): string[] {
  const { expect } = scenario;
  if (expect.startError) {
    const text = outcome.startError;
    if (text === null) return ['the start was expected to fail'];
    return expect.startError
      .filter((part) => !text.includes(part))
      .map((part) => `not in the error: ${part} (got: ${text})`);
  }
  if (outcome.startError !== null) return [`the start failed: ${outcome.startError}`];
  const lines = [...outcome.opens];
  const compare = (what: string, wanted: unknown, got: unknown) => {
    const a = JSON.stringify(wanted);
    const b = JSON.stringify(got);
    if (a !== b) lines.push(`${what}: expected ${a}, got ${b}`);
  };
  if (expect.fills) {
    const shape = (f: (typeof outcome.fills)[number]) =>
      `${f.at} ${f.side} ${rounded(f.qty)} at ${rounded(f.price)}${f.maker ? ' maker' : ' taker'}`;
    const wanted = expect.fills.map(shape);
    const got = outcome.fills.map(shape);
    for (let i = 0; i < Math.max(wanted.length, got.length); i++) {
      if (wanted[i] !== got[i])
        lines.push(`fill ${i}: expected ${wanted[i] ?? 'none'}, got ${got[i] ?? 'none'}`);
    }
  }
  if (expect.open) lines.push(...openDifferences('open at the end', expect.open, outcome.open));
  for (const [asset, { total }] of Object.entries(expect.balances ?? {})) {
    compare(`balance of ${asset}`, rounded(total), rounded(outcome.balances[asset]?.total ?? '0'));
  }
  if (expect.position !== undefined) {
    const shape = (p: { amount: string; entryPrice: string } | null) =>
      p && { amount: rounded(p.amount), entryPrice: rounded(p.entryPrice) };
    compare('position', shape(expect.position), shape(outcome.position));
  }
  if (expect.alerts) compare('alerts', expect.alerts, outcome.alerts);
  for (const name of ['status', 'state', 'reason'] as const) {
    if (expect[name] !== undefined) compare(name, expect[name], outcome[name]);
  }
  for (const [name, value] of Object.entries(expect.stats ?? {})) {
    compare(`stats.${name}`, rounded(value), rounded(outcome.stats[name] ?? '0'));
  }
  return lines.length > 0 ? [...lines, ...(outcome.refused ?? [])] : lines;
}

/** Compares open orders in any order. */
export function openDifferences(
  what: string,
  wanted: readonly ExpectedOrder[],
  got: readonly ExpectedOrder[],
): string[] {
  const text = (o: ExpectedOrder) =>
    [
      o.side,
      o.type,
      o.price && rounded(o.price),
      o.stopPrice && `stop ${rounded(o.stopPrice)}`,
      rounded(o.qty),
    ]
      .filter(Boolean)
      .join(' ');
  const missing = wanted.map(text).sort();
  const extra = got.map(text).sort();
  for (const one of [...missing]) {
    const at = extra.indexOf(one);
    if (at < 0) continue;
    extra.splice(at, 1);
    missing.splice(missing.indexOf(one), 1);
  }
  return [
    ...missing.map((one) => `${what}: missing ${one}`),
    ...extra.map((one) => `${what}: not expected ${one}`),
  ];
}

export function instrumentsOf(scenario: Scenario): readonly ScenarioInstrument[] {
  return scenario.instruments ?? (scenario.instrument ? [scenario.instrument] : []);
}

/**
 * The scenario's closed candles of a frame, oldest first; a larger frame is built from them as a feed does.
 */
export function historyOf(
  scenario: Scenario,
  symbol: string,
  frameMs: number,
  from: number,
  to: number,
): Candle[] {
  const rows = Array.isArray(scenario.history)
    ? (scenario.history as readonly CandleRow[])
    : ((scenario.history as Readonly<Record<string, readonly CandleRow[]>> | undefined)?.[symbol] ?? []);
  const gaps = rows.slice(1).map(([time], i) => time - (rows[i] as CandleRow)[0]);
  const spacing = gaps.length > 0 ? Math.min(...gaps) : frameMs;
  const candles = rows.map(([time, ...texts]) => {
    const [open, high, low, close, volume] = texts.map(String) as [string, string, string, string, string];
    return { time, open, high, low, close, volume };
  });
  return tableHistory(tableOfCandles(symbol, spacing, candles), frameMs, from, to);
}

/** The outcome of a scenario whose start was refused. */
export function notStarted(startError: string): Outcome {
  return {
    startError,
    fills: [],
    open: [],
    balances: {},
    position: null,
    alerts: [],
    status: 'NEW',
    state: '',
    reason: null,
    stats: {},
    opens: [],
    refused: [],
  };
}

/** The remark for a command or a stop that comes when no run is active: it is skipped. */
export function isOver(event: ScenarioEvent): string {
  const what = 'command' in event ? event.command.message : 'stop';
  return `${what} at ${event.at} was not given: the run is over`;
}
