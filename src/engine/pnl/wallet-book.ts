/**
 * The PnL of one wallet: its ledger and the fills of its accounts, replayed in the order of their times.
 * Assets are held at average cost in dollars, positions at cost in their quote asset, so that equity = costs
 * + unrealised PnL at every moment, and every figure is booked on both sides with the same value. Reads no
 * store and no clock: rows and prices come from outside. Pure.
 */
import { type Dec, dec, div, mul, ZERO } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { LedgerRecord } from '../../domain/ledger.ts';
import type { FillRecord } from '../../domain/order.ts';
import { type ClosedTrade, OpenTrade, type TradeFill } from './closed-trade.ts';
import type { Figures } from './figures.ts';
import { type Holding, moveHolding, newHolding } from './holding.ts';
import { PositionBook } from './position-book.ts';

/** An account that trades with the wallet. */
export interface BookAccount {
  readonly id: string;
  readonly kind: 'spot' | 'futures';
  readonly instruments: ReadonlyMap<string, Pick<Instrument, 'base' | 'quote'>>;
}

/** Prices at any time; the same query always gives the same price. Null: not known for that time. */
export interface BookPrices {
  /** Returns the dollars for one unit of an asset. */
  usd(asset: string, time: number): Dec | null;
  /** Returns the mark price of a contract, in its quote asset. */
  mark(account: string, symbol: string, time: number): Dec | null;
}

/** An execution, with the bot of its order. */
export type BookFill = FillRecord & { readonly bot: string | null };

/** Origin of an entry without a bot: a trade, the wallet itself, or open positions. */
export type EntryOf = 'trade' | 'wallet' | 'open';

/** One change of the equity. */
export interface PnlEntry {
  readonly time: number;
  /** The account, or the wallet's name where several share it. */
  readonly account: string;
  /** The symbol, or the asset where there is no symbol. */
  readonly symbol: string;
  readonly of: EntryOf;
  readonly bot: string | null;
  readonly figures: Partial<Figures>;
}

/** Receives the results. */
export interface PnlSink {
  entry(entry: PnlEntry): void;
  trade(trade: ClosedTrade): void;
  /** Receives the wallet's value at the nth sample time, before the events of that time. */
  equity(n: number, usd: Dec): void;
}

export interface WalletBookOptions {
  readonly wallet: string;
  readonly accounts: readonly BookAccount[];
  readonly prices: BookPrices;
  /** Sample times, ascending: the wallet is valued at each. */
  readonly samples: readonly number[];
  readonly sink: PnlSink;
}

interface AssetBook {
  readonly asset: string;
  readonly holding: Holding;
  /** The last known price; null: it never had one, and counts as zero. */
  price: Dec | null;
  /** The symbol in which it was last traded; before that the asset itself. */
  symbol: string;
  account: string;
  /** The last time at which its amount was zero. */
  openedAt: number;
}

/** Most orders whose sales are being summed at a time; beyond it the oldest is closed. */
export const OPEN_SALES_MAX = 256;

export class WalletBook {
  readonly #o: WalletBookOptions;
  readonly #accounts: ReadonlyMap<string, BookAccount>;
  readonly #assets = new Map<string, AssetBook>();
  readonly #positions: PositionBook;
  /** Open sales by account and order. */
  readonly #sales = new Map<string, { readonly trade: OpenTrade; rate: Dec }>();
  /** Unrealised PnL at the last sample, by account and symbol. */
  #before = new Map<string, Unrealised>();
  #sample = 0;
  /** Number of rows without an account or symbol that is known here. */
  skipped = 0;

  constructor(options: WalletBookOptions) {
    this.#o = options;
    this.#accounts = new Map(options.accounts.map((account) => [account.id, account]));
    this.#positions = new PositionBook((trade) => options.sink.trade(trade));
  }

