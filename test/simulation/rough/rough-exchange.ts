/**
 * An exchange that errs as real ones do (venues.md 5), over a correct one: its own market, replicas that lag, ids of its own,
 * other people on the account. It goes on while the desk is down, and knows the truth that is held against the desk's books.
 */
import { type Dec, dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import {
  ENDS,
  type ExchangeAccount,
  type ExchangeFill,
  type ExchangeOrderState,
} from '../../../src/domain/exchange.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { Row } from '../../../src/domain/rows.ts';
import type { TradeDoc } from '../../../src/venues/paper/changes.ts';
import { PaperCore } from '../../../src/venues/paper/core.ts';
import { compilePaperOptions, type PaperOptions } from '../../../src/venues/paper/options.ts';
import { isConditional, type PaperOrderDoc } from '../../../src/venues/paper/paper-order.ts';
import type { Dice } from '../dice.ts';
import { ExternalExchange } from '../external-exchange.ts';
import { SimMarket, SYMBOLS } from '../market.ts';
import type { SimClock } from '../sim-clock.ts';
import type { SimFaults } from '../sim-faults.ts';
import { ROUGH_ACCOUNT, ROUGH_SCALE, STRANGER } from './rough-account.ts';
import type { RoughPlan } from './rough-plan.ts';

/** An order may go out a moment after the price that it waited for. */
const PRICES_KEPT = 8;

type Tables = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

/** How it was at a moment of true time. */
interface Past {
  readonly at: number;
  readonly tables: Tables;
}

export interface RoughTick {
  readonly at: number;
  readonly symbol: string;
  readonly price: string;
  readonly volume: string;
}

export interface RoughExchangeOptions {
  readonly plan: RoughPlan;
  readonly paper: PaperOptions;
  readonly stride: number;
  readonly tickEveryMs: () => number;
  readonly clock: SimClock;
  readonly dice: Dice;
  readonly marketDice: Dice;
  readonly faults: SimFaults;
  readonly healed: () => boolean;
  readonly stored: (rows: readonly Row[]) => void;
  readonly struck: (name: string) => void;
}

export class RoughExchange {
  readonly inner: ExternalExchange;
  readonly plan: RoughPlan;
  /** What others have paid in, less what they took out, by asset. */
  readonly transfers = new Map<string, Dec>();
  /** Prices that the desk has heard of last, from the stream and from executions, by symbol. */
  readonly told = new Map<string, number[]>();
  /** Told when a tick has been matched. */
  onTick: ((tick: RoughTick) => void) | null = null;
  readonly #o: RoughExchangeOptions;
  readonly #market: SimMarket;
  readonly #past: Past[] = [];
  /** Own trade number -> its number within its symbol. */
  readonly #tradeIds = new Map<string, string>();
  readonly #ownTradeIds = new Map<string, string>();
  readonly #trades = new Map<string, number>();
  /** Free and locked by asset. */
  readonly #wallet = new Map<string, Dec>();
  readonly #triggered = new Set<number>();
  #strangers = 0;

  constructor(o: RoughExchangeOptions) {
    this.#o = o;
    this.plan = o.plan;
    this.#market = new SimMarket(o.marketDice, o.stride, ROUGH_SCALE);
    this.inner = new ExternalExchange({
      account: ROUGH_ACCOUNT,
      clock: o.clock.true(),
      random: o.dice,
      faults: o.faults,
      paper: { ...o.paper, makerRate: o.plan.makerFee, takerRate: o.plan.takerFee },
      marketTime: () => o.clock.now,
      fails: () => false,
      stored: (rows) => this.#stored(rows),
    });
  }

  async open(): Promise<void> {
    await this.inner.open();
    this.#armTick(0);
    const { strangersEveryMs, transfersEveryMs } = this.plan;
    if (strangersEveryMs > 0) this.#every(strangersEveryMs, () => this.#strangerActs());
    if (transfersEveryMs > 0) this.#every(transfersEveryMs, () => this.#transfer());
  }

  get account(): ExchangeAccount {
    return ROUGH_ACCOUNT.account;
  }

  get instruments(): readonly Instrument[] {
    return ROUGH_ACCOUNT.instruments;
  }

  last(symbol: string): number | null {
    const price = this.inner.venue.lastPrice(symbol);
    return price === null ? null : Number(price);
  }

  /** Its books as a replica has them that is so many ms behind. */
  replica(behindMs: number): PaperCore {
    const at = this.#o.clock.now - behindMs;
    const past = this.#past.findLast((one) => one.at <= at) ?? this.#past[0];
    const config = { kind: 'spot', instruments: this.instruments, options: compilePaperOptions() } as const;
    return new PaperCore(config, past?.tables ?? new Map());
  }

  doc(clientId: string): PaperOrderDoc | undefined {
    const docs = [...(this.inner.tables.get('spot.order')?.values() ?? [])] as PaperOrderDoc[];
    return docs.filter((one) => one.clientId === clientId).at(-1);
  }

  /** The order that one of its own ids names. */
  named(venueId: string): PaperOrderDoc | undefined {
    const number = venueId.slice(1);
    return this.inner.tables.get('spot.order')?.get(number) as PaperOrderDoc | undefined;
  }

  isStranger(clientId: string): boolean {
    return clientId.startsWith(STRANGER);
  }

  /** Ids of its own; a trigger adds that of the order it makes. */
  venueIds({ id, type }: Pick<PaperOrderDoc, 'id' | 'type'>): string[] {
    if (!this.plan.triggersMakeOrders || !isConditional(type)) return [`n${id}`];
    return this.#triggered.has(id) ? [`a${id}`, `c${id}`] : [`a${id}`];
  }

  /** The number that a trade has in its own books. */
  ownTradeId({ symbol, tradeId }: { readonly symbol: string; readonly tradeId: string }): string | undefined {
    return this.#ownTradeIds.get(`${symbol} ${tradeId}`);
  }

  tradeId(own: string): string {
    return this.#tradeIds.get(own) ?? own;
  }

  state(state: ExchangeOrderState): ExchangeOrderState {
    const doc = this.doc(state.clientId);
    const told = { ...state, time: state.time + this.plan.driftMs };
    if (!doc) return told;
    return {
      ...told,
      venueIds: this.venueIds(doc),
      ...(this.#o.dice.chance(this.plan.emptyFigures) ? { text: '' } : {}),
      terms: {
        side: doc.side,
        type: doc.type,
        ...(doc.price === null ? {} : { price: doc.price }),
        ...(doc.stopPrice === null ? {} : { stopPrice: doc.stopPrice }),
        ...(doc.iceberg === null ? {} : { icebergQty: doc.iceberg }),
        timeInForce: doc.timeInForce,
        reduceOnly: false,
        closePosition: false,
        positionSide: 'BOTH',
        workingType: 'CONTRACT_PRICE',
      },
    };
  }

  fill(fill: ExchangeFill): ExchangeFill {
    this.tell(fill.symbol, fill.price);
    const trade = this.inner.tables.get('spot.trade')?.get(fill.tradeId) as TradeDoc | undefined;
    const doc = trade && (this.inner.tables.get('spot.order')?.get(String(trade.orderId)) as PaperOrderDoc);
    const told = { ...fill, tradeId: this.tradeId(fill.tradeId), time: fill.time + this.plan.driftMs };
    if (!doc) return told;
    const venueId = this.venueIds(doc).at(-1) as string;
    const nameless = venueId.startsWith('c');
    if (nameless) this.#o.struck('execution names its child only');
    return { ...told, venueId, ...(nameless ? { clientId: '' } : {}) };
  }

  /** The desk hears of a price. */
  tell(symbol: string, price: string): void {
    this.told.set(symbol, [...(this.told.get(symbol) ?? []).slice(-PRICES_KEPT), Number(price)]);
  }

  #stored(rows: readonly Row[]): void {
    this.#noteTransfers(rows);
    for (const row of rows) {
      if (row.kind !== 'paper' || row.doc === null) continue;
      if (row.table === 'spot.trade') {
        const { symbol } = row.doc as TradeDoc;
        const n = (this.#trades.get(symbol) ?? 0) + 1;
        if (!this.#tradeIds.has(row.id)) {
          this.#trades.set(symbol, n);
          this.#tradeIds.set(row.id, String(n));
          this.#ownTradeIds.set(`${symbol} ${n}`, row.id);
        }
      } else if (row.table === 'spot.order') {
        const doc = row.doc as PaperOrderDoc;
        if (isConditional(doc.type) && (doc.status === 'WORKING' || doc.status === 'FILLED'))
          this.#triggered.add(doc.id);
      }
    }
    const { now } = this.#o.clock;
    if (this.plan.lagMs > 0 || this.#past.length === 0) {
      const tables = new Map([...this.inner.tables].map(([name, table]) => [name, new Map(table)]));
      this.#past.push({ at: now, tables });
    } else this.#past[0] = { at: now, tables: this.inner.tables };
    while (this.#past.length > 1 && (this.#past[1] as Past).at < now - this.plan.lagMs) this.#past.shift();
    this.#o.stored(rows);
  }

  #armTick(n: number): void {
    this.#o.clock.after(this.#o.tickEveryMs(), () => {
      const tick = { ...this.#market.tick(n), at: this.#o.clock.now };
      void this.inner.venue.tick({ ...tick, time: tick.at });
      this.onTick?.(tick);
      this.#armTick(n + 1);
    });
  }

  #every(ms: number, act: () => void): void {
    const { clock, dice, healed } = this.#o;
    clock.after(ms * dice.between(0.3, 1.7), () => {
      if (healed()) return;
      act();
      this.#every(ms, act);
    });
  }

  #strangerActs(): void {
    const { dice, struck } = this.#o;
    const s = dice.pick(SYMBOLS);
    const last = this.last(s.symbol);
    if (last === null) return;
    const open = [...(this.inner.tables.get('spot.order')?.values() ?? [])] as PaperOrderDoc[];
    const alive = open.filter(({ status }) => !ENDS.has(status));
    if (dice.chance(0.3) && alive.length > 0) {
      const { clientId, symbol } = dice.pick(alive);
      struck(this.isStranger(clientId) ? 'stranger cancels his own' : 'stranger cancels ours');
      void this.inner.venue.cancel({ clientId, symbol });
      return;
    }
    struck('stranger trades');
    const side = dice.chance(0.5) ? ('BUY' as const) : ('SELL' as const);
    const off = (side === 'BUY' ? -1 : 1) * dice.between(-0.002, 0.005);
    const limit = dice.chance(0.7);
    void this.inner.venue.submit({
      clientId: `${STRANGER}${++this.#strangers}`,
      symbol: s.symbol,
      side,
      type: limit ? 'LIMIT' : 'MARKET',
      quantity: (dice.between(20, 800) / last).toFixed(s.quantityDigits),
      ...(limit ? { price: (last * (1 + off)).toFixed(s.priceDigits) } : {}),
      timeInForce: 'GTC',
    });
  }

  #transfer(): void {
    const { dice, struck } = this.#o;
    const asset = dice.pick(['USDT', 'BTC']);
    const free = () => {
      const doc = this.inner.tables.get('spot.balance')?.get(asset) as { free: string } | undefined;
      return dec(doc?.free ?? '0');
    };
    const amount = Number(str(free())) * dice.between(0.6, 1.3);
    struck('transfer');
    void this.inner.venue.setBalance(asset, amount.toFixed(4));
  }

  /** What moved without a trade. */
  #noteTransfers(rows: readonly Row[]): void {
    const moved = new Map<string, Dec>();
    const add = (asset: string, amount: Dec) => moved.set(asset, (moved.get(asset) ?? ZERO) + amount);
    for (const row of rows) {
      if (row.kind !== 'paper' || row.doc === null) continue;
      if (row.table === 'spot.balance') {
        const { free, locked } = row.doc as { free: string; locked: string };
        const total = dec(free) + dec(locked);
        add(row.id, total - (this.#wallet.get(row.id) ?? total));
        this.#wallet.set(row.id, total);
      } else if (row.table === 'spot.trade') {
        const { symbol, side, qty, price, comm, commAsset } = row.doc as TradeDoc;
        const instrument = this.instruments.find((one) => one.symbol === symbol) as Instrument;
        const sign = side === 'BUY' ? 1n : -1n;
        add(instrument.base, -sign * dec(qty));
        add(instrument.quote, sign * mul(dec(qty), dec(price)));
        add(commAsset, dec(comm));
      }
    }
    for (const [asset, amount] of moved)
      if (amount !== ZERO) this.transfers.set(asset, (this.transfers.get(asset) ?? ZERO) + amount);
  }
}
