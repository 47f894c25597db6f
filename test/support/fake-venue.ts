/**
 * An exchange other than paper whose answers a test sets: for behaviour of real exchanges that paper never
 * has.
 */

import type {
  CancelOutcome,
  ExchangeAccount,
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
  QueryOutcome,
  SubmitOutcome,
} from '../../src/domain/exchange.ts';
import type { Instrument } from '../../src/domain/instrument.ts';
import type { ExchangePosition, LeverageInfo, SettingOutcome } from '../../src/domain/position.ts';
import type { FillsPage, FillsQuery, FuturesVenue, Venue, VenueSink } from '../../src/venues/venue.ts';
import { BTC, CAPS, SPOT } from '../engine/support/market.ts';
import { pageOf } from './page-of.ts';

export interface FakeVenueOptions {
  readonly id?: string;
  readonly kind?: 'spot' | 'futures';
  /** Left out: the market named after the exchange (`marketOf`). */
  readonly market?: string;
}

const done = async (): Promise<SettingOutcome> => ({ kind: 'done' });

export class FakeVenue implements Venue {
  readonly account: ExchangeAccount;
  readonly caps = CAPS;
  readonly futures?: FuturesVenue;
  sink: VenueSink | null = null;
  readonly sent: ExchangeOrder[] = [];
  /** Client ids of cancelled orders. */
  readonly cancelled: string[] = [];
  /** The answers; each may be replaced at any time. Null: the request failed. */
  answers = {
    submit: async (order: ExchangeOrder): Promise<SubmitOutcome> => ({
      kind: 'accepted',
      state: this.working(order),
    }),
    cancel: async (): Promise<CancelOutcome> => ({ kind: 'unknown', cause: 'no answer' }),
    query: async (): Promise<QueryOutcome> => ({ kind: 'unknown', cause: 'no answer' }),
    openOrders: async (): Promise<readonly ExchangeOrderState[] | null> => [],
    fills: async (): Promise<readonly ExchangeFill[] | null> => [],
    balances: async (): Promise<readonly ExchangeBalance[] | null> => [
      { asset: 'USDT', free: '100000', locked: '0' },
    ],
    positions: async (): Promise<readonly ExchangePosition[] | null> => [],
    leverage: async (): Promise<readonly LeverageInfo[] | null> => [],
    hedgeMode: async (): Promise<boolean | null> => false,
    set: done,
  };
  /** Mark price by symbol. */
  readonly marks = new Map<string, string>();
  /** The instruments; `trades` replaces them and reports the change. */
  list: readonly Instrument[];
  #seq = 0;

  constructor({ id = SPOT, kind = 'spot', market }: FakeVenueOptions = {}) {
    this.account = { id, name: id, kind, ...(market ? { market } : {}) };
    this.list = [{ ...BTC, exchange: id, kind }];
    if (kind === 'futures') this.futures = this.#futures();
  }

  async open(sink: VenueSink): Promise<void> {
    this.sink = sink;
  }

  async close(): Promise<void> {}

  instruments(): readonly Instrument[] {
    return this.list;
  }

  /** Sets the instruments from now on. */
  trades(...list: readonly Instrument[]): void {
    this.list = list;
    this.sink?.instruments?.(list);
  }

  submit(order: ExchangeOrder): Promise<SubmitOutcome> {
    this.sent.push(order);
    return this.answers.submit(order);
  }

  cancel({ clientId }: { clientId: string }): Promise<CancelOutcome> {
    this.cancelled.push(clientId);
    return this.answers.cancel();
  }

  query(): Promise<QueryOutcome> {
    return this.answers.query();
  }

  openOrders(): Promise<readonly ExchangeOrderState[] | null> {
    return this.answers.openOrders();
  }

  async fills(asked: FillsQuery): Promise<FillsPage | null> {
    return pageOf(await this.answers.fills(), asked);
  }

  balances(): Promise<readonly ExchangeBalance[] | null> {
    return this.answers.balances();
  }

  /** The state of the order while it rests. */
  working(order: ExchangeOrder): ExchangeOrderState {
    this.#seq += 1;
    const { clientId, symbol, quantity = '0' } = order;
    return { clientId, symbol, status: 'WORKING', origQty: quantity, cumQty: '0', seq: this.#seq, time: 0 };
  }

  #futures(): FuturesVenue {
    return {
      positions: () => this.answers.positions(),
      markPrice: (symbol) => this.marks.get(symbol) ?? null,
      leverage: () => this.answers.leverage(),
      setLeverage: () => this.answers.set(),
      setMarginType: () => this.answers.set(),
      marginMode: async () => 1,
      setMarginMode: () => this.answers.set(),
      hedgeMode: () => this.answers.hedgeMode(),
      setHedgeMode: () => this.answers.set(),
      brackets: () => [],
    };
  }
}