  /** Returns the amounts by asset, computed from the rows. */
  balances(): Map<string, Dec> {
    return new Map([...this.#assets].map(([asset, { holding }]) => [asset, holding.amount]));
  }

  /** Returns the signed sizes by account and `positionKey`, with a space between. */
  positions(): Map<string, Dec> {
    return this.#positions.sizes();
  }

  /** Returns the assets with an amount but never a price. */
  unpriced(): string[] {
    const all = [...this.#assets.values()];
    return all
      .filter(({ price, holding }) => price === null && holding.amount !== ZERO)
      .map(({ asset }) => asset);
  }

  /** Takes the samples up to and including a time: before any event of that time. */
  advance(time: number): void {
    for (;;) {
      const at = this.#o.samples[this.#sample];
      if (at === undefined || at > time) return;
      this.#take(this.#sample, at);
      this.#sample += 1;
    }
  }

  /** Adds a row of the wallet's ledger. `time` is the book's: an opening counts from the first row on. */
  ledger(record: LedgerRecord, time = record.time): void {
    this.advance(time);
    const account = this.#accountOf(record);
    if (record.kind === 'position') {
      this.#setPosition(record, time, account);
      return;
    }
    const { symbol = record.asset, kind } = record;
    const amount = dec(record.amount);
    const price = this.#priceOf(record.asset, time);
    const value = price === null ? ZERO : mul(amount, price);
    const realised = this.#move(record.asset, amount, value, time);
    if (kind === 'funding' && record.symbol !== undefined)
      this.#positions.fund(account, record.symbol, value);
    const entry = { time, account, symbol, of: 'wallet', bot: null } as const;
    this.#o.sink.entry({ ...entry, figures: { realised, [nameOf(kind, amount)]: value } });
  }

  fill(fill: BookFill): void {
    this.advance(fill.time);
    const account = this.#accounts.get(fill.exchange);
    const instrument = account?.instruments.get(fill.symbol);
    if (!account || !instrument) {
      this.skipped += 1;
      return;
    }
    const { base, quote } = instrument;
    const rate = this.#priceOf(quote, fill.time);
    const basePrice = rate === null ? this.#priceOf(base, fill.time) : mul(dec(fill.price), rate);
    const comm = dec(fill.comm);
    const feePrice =
      fill.commAsset === base && account.kind === 'spot'
        ? basePrice
        : fill.commAsset === quote
          ? rate
          : this.#priceOf(fill.commAsset, fill.time);
    const fees = feePrice === null ? ZERO : mul(comm, feePrice);
    let realised =
      account.kind === 'futures'
        ? this.#contract(fill, quote, rate ?? ZERO, fees)
        : this.#trade(fill, { base, quote, rate, basePrice, fees });
    realised += this.#move(fill.commAsset, -comm, -fees, fill.time);
    const { time, symbol, bot } = fill;
    this.#o.sink.entry({ time, account: account.id, symbol, of: 'trade', bot, figures: { realised, fees } });
  }

  /** Ends the replay: the remaining samples are taken, open sales are closed. */
  finish(): void {
    this.advance(Number.POSITIVE_INFINITY);
    for (const { trade, rate } of this.#sales.values()) this.#o.sink.trade(trade.close('spot', rate));
    this.#sales.clear();
  }

  /** Books an execution of a contract; returns the realised PnL in dollars. */
  #contract(fill: BookFill, quote: string, rate: Dec, fees: Dec): Dec {
    const told = dec(fill.rPnl ?? '0');
    const value = mul(told, rate);
    this.#positions.fill(tradeFillOf(fill), {
      qty: dec(fill.qty),
      told: fill.rPnl === null ? null : told,
      value,
      fees,
      rate,
    });
    return value + this.#move(quote, told, value, fill.time);
  }

  /** Books an execution of a spot pair; returns the realised PnL in dollars. */
  #trade(
    fill: BookFill,
    {
      base,
      quote,
      rate,
      basePrice,
      fees,
    }: { base: string; quote: string; rate: Dec | null; basePrice: Dec | null; fees: Dec },
  ): Dec {
    const qty = dec(fill.qty);
    const forQuote = mul(qty, dec(fill.price));
    const value = rate !== null ? mul(forQuote, rate) : basePrice === null ? ZERO : mul(qty, basePrice);
    const sign = fill.side === 'BUY' ? 1n : -1n;
    const held = this.#asset(base, fill.time);
    if (basePrice !== null) this.#learn(held, basePrice, fill.time);
    Object.assign(held, { symbol: fill.symbol, account: fill.exchange });
    const ofQuote = this.#move(quote, -sign * forQuote, -sign * value, fill.time);
    if (held.holding.amount === ZERO) held.openedAt = fill.time;
    const closed = moveHolding(held.holding, sign * qty, sign * value);
    if (fill.side === 'BUY') held.holding.fees += fees;
    else if (closed.qty > ZERO) {
      const sale = this.#saleOf(fill, held.openedAt, rate ?? ZERO);
      sale.enterFor(closed.qty, rate === null || rate === ZERO ? ZERO : div(closed.cost, rate));
      sale.leave(tradeFillOf(fill), closed.qty, closed.realised);
      sale.pay(fill, fees + closed.fees);
    }
    return ofQuote + closed.realised;
  }

