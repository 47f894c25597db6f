/**
 * The input of a backtest, read from files: the bot, its candles, and the world of paper accounts that both
 * make. Every error is a UsageError that names the file and says what would be right.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { BacktestOptions } from '../bots/backtest/backtest.ts';
import type { BotGiven } from '../bots/backtest/session.ts';
import { creationProblems } from '../bots/runtime/creation.ts';
import { problemsText } from '../bots/settings/check.ts';
import type { MarketRules } from '../bots/settings/compiled.ts';
import { USUAL_TYPE, wordsOf } from '../bots/types/index.ts';
import { type Dec, dec } from '../domain/decimal.ts';
import { errorText } from '../domain/errors.ts';
import type { Instrument } from '../domain/instrument.ts';
import { maxLeverage } from '../domain/margin/tiers.ts';
import {
  type CandleColumns,
  candleFileName,
  guessFrame,
  readCandleColumns,
  sampleColumns,
} from '../market/candle-columns.ts';
import { FeedError } from '../market/feed.ts';
import { futuresInstruments } from '../market/futures-symbols.ts';
import { compareSymbols, MARKETS, type PriceSample, spotInstruments } from '../market/symbols.ts';
import { frameName } from '../market/timeframe.ts';
import { PAPER_FUTURES, PAPER_SPOT } from '../venues/paper/accounts.ts';
import { tiersOf } from '../venues/paper/futures/brackets.ts';
import { compilePaperOptions } from '../venues/paper/options.ts';
import type { FeeRates } from './read-option.ts';
import { UsageError } from './usage-error.ts';

export interface InputSettings {
  readonly config: string;
  readonly candles: readonly string[];
  readonly from?: number;
  readonly to?: number;
  readonly fee?: FeeRates;
  readonly slippage?: string;
  readonly balance?: string;
}

export interface BacktestInput {
  readonly options: BacktestOptions;
  /** Where the filters of the symbols come from, as a sentence. */
  readonly filters: string;
}

const ACCOUNTS = [PAPER_SPOT, PAPER_FUTURES];
/** Largest accepted file: a bot is never larger. */
const MAX_CONFIG_BYTES = 1_000_000;

export function readBacktest(settings: InputSettings): BacktestInput {
  const bot = readBot(settings.config);
  const tables = chosen(
    bot,
    settings,
    settings.candles.map((file) => readCandles(file, bot)),
  );
  const given = bot.settings as Readonly<Record<string, unknown>>;
  const account = ACCOUNTS.find(({ id }) => id === given.exchange) ?? PAPER_SPOT;
  const rules = rulesOf(tables, account.kind, account.id, settings.fee);
  // A backtest has one bot and delivers nothing: both sides of hedge mode and every target are allowed.
  const hedge = given.positionSide === 'LONG' || given.positionSide === 'SHORT';
  const fraction = (percent: string) => dec(percent) / 100n;
  return {
    options: {
      bot,
      candles: tables,
      world: {
        accounts: new Map(ACCOUNTS.map(({ id, kind }) => [id, { kind, hedge: hedge && kind === 'futures' }])),
        instrument: (exchange, symbol) => (exchange === account.id ? (rules.get(symbol) ?? null) : null),
        symbols: (exchange) => (exchange === account.id ? [...rules.keys()] : []),
        targets: Array.isArray(given.notify) ? given.notify.map(String) : [],
      },
      from: settings.from,
      to: settings.to,
      slippage: settings.slippage === undefined ? undefined : fraction(settings.slippage),
      balance: settings.balance === undefined ? undefined : dec(settings.balance),
    },
    filters: filtersFrom(tables, account.kind),
  };
}

function readBot(file: string): BotGiven {
  const bytes = readBytes('--config', file, 'a JSON file with a bot');
  if (bytes.length > MAX_CONFIG_BYTES)
    throw new UsageError(`option --config: ${file} is too large for a bot`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new UsageError(`option --config: ${file} is no JSON: ${errorText(error)}`);
  }
  const right = `it takes an object such as {"type": "${USUAL_TYPE}", "settings": {...}, "options": {...}}`;
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new UsageError(`option --config: ${file} holds no bot; ${right}`);
  }
  const { type, settings, config, options } = parsed as Record<string, unknown>;
  if (type === undefined && settings === undefined && config === undefined) {
    throw new UsageError(`option --config: ${file} has neither type nor settings; ${right}`);
  }
  const own = settings ?? config;
  const accounts = new Map(ACCOUNTS.map(({ id, kind }) => [id, { kind, hedge: false }]));
  const problems = creationProblems(type, own, { accounts });
  if (problems.length > 0) throw new UsageError(`option --config: ${file}: ${problemsText(problems)}`);
  return { type: type as BotGiven['type'], settings: own, options };
}

function readCandles(path: string, bot: BotGiven): CandleColumns {
  const file = basename(path);
  const bytes = readBytes('--candles', path, 'a candle file, such as BTCUSDT-1m.csv');
  const named = candleFileName(path);
  const symbol = named?.symbol ?? symbolOf(bot);
  if (symbol === '') {
    throw new UsageError(
      `option --candles: whose candles ${file} holds cannot be told: name it like BTCUSDT-1m.csv`,
    );
  }
  try {
    return readCandleColumns(file, bytes, symbol, named?.frameMs ?? guessFrame(file, bytes));
  } catch (error) {
    if (error instanceof FeedError) throw new UsageError(`option --candles: ${error.message}`);
    throw error;
  }
}

