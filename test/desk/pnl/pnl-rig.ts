/**
 * A desk as the PnL book sees it: rows in a store, accounts in an engine's memory, prices that the test sets.
 * Two accounts share the wallet `uni`, a third has one of its own.
 */
import { onTestFinished } from 'vitest';
import type { Turn } from '../../../src/desk/core/turn.ts';
import type { PnlQuery, PnlTrade, PnlView } from '../../../src/desk/pnl/pnl-methods.ts';
import { type PnlDesk, readPnl } from '../../../src/desk/pnl/read-pnl.ts';
import { dec } from '../../../src/domain/decimal.ts';
import type { Outcome } from '../../../src/domain/errors.ts';
import type { LedgerRecord } from '../../../src/domain/ledger.ts';
import type { FillRecord, OrderRecord } from '../../../src/domain/order.ts';
import type { ExchangePosition } from '../../../src/domain/position.ts';
import type { Candle, Row } from '../../../src/domain/rows.ts';
import { Engine } from '../../../src/engine/engine.ts';
import type { LedgerMemory } from '../../../src/engine/ledger.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import type { Store } from '../../../src/store/store.ts';
import { BTC, CAPS, ETH } from '../../engine/support/market.ts';
import { fill, order } from '../../store/rows.ts';

export const SPOT = 'uni-spot';
export const FUTURES = 'uni-futures';
export const OWN = 'own-spot';
const MINUTE = 60_000;
/** The present: a full minute. */
export const NOW = Date.UTC(2026, 10, 26, 12);

export interface PnlRig {
  readonly engine: Engine;
  readonly store: Store;
  readonly desk: PnlDesk;
  /** Closes of the minutes before a time, by `market symbol`; the same at all times unless replaced. */
  readonly prices: Map<string, (time: number) => string | null>;
  /** Times at which the desk went on. */
  pauses: number;
  /** Called at each pause. */
  paused: () => void;
  /** Stores a fill; its trade id is the number of those before it. */
  fill(exchange: string, time: number, change: Partial<FillRecord>): void;
  /** Stores a row of a wallet's ledger. */
  ledger(wallet: string, time: number, change: Partial<LedgerRecord>): void;
  order(id: string, change: Partial<OrderRecord>): void;
  holds(account: string, asset: string, free: string, locked?: string): void;
  position(symbol: string, change: Partial<ExchangePosition>): void;
  ask(q?: Partial<PnlQuery>): Promise<Outcome<PnlView>>;
  read(q?: Partial<PnlQuery>): Promise<PnlView>;
  /** Closed trades as they were told while the book was read, by batch. */
  readonly told: (readonly PnlTrade[])[];
}

export function pnlRig(change: Partial<PnlDesk> = {}, bots: PnlDesk['core']['bots'] = null): PnlRig {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const engine = new Engine();
  const add = (id: string, kind: 'spot' | 'futures', market: string, wallet?: string) => {
    const account = { id, name: id, kind, market, ...(wallet === undefined ? {} : { wallet }) };
    const own = { exchange: id, kind } as const;
    const list = [BTC, ETH].map((one) => ({ ...one, ...own }));
    engine.memory.addAccount(account, CAPS, list, { ledger: openedLedger() });
  };
  add(SPOT, 'spot', 'm-spot', 'uni');
  add(FUTURES, 'futures', 'm-futures', 'uni');
  add(OWN, 'spot', 'n-spot');
  let n = 0;
  const commit = (...rows: Row[]) => store.commit(rows);
  const prices: PnlRig['prices'] = new Map();
  const candles: PnlDesk['history']['candles'] = (market, symbol, frameMs, _from, to): readonly Candle[] => {
    const close = frameMs === MINUTE ? (prices.get(`${market} ${symbol}`)?.(to) ?? null) : null;
    if (close === null) return [];
    return [{ time: to - MINUTE, open: '1', high: close, low: '1', close, volume: '1' }];
  };
  const turn = { read: async <T>(run: () => T) => run() } as unknown as Turn;
  const desk: PnlDesk = {
    core: { engine, turn, bots },
    store,
    history: { candles },
    marketTime: () => NOW,
    timeZone: 'UTC',
    pause: async () => {
      rig.pauses += 1;
      rig.paused();
    },
    ...change,
  };
  const rig: PnlRig = {
    engine,
    store,
    desk,
    prices,
    pauses: 0,
    paused: () => {},
    told: [],
    fill: (exchange, time, of) =>
      commit({
        kind: 'fill',
        fill: fill(`${++n}`, `o${n}`, { exchange, time, price: '100', qty: '1', ...of }),
      }),
    ledger: (wallet, time, of) => {
      n += 1;
      const record = { exchange: wallet, user: 'owner', id: `${n}`, time, asset: 'USDT', amount: '1' };
      commit({ kind: 'ledger', record: { kind: 'transfer', ...record, ...of } });
    },
    order: (id, of) => commit({ kind: 'order', order: order(id, of) }),
    holds: (account, asset, free, locked = '0') =>
      void engine.memory
        .account(account)
        .wallet.balances.set(asset, { free: dec(free), locked: dec(locked) }),
    position: (symbol, of) => {
      const position = {
        symbol,
        side: 'BOTH',
        amount: '1',
        entryPrice: '100',
        markPrice: '100',
        unrealizedProfit: '0',
        ...of,
      } as ExchangePosition;
      engine.memory.account(FUTURES).futures?.positions.set(`${symbol} ${position.side}`, position);
    },
    ask: (q = {}) =>
      readPnl(desk, { by: 'symbol', points: 1, ...q }, async (trades) => void rig.told.push(trades)),
    read: async (q) => {
      const answer = await rig.ask(q);
      if (!answer.ok) throw new Error(answer.error.message);
      return answer.data;
    },
  };
  return rig;
}

function openedLedger(): LedgerMemory {
  return {
    place: { since: 0, after: null, opened: true, unexplained: 0 },
    sums: new Map(),
    suspects: new Map(),
    asking: new Set(),
    comparedAt: new Map(),
    unsure: false,
  };
}