  #saleOf(fill: BookFill, openedAt: number, rate: Dec): OpenTrade {
    const key = `${fill.exchange} ${fill.orderId}`;
    const known = this.#sales.get(key);
    if (known) {
      known.rate = rate;
      return known.trade;
    }
    const trade = new OpenTrade(tradeFillOf(fill), 'LONG', openedAt);
    this.#sales.set(key, { trade, rate });
    const [oldest] = this.#sales;
    if (oldest && this.#sales.size > OPEN_SALES_MAX) {
      this.#sales.delete(oldest[0]);
      this.#o.sink.trade(oldest[1].trade.close('spot', oldest[1].rate));
    }
    return trade;
  }

  /**
   * Sets a position from the ledger's opening, or one that ended without a fill, in place of the one computed
   * from the fills.
   */
  #setPosition(record: LedgerRecord, time: number, account: string): void {
    const { symbol = record.asset } = record;
    const instrument = this.#accounts.get(account)?.instruments.get(symbol);
    if (!instrument) {
      this.skipped += 1;
      return;
    }
    const rate = this.#priceOf(instrument.quote, time) ?? ZERO;
    const deposits = this.#positions.set(record, { account, symbol, time, rate }, () =>
      this.#o.prices.mark(account, symbol, time),
    );
    if (deposits === ZERO) return;
    // The next sample finds the open position worth that much more: a deposit, not a profit.
    const figures = { deposits, unrealised: -deposits };
    this.#o.sink.entry({ time, account, symbol, of: 'wallet', bot: null, figures });
  }

  #move(asset: string, amount: Dec, value: Dec, time: number): Dec {
    const book = this.#asset(asset, time);
    if (book.holding.amount === ZERO) book.openedAt = time;
    return moveHolding(book.holding, amount, value).realised;
  }

  #asset(asset: string, time: number): AssetBook {
    const known = this.#assets.get(asset);
    if (known) return known;
    const account = this.#o.accounts.find(({ kind }) => kind === 'spot')?.id ?? this.#o.wallet;
    const made = { asset, holding: newHolding(), price: null, symbol: asset, account, openedAt: time };
    this.#assets.set(asset, made);
    return made;
  }

  #priceOf(asset: string, time: number): Dec | null {
    const book = this.#asset(asset, time);
    const told = this.#o.prices.usd(asset, time);
    if (told !== null) this.#learn(book, told, time);
    return told ?? book.price;
  }

  /**
   * Takes the first price of an asset: the amount held until then counts as a deposit at that price, not as a
   * profit.
   */
  #learn(book: AssetBook, price: Dec, time: number): void {
    const isFirst = book.price === null;
    book.price = price;
    if (!isFirst) return;
    const deposits = mul(book.holding.amount, price) - book.holding.cost;
    if (deposits === ZERO) return;
    book.holding.cost += deposits;
    const { account, asset: symbol } = book;
    this.#o.sink.entry({ time, account, symbol, of: 'wallet', bot: null, figures: { deposits } });
  }

  #take(n: number, time: number): void {
    const now = new Map<string, Unrealised>();
    const add = (account: string, symbol: string, usd: Dec) => {
      const key = `${account} ${symbol}`;
      now.set(key, { account, symbol, usd: (now.get(key)?.usd ?? ZERO) + usd });
    };
    let equity = ZERO;
    for (const book of this.#assets.values()) {
      const { holding, asset } = book;
      // An asset that gets its first price now was deposited before this moment.
      const told = this.#o.prices.usd(asset, time);
      if (told !== null) this.#learn(book, told, time - 1);
      const worth = mul(holding.amount, told ?? book.price ?? ZERO);
      equity += worth;
      if (worth !== holding.cost) add(book.account, book.symbol, worth - holding.cost);
    }
    for (const { account, symbol, inQuote } of this.#positions.unrealised((...of) =>
      this.#o.prices.mark(...of, time),
    )) {
      const quote = this.#accounts.get(account)?.instruments.get(symbol)?.quote ?? '';
      const usd = mul(inQuote, this.#o.prices.usd(quote, time) ?? this.#assets.get(quote)?.price ?? ZERO);
      equity += usd;
      add(account, symbol, usd);
    }
    const since = this.#o.samples[n - 1];
    if (since !== undefined) this.#changed(now, since);
    this.#before = now;
    this.#o.sink.equity(n, equity);
  }

  #changed(now: ReadonlyMap<string, Unrealised>, time: number): void {
    for (const key of new Set([...this.#before.keys(), ...now.keys()])) {
      const { account, symbol } = (now.get(key) ?? this.#before.get(key)) as Unrealised;
      const unrealised = (now.get(key)?.usd ?? ZERO) - (this.#before.get(key)?.usd ?? ZERO);
      if (unrealised === ZERO) continue;
      this.#o.sink.entry({ time, account, symbol, of: 'open', bot: null, figures: { unrealised } });
    }
  }

  /**
   * Returns the account of a ledger row, which belongs to the wallet: the only account that it can concern,
   * else the wallet.
   */
  #accountOf({ kind, symbol }: LedgerRecord): string {
    const { accounts, wallet } = this.#o;
    const futures = accounts.find((account) => account.kind === 'futures');
    if (futures && (kind === 'funding' || kind === 'position' || kind === 'insurance')) return futures.id;
    const own = accounts.filter(({ instruments }) => symbol !== undefined && instruments.has(symbol));
    if (own.length === 1) return own[0]?.id ?? wallet;
    return accounts.length === 1 ? (accounts[0]?.id ?? wallet) : wallet;
  }
}

interface Unrealised {
  readonly account: string;
  readonly symbol: string;
  readonly usd: Dec;
}

/**
 * Returns the figure of a wallet change. An unexplained gain is no profit; an unexplained loss counts, as it
 * does for the daily loss limit.
 */
function nameOf(kind: LedgerRecord['kind'], amount: Dec): 'deposits' | 'funding' | 'other' {
  if (kind === 'opening' || kind === 'transfer') return 'deposits';
  if (kind === 'unexplained') return amount > ZERO ? 'deposits' : 'other';
  return kind === 'funding' ? 'funding' : 'other';
}

function tradeFillOf(fill: BookFill): TradeFill {
  const { exchange: account, symbol, orderId, side, posSide, time, bot } = fill;
  return { account, symbol, orderId, side, posSide, price: dec(fill.price), time, bot };
}