/** Returns the candles for the bot, in the order of the exchange's symbols. */
function chosen(
  bot: BotGiven,
  settings: InputSettings,
  all: readonly CandleColumns[],
): readonly CandleColumns[] {
  const names = all.map(({ symbol }) => symbol);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new UsageError(`option --candles: there are two files of ${twice}; it takes one a symbol`);
  const own = symbolOf(bot);
  const [first] = all as readonly [CandleColumns];
  if (!wordsOf(bot.type).scans) {
    if (all.length > 1) {
      throw new UsageError(
        `option --candles: ${bot.type} works on one symbol, there are candles of ${names.join(', ')}; give those of ${own || 'its symbol'} alone`,
      );
    }
    if (own !== '' && own !== first.symbol) {
      throw new UsageError(
        `option --candles: ${basename(settings.candles[0] as string)} has candles of ${first.symbol}, the bot works on ${own}`,
      );
    }
  }
  const scanned = own === '' ? all : all.filter(({ symbol }) => symbol === own);
  const frames = [...new Set(all.map(({ frameMs }) => frameName(frameMs)))];
  if (frames.length > 1) {
    throw new UsageError(
      `option --candles: the files have candles of ${frames.join(' and ')}; all must have the same`,
    );
  }
  const used = scanned.length > 0 ? scanned : all;
  checkRange(used, settings);
  return used.toSorted((a, b) => compareSymbols(a.symbol, b.symbol));
}

function checkRange(
  tables: readonly CandleColumns[],
  { from = -Infinity, to = Infinity }: InputSettings,
): void {
  if (tables.some(({ times }) => times.some((time) => time >= from && time < to))) return;
  const [table] = tables as readonly [CandleColumns];
  const at = (time: number) => `${new Date(time).toISOString().slice(0, 16)}Z`;
  const first = table.times[0] as number;
  const last = table.times[table.count - 1] as number;
  throw new UsageError(
    `no candle of ${table.symbol} opens between --from and --to: the first one opens at ${at(first)}, the last one at ${at(last)}`,
  );
}

/** Returns the symbol that the settings name; empty if they name none. */
function symbolOf({ settings }: BotGiven): string {
  const { symbol, ticker } = settings as Readonly<Record<string, unknown>>;
  if (typeof ticker === 'string' && ticker !== '') return ticker;
  if (typeof symbol === 'string') return symbol;
  if (typeof symbol !== 'object' || symbol === null) return '';
  const { base, quote } = symbol as Readonly<Record<string, unknown>>;
  return typeof base === 'string' && typeof quote === 'string' ? base + quote : '';
}

/** Returns the paper exchange's instruments, as on a replay of the same files. */
function rulesOf(
  tables: readonly CandleColumns[],
  kind: 'spot' | 'futures',
  exchange: string,
  fee: FeeRates | undefined,
): ReadonlyMap<string, MarketRules> {
  const sample: PriceSample = (symbol) => {
    const table = tables.find((one) => one.symbol === symbol);
    return table ? sampleColumns(table) : [];
  };
  const instruments = kind === 'spot' ? spotInstruments : futuresInstruments;
  const usual = compilePaperOptions({}, kind);
  const makerRate = fee ? dec(fee.maker) / 100n : usual.makerRate;
  const takerRate = fee ? dec(fee.taker) / 100n : usual.takerRate;
  try {
    const symbols = tables.map(({ symbol }) => symbol);
    return new Map(
      instruments(symbols, exchange, sample).map((one) => [
        one.symbol,
        marketRules(one, makerRate, takerRate),
      ]),
    );
  } catch (error) {
    if (error instanceof FeedError) throw new UsageError(`option --candles: ${error.message}`);
    throw error;
  }
}

function marketRules(one: Instrument, makerRate: Dec, takerRate: Dec): MarketRules {
  return {
    symbol: one.symbol,
    base: one.base,
    quote: one.quote,
    kind: one.kind,
    tick: dec(one.tickSize),
    step: dec(one.stepSize),
    minQty: dec(one.minQty),
    minNotional: dec(one.minNotional),
    makerRate,
    takerRate,
    maxLeverage: one.kind === 'futures' ? maxLeverage(tiersOf(one.base)) : 1,
  };
}

function filtersFrom(tables: readonly CandleColumns[], kind: string): string {
  const known = new Set(MARKETS.map(({ symbol }) => symbol));
  const derived = tables.map(({ symbol }) => symbol).filter((symbol) => !known.has(symbol));
  const built = `the paper ${kind} exchange's`;
  if (derived.length === 0) return `Filters (tick, step, minimum): ${built}.`;
  const rest = derived.length < tables.length ? `, the others ${built}` : '';
  return `Filters (tick, step, minimum) of ${derived.join(', ')} are derived from the prices in the file${rest}.`;
}

function readBytes(flag: string, file: string, right: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const why =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'it is a folder'
          : `it cannot be read (${code})`;
    throw new UsageError(`option ${flag}: ${file}: ${why}; it takes ${right}`);
  }
}
