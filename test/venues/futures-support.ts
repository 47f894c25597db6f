/**
 * Helpers of the paper futures tests: a core with its stored rows and short commands. Times are market ms.
 */
import { dec, str } from '../../src/domain/decimal.ts';
import type { ExchangeFill, ExchangeOrder, ExchangeOrderState } from '../../src/domain/exchange.ts';
import type { Instrument } from '../../src/domain/instrument.ts';
import type { ExchangePosition, SettingOutcome } from '../../src/domain/position.ts';
import { futuresInstruments } from '../../src/market/futures-symbols.ts';
import type { PaperEvent, PaperStep } from '../../src/venues/paper/changes.ts';
import { FuturesCore } from '../../src/venues/paper/futures/futures-core.ts';
import { compilePaperOptions, type PaperOptions } from '../../src/venues/paper/options.ts';
import { checkStored, fillsIn, MemoryLane, Told } from './paper-support.ts';

export const CONTRACTS: readonly Instrument[] = futuresInstruments(
  ['BTCUSDT', 'ETHUSDT', 'DOGEUSDT'],
  'paper-futures',
);

export class FuturesBench {
  readonly lane = new MemoryLane();
  readonly events: PaperEvent[] = [];
  core: FuturesCore;
  /** Just after a funding time, so that short tests meet none. */
  now = Date.UTC(2026, 0, 5, 0, 0, 1);
  readonly #options: PaperOptions;
  readonly #told = new Told();
  #ids = 0;

  constructor(options: PaperOptions = {}) {
    this.#options = options;
    this.core = this.#load();
    this.keep(this.core.begin());
  }

  keep<T>(step: PaperStep<T>): T {
    this.lane.commit(step.rows);
    this.events.push(...step.events);
    this.core.audit();
    this.#told.hear(step.events);
    this.#told.check(this.core);
    checkStored(this.lane, this.core, () => this.#load());
    return step.outcome;
  }

  submit(order: Partial<ExchangeOrder>) {
    const clientId = order.clientId ?? `o${++this.#ids}`;
    return this.keep(
      this.core.submit(
        { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', ...order, clientId },
        this.now,
      ),
    );
  }

  /** Submits and expects `accepted`; returns the client id. */
  place(order: Partial<ExchangeOrder>): string {
    const outcome = this.submit(order);
    if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
    return outcome.state.clientId;
  }

  /** Places a MARKET order. */
  market(side: 'BUY' | 'SELL', quantity: string, more: Partial<ExchangeOrder> = {}): string {
    return this.place({ side, type: 'MARKET', quantity, ...more });
  }

  set(run: (core: FuturesCore) => PaperStep<SettingOutcome>): SettingOutcome {
    return this.keep(run(this.core));
  }

  /** Makes a setting and expects that it is done. */
  mustSet(run: (core: FuturesCore) => PaperStep<SettingOutcome>): void {
    const outcome = this.set(run);
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  }

  /** Plays one tick with all its steps; `between` runs after each. Returns its fills. */
  tick(price: string, more: { symbol?: string; volume?: string; after?: number; between?: () => void } = {}) {
    const before = this.events.length;
    this.now += more.after ?? 1;
    if (this.core.beginTick(more.symbol ?? 'BTCUSDT', price, more.volume ?? '1000000', this.now)) {
      for (let step = this.core.nextMatch(); step; step = this.core.nextMatch()) {
        this.keep(step);
        more.between?.();
      }
    }
    return fillsIn(this.events.slice(before));
  }

  state(clientId: string, symbol = 'BTCUSDT'): ExchangeOrderState {
    const found = this.core.query({ clientId, symbol });
    if (found.kind !== 'found') throw new Error(`${clientId} is ${found.kind}`);
    return found.state;
  }

  position(symbol = 'BTCUSDT', side = 'BOTH'): ExchangePosition {
    const found = this.core.positions().find((p) => p.symbol === symbol && p.side === side);
    if (!found) throw new Error(`no position ${symbol} ${side}`);
    return found;
  }

  wallet(): string {
    return str(this.core.amounts().wallet);
  }

  /** The USDT balance as `free/locked`. */
  balance(): string {
    const [held] = this.core.balances();
    return `${held?.free}/${held?.locked}`;
  }

  fills(symbol = 'BTCUSDT'): ExchangeFill[] {
    return this.core.fills({ symbol, from: 0 });
  }

  /** The core as it is after a clean stop (which stores the newest prices) and a start from the rows. */
  reloaded(): FuturesCore {
    this.lane.commit(this.core.priceRows().rows);
    return this.#load();
  }

  #load(): FuturesCore {
    const options = compilePaperOptions(this.#options, 'futures');
    // A store does not guarantee any order of its documents.
    const tables = [...this.lane.tables].map(
      ([name, table]) => [name, new Map([...table].reverse())] as const,
    );
    return new FuturesCore({ instruments: CONTRACTS, options }, new Map(tables));
  }
}

export function sum(texts: readonly string[]): string {
  return str(texts.reduce((total, text) => total + dec(text), 0n));
}
