/**
 * Reads an order in one line: `buy 0.1 btc -1% futures`, `sell 25% eth ask+2t post`,
 * `buy 1r btc 95000 stop 93000 tp 99000`. Side and size come first, then the symbol; price, type, account,
 * stop and take-profit follow in any order. The result fills a ticket and is never an order itself. Pure.
 */
import { sameLooks } from '../../domain/lookalike.ts';
import type { OrderType } from '../../schemas/order.ts';
import { readPrice } from './prices.ts';

/** The fields of a ticket that the line fills; texts stay as typed. */
export interface LineOrder {
  readonly side: 'BUY' | 'SELL';
  readonly size: string;
  readonly symbol: string;
  readonly exchange: string;
  readonly type: OrderType;
  readonly price: string;
  readonly stop: string;
  readonly takeProfit: string;
}

/** An account and the symbols that it trades. */
export interface LineAccount {
  readonly id: string;
  readonly kind: 'spot' | 'futures';
  readonly symbols: readonly string[];
}

export type LineRead =
  | { readonly order: LineOrder; readonly problem: null }
  | { readonly order: null; readonly problem: string };

/** First letters of order types; the same letters are the keys that choose a type in a ticket. */
export const TYPE_LETTERS: Readonly<Record<string, OrderType>> = {
  l: 'LIMIT',
  m: 'MARKET',
  p: 'LIMIT_MAKER',
  s: 'STOP_MARKET',
  S: 'STOP_LIMIT',
  t: 'TAKE_PROFIT_MARKET',
  T: 'TAKE_PROFIT_LIMIT',
};

const TYPE_WORDS: Readonly<Record<string, OrderType>> = {
  limit: 'LIMIT',
  market: 'MARKET',
  post: 'LIMIT_MAKER',
  maker: 'LIMIT_MAKER',
};

const WORDS_MAX = 16;

/** Tells whether a line begins with a side and a size; other text after a side is an ordinary search. */
export function isOrderLine(line: string): boolean {
  return /^(?:buy|sell)\s+[\d.]/i.test(line.trim());
}

/** Reads a line. `at`: the current account and symbol, used if the line names none. */
export function readOrderLine(
  line: string,
  accounts: readonly LineAccount[],
  at: { readonly exchange: string; readonly symbol: string },
): LineRead {
  const words = line.trim().split(/\s+/).slice(0, WORDS_MAX);
  const side = words.shift()?.toUpperCase();
  if (side !== 'BUY' && side !== 'SELL') return problem('begin with buy or sell');
  const size = words.shift();
  if (size === undefined) return problem(`${side.toLowerCase()} how much? for example 0.1, 5000usdt or 25%`);
  if (!/^[\d.,]/.test(size))
    return problem(`${JSON.stringify(size)} is no size; write ${side.toLowerCase()} 0.1 btc`);
  const found = readWords(words, accounts);
  if (typeof found === 'string') return problem(found);
  const account = accountOf(found, accounts, at);
  if (typeof account === 'string') return problem(account);
  const symbol = found.symbol === '' ? at.symbol : symbolOf(found.symbol, account.symbols);
  if (symbol === null || symbol === '') return problem(notTraded(found.symbol, account));
  const { price, stop, takeProfit } = found;
  const type = found.type ?? (price === '' ? 'MARKET' : 'LIMIT');
  if (type === 'MARKET' && price !== '') return problem('a market order has no price; leave one of both out');
  if (type !== 'MARKET' && price === '') return problem(`a price is missing, for example last or -1%`);
  return {
    order: { side, size, symbol, exchange: account.id, type, price, stop, takeProfit },
    problem: null,
  };
}

interface Found {
  symbol: string;
  account: string;
  price: string;
  stop: string;
  takeProfit: string;
  type: OrderType | null;
}

/** Reads the words after the size; a string is the problem. */
function readWords(words: readonly string[], accounts: readonly LineAccount[]): Found | string {
  const found: Found = { symbol: '', account: '', price: '', stop: '', takeProfit: '', type: null };
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    const low = word.toLowerCase();
    if (low === 'stop' || low === 'sl' || low === 'tp') {
      const value = words[++i] ?? '';
      if (!readPrice(value)) return `${low} needs a price behind it`;
      if (low === 'tp') found.takeProfit = value;
      else found.stop = value;
    } else if (TYPE_WORDS[low]) found.type = TYPE_WORDS[low];
    else if (low === 'at' || low === '@') continue;
    else if (readPrice(low)) {
      if (found.price !== '') return `two prices: ${found.price} and ${word}`;
      found.price = low;
    } else if (found.symbol === '' && !namesAccount(low, accounts)) found.symbol = word;
    else if (found.account === '') found.account = low;
    else return `${JSON.stringify(word)} says nothing here; the order is side, size, symbol, price, account`;
  }
  return found;
}

function namesAccount(word: string, accounts: readonly LineAccount[]): boolean {
  return accounts.some(({ id, kind }) => id.toLowerCase() === word || kind === word);
}

function accountOf(
  { account: name, symbol }: Found,
  accounts: readonly LineAccount[],
  at: { readonly exchange: string; readonly symbol: string },
): LineAccount | string {
  if (name === '') {
    const seen = accounts.find(({ id }) => id === at.exchange);
    const trades = (one: LineAccount) => symbol === '' || symbolOf(symbol, one.symbols) !== null;
    const found = seen && trades(seen) ? seen : accounts.find(trades);
    return found ?? seen ?? accounts[0] ?? 'there is no account';
  }
  const exact = accounts.find(({ id }) => id.toLowerCase() === name);
  if (exact) return exact;
  const like = accounts.filter(({ id, kind }) => kind === name || id.toLowerCase().includes(name));
  const [only, ...more] = like;
  if (only && more.length === 0) return only;
  const names = accounts.map(({ id }) => id).join(', ');
  return only
    ? `${name} may be ${like.map(({ id }) => id).join(' or ')}; name one`
    : `there is no account ${name}; there is ${names}`;
}

/** Returns the symbol of this name, or the base's symbol with a dollar quote; null: there is none. */
function symbolOf(word: string, symbols: readonly string[]): string | null {
  const name = word.toUpperCase();
  const exact = sameLooks(name, symbols);
  if (exact !== null) return exact;
  for (const quote of ['USDT', 'USDC', 'FDUSD', 'USD'])
    for (const join of ['', '-'])
      if (symbols.includes(`${name}${join}${quote}`)) return `${name}${join}${quote}`;
  return null;
}

function notTraded(word: string, { id }: LineAccount): string {
  return word === ''
    ? 'which symbol? for example btc'
    : `${JSON.stringify(word.slice(0, 24))} is not traded on ${id}`;
}

function problem(text: string): LineRead {
  return { order: null, problem: text };
}
