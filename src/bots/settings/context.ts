/**
 * What settings are judged by: the account, the symbol and its rules; and reading prices, which must fit its
 * tick. Pure.
 */
import type { TProperties, TSchema } from 'typebox';
import { type Dec, str } from '../../domain/decimal.ts';
import { closest } from '../../domain/did-you-mean.ts';
import { foreignWords, sameLooks } from '../../domain/lookalike.ts';
import { SymbolPair } from '../../schemas/bots/common.ts';
import type { MarketRules, SettingsWorld } from './compiled.ts';
import type { Fields } from './fields.ts';
import { type Bounds, listed, quoted, shown } from './words.ts';

export interface Account {
  readonly id: string;
  readonly kind: 'spot' | 'futures';
  readonly hedge: boolean;
}

export interface SettingsContext {
  readonly world: SettingsWorld;
  /** Null when the exchange is unknown. */
  readonly account: Account | null;
  /** Empty when unknown, or for a NOTIFY that scans all. */
  readonly symbol: string;
  /** Null when the symbol is unknown, or for a NOTIFY that scans all. */
  readonly rules: MarketRules | null;
}

type Names = { readonly exchange: TSchema };
type PairNames = { readonly symbol: TSchema; readonly ticker: TSchema };

/** Reads the exchange account of the settings. */
export function readAccount<P extends TProperties & Names>(
  f: Fields<P>,
  world: SettingsWorld,
): Account | null {
  const id = f.raw('exchange');
  const account = typeof id === 'string' ? world.accounts.get(id) : undefined;
  if (typeof id === 'string' && account) return { id, ...account };
  f.problem('exchange', exchangeProblem(id, world) ?? '');
  return null;
}

/** Reads the symbol as `{base, quote}` with an optional `ticker` (specification, "Shape differences"). */
export function readPair<P extends TProperties & PairNames>(
  f: Fields<P>,
  account: Account | null,
  world: SettingsWorld,
): Pick<SettingsContext, 'symbol' | 'rules'> {
  const ticker = f.textOr('ticker');
  if (typeof f.raw('symbol') === 'string') {
    f.problem('symbol', 'must be an object such as {"base": "BTC", "quote": "USDT"}, got a text');
    return { symbol: '', rules: null };
  }
  const pair = f.group('symbol', SymbolPair);
  const base = pair?.text('base') ?? '';
  const quote = pair?.text('quote') ?? '';
  if (!f.reads('symbol', 'ticker')) return { symbol: '', rules: null };
  const symbol = ticker ?? base + quote;
  const rules = rulesOf(f, ticker === null ? 'symbol' : 'ticker', symbol, account, world);
  if (rules && ticker !== null && (rules.base !== base || rules.quote !== quote)) {
    f.warn('ticker', `${ticker} is ${rules.base}/${rules.quote}, not ${base}/${quote}; the ticker is used`);
  }
  return { symbol, rules };
}

/** Reads the symbol as a pair code. */
export function readCode<P extends TProperties & { readonly symbol: TSchema }>(
  f: Fields<P>,
  account: Account | null,
  world: SettingsWorld,
): Pick<SettingsContext, 'symbol' | 'rules'> {
  const given = f.raw('symbol');
  if (typeof given === 'object') {
    f.problem('symbol', 'must be a pair code such as BTCUSDT, got an object');
    return { symbol: '', rules: null };
  }
  const symbol = f.textOr('symbol');
  if (symbol === null || !f.reads('symbol')) return { symbol: '', rules: null };
  return { symbol, rules: rulesOf(f, 'symbol', symbol, account, world) };
}

function rulesOf<P extends TProperties>(
  f: Fields<P>,
  field: keyof P & string,
  symbol: string,
  account: Account | null,
  world: SettingsWorld,
): MarketRules | null {
  if (!account) return null;
  const rules = world.instrument(account.id, symbol);
  if (rules) return rules;
  const known = world.symbols(account.id);
  const guess = sameLooks(symbol, known) ?? closest(symbol, known);
  const hint = guess === null ? `for example ${known[0] ?? 'none'}` : `did you mean ${guess}?`;
  f.problem(field, `${quoted(symbol)} is not traded on ${account.id}${foreignWords(symbol, guess)}; ${hint}`);
  return null;
}

/** Reads a price, which must be at least one tick. */
export function readPrice<P extends TProperties>(
  f: Fields<P>,
  name: keyof P & string,
  rules: MarketRules | null,
): Dec {
  const price = f.decimal(name);
  refuseBelowTick(f, name, price, rules);
  return price;
}

/** Reads a price; null when left out. */
export function readPriceOr<P extends TProperties>(
  f: Fields<P>,
  name: keyof P & string,
  rules: MarketRules | null,
  bounds?: Bounds,
): Dec | null {
  const price = f.decimalOr(name, bounds);
  if (price !== null) refuseBelowTick(f, name, price, rules);
  return price;
}

function refuseBelowTick<P extends TProperties>(
  f: Fields<P>,
  name: keyof P & string,
  price: Dec,
  rules: MarketRules | null,
): void {
  if (!rules || price >= rules.tick || !f.reads(name)) return;
  f.problem(name, `must be at least ${str(rules.tick)}, the tick size of ${rules.symbol}, got ${str(price)}`);
}

/** Returns the problem of the exchange; null when it is connected. */
export function exchangeProblem(
  exchange: unknown,
  { accounts }: Pick<SettingsWorld, 'accounts'>,
): string | null {
  if (typeof exchange === 'string' && accounts.has(exchange)) return null;
  const connected = `connected: ${listed([...accounts.keys()])}`;
  if (exchange === undefined || exchange === null) return `missing; ${connected}`;
  return `${shown(exchange)} is not connected; ${connected}`;
}
