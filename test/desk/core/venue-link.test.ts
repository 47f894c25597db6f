/**
 * The line to an exchange: when the account is compared with it, and what waits meanwhile (engine.md,
 * "Reconciliation").
 */
import { describe, expect, it } from 'vitest';
import { FILLS_AT_ONCE } from '../../../src/desk/core/fills-reader.ts';
import type { QueryOutcome } from '../../../src/domain/exchange.ts';
import { CLOCK_MARGIN_MS } from '../../../src/engine/back-off.ts';
import { StoreError } from '../../../src/store/store.ts';
import { OPERATOR } from '../../engine/support/market.ts';
import { LinkRig, positionOf } from './link-rig.ts';

const MINUTE_MS = 60_000;

const LIQUIDATION = {
  tradeId: 't1',
  clientId: 'liq-1',
  side: 'SELL',
  price: '57000',
  qty: '0.4',
  comm: '1',
  commAsset: 'USDT',
  maker: false,
  rPnl: '-600',
  posSide: 'BOTH',
} as const;

describe('a comparison with the exchange', () => {
  it('that failed is repeated after 1, 2, 5, 10, 30 and 60 s, until it is whole', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = async () => null;
    const at: number[] = [];
    const from = rig.clock.monotonic();
    const openOrders = rig.venue.openOrders.bind(rig.venue);
    rig.venue.openOrders = () => {
      at.push(rig.clock.monotonic() - from);
      return openOrders();
    };
    rig.venue.sink?.stream('gap');
    await rig.clock.advance(40_000);
    rig.venue.openOrdersAre = async () => [];
    await rig.clock.advance(14 * MINUTE_MS);
    expect(at).toEqual([0, 1_000, 3_000, 8_000, 18_000, 48_000]);
    expect(rig.link.reconciled?.whole).toBe(true);
  });

  it('that fails on is tried every minute in the end, since entries wait for it, and the back-off begins anew with the next trouble', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = async () => null;
    rig.venue.sink?.stream('gap');
    await rig.clock.advance(5 * MINUTE_MS);
    expect(rig.venue.asked('openOrders')).toBe(10);
    await rig.clock.advance(60 * MINUTE_MS);
    expect(rig.venue.asked('openOrders')).toBe(60);
    rig.venue.openOrdersAre = async () => [];
    await rig.clock.advance(MINUTE_MS);
    rig.venue.asked('openOrders');
    rig.venue.openOrdersAre = async () => null;
    rig.venue.sink?.stream('gap');
    await rig.clock.advance(1_000);
    expect(rig.venue.asked('openOrders')).toBe(2);
  });

  it('comes every 15 minutes, counted from the end of the last one, and not sooner', async () => {
    const rig = await LinkRig.started();
    for (let n = 0; n < 3; n++) {
      await rig.clock.advance(15 * MINUTE_MS - 1);
      expect(rig.venue.asked('openOrders')).toBe(0);
      await rig.clock.advance(1);
      expect(rig.venue.asked('openOrders')).toBe(1);
    }
  });

  it('is not tried over and over while the connection is down, and comes at once when it is back', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = rig.unanswered;
    rig.venue.sink?.stream('gap');
    await rig.clock.settle();
    rig.venue.sink?.stream('down');
    await rig.clock.advance(10 * MINUTE_MS);
    expect(rig.venue.asked('openOrders')).toBe(1);
    rig.venue.sink?.stream('up');
    await rig.clock.settle();
    expect(rig.venue.asked('openOrders')).toBe(1);
  });

  it('asks for a fill again whose order the store could not tell, and books it then', async () => {
    const rig = await LinkRig.started('futures');
    const fill = { ...LIQUIDATION, symbol: 'BTCUSDT', time: rig.clock.wall() };
    rig.position('BTCUSDT', '0.4');
    rig.venue.fillsAre = async () => [fill];
    const orderAt = rig.store.orderAt.bind(rig.store);
    rig.store.orderAt = () => {
      throw new Error('the order cannot be read, says the test');
    };
    rig.venue.sink?.stream('gap');
    await rig.clock.settle();
    expect(rig.link.reconciled?.whole).toBe(false);
    expect(rig.orders).toEqual([]);
    rig.store.orderAt = orderAt;
    await rig.clock.advance(1_000);
    expect(rig.link.reconciled?.whole).toBe(true);
    expect(rig.orders).toMatchObject([{ id: 'liq-1', external: true, executedQty: '0.4' }]);
  });

  it('that takes longer than the 15 minutes until the next ends, and the start with it', async () => {
    const rig = new LinkRig('futures', 600);
    rig.venue.positionsAre = async () =>
      rig.venue.instruments().map(({ symbol }) => positionOf(symbol, '1', rig.clock.wall()));
    rig.venue.fillsAre = () => new Promise((resolve) => rig.clock.after(2_000, () => resolve([])));
    await rig.until(rig.core.start(), { stepMs: 2_000 });
    // One reading before the account opens, and one comparison.
    expect(rig.venue.asked('openOrders')).toBe(2);
  });

  it('never runs twice at once, and one that is asked for meanwhile begins when it is over', async () => {
    const rig = await LinkRig.started();
    let answer: (open: readonly []) => void = () => {};
    rig.venue.openOrdersAre = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    rig.venue.sink?.stream('gap');
    await rig.clock.settle();
    rig.venue.sink?.stream('gap');
    const asked = rig.link.reconcile();
    await rig.clock.settle();
    expect(rig.venue.asked('openOrders')).toBe(1);
    answer([]);
    await rig.clock.settle();
    expect(rig.venue.asked('openOrders')).toBe(1);
    // What happened after the first comparison began is not covered by it.
    expect(rig.link.hasGap).toBe(true);
    answer([]);
    await rig.until(asked);
    expect(rig.link.hasGap).toBe(false);
  });

  it('is ended by the end of the desk: nothing more is asked, and nobody waits for the answers', async () => {
    const rig = await LinkRig.started('futures', 300);
    rig.venue.positionsAre = async () =>
      rig.venue.instruments().map(({ symbol }) => positionOf(symbol, '1', rig.clock.wall()));
    rig.venue.fillsAre = rig.unanswered;
    const asked = rig.link.reconcile();
    await rig.clock.settle();
    expect(rig.venue.asked('fills')).toBe(FILLS_AT_ONCE);
    await rig.core.stop();
    await rig.until(asked, { limitMs: 0 });
    expect(rig.core.turn.quiet()).toBeUndefined();
    await rig.clock.advance(60 * MINUTE_MS);
    expect(rig.venue.calls).toEqual([]);
  });
});

describe('a fill of which the last balances may know or not', () => {
  const usdt = (free: string, locked: string) => [{ asset: 'USDT', free, locked }];

  /** A resting buy of 500 USDT that the exchange has reported with its balances, without versions of them. */
  async function resting(): Promise<{ rig: LinkRig; fill: (tradeId?: string, qty?: string) => void }> {
    const rig = await LinkRig.started();
    await rig.until(rig.place());
    const [order] = rig.orders;
    if (!order) throw new Error('no order');
    const { id: clientId, symbol } = order;
    const state = { clientId, symbol, origQty: '0.01', cumQty: '0', seq: 1, time: 0 };
    rig.venue.sink?.order({ ...state, status: 'WORKING' });
    rig.venue.sink?.balances(usdt('99500', '500'));
    rig.venue.balancesAre = async () => usdt('99700', '0');
    rig.venue.calls = [];
    const fill = (tradeId = '1', qty = '0.01') => {
      const fee = { comm: '0', commAsset: 'BTC', maker: true, rPnl: null, posSide: 'BOTH' } as const;
      const trade = { tradeId, clientId, symbol, side: 'BUY', price: '50000', qty } as const;
      rig.venue.sink?.fill({ ...trade, ...fee, time: 5 });
    };
    return { rig, fill };
  }

  it('has what is held asked again, once and at once', async () => {
    const { rig, fill } = await resting();
    const { untold } = rig.core.engine.memory.account(rig.venue.account.id).wallet;
    // Somebody has deposited, so it is not known which fills these balances include.
    rig.venue.sink?.balances(usdt('99700', '500'));
    fill();
    expect(untold.hasDoubt).toBe(true);
    await rig.clock.settle();
    expect(rig.venue.asked('balances')).toBe(1);
    expect(untold.hasDoubt).toBe(false);
    await rig.clock.advance(10 * MINUTE_MS);
    expect(rig.venue.calls).toEqual([]);
  });

  it('keeps a replay waiting for that answer, and has the account compared a second later where there was none', async () => {
    const { rig, fill } = await resting();
    const { turn, engine } = rig.core;
    const { untold } = engine.memory.account(rig.venue.account.id).wallet;
    let answer = (): void => {};
    rig.venue.balancesAre = () =>
      new Promise((_, reject) => {
        answer = () => reject(new Error('busy, says the test'));
      });
    rig.venue.sink?.balances(usdt('99700', '500'));
    fill();
    await rig.clock.settle();
    expect(turn.quiet()).toBeInstanceOf(Promise);
    rig.venue.balancesAre = async () => usdt('99700', '0');
    answer();
    await rig.clock.settle();
    expect(turn.quiet()).toBeUndefined();
    expect(untold.hasDoubt).toBe(true);
    expect(rig.venue.asked('balances')).toBe(1);
    expect(rig.venue.calls).toEqual([]);
    await rig.clock.advance(1_000);
    expect(rig.venue.calls).toEqual(expect.arrayContaining(['balances', 'openOrders']));
    expect(untold.hasDoubt).toBe(false);
  });

  it('has the account compared instead when it was asked less than a second before', async () => {
    const { rig, fill } = await resting();
    const { untold } = rig.core.engine.memory.account(rig.venue.account.id).wallet;
    rig.venue.balancesAre = async () => usdt('99700', '500');
    rig.venue.sink?.balances(usdt('99700', '500'));
    fill('1', '0.004');
    await rig.clock.advance(500);
    expect(rig.venue.asked('balances')).toBe(1);
    fill('2', '0.006');
    expect(untold.hasDoubt).toBe(true);
    await rig.clock.advance(900);
    expect(rig.venue.asked('balances')).toBe(0);
    await rig.clock.advance(100);
    expect(rig.venue.calls).toEqual(expect.arrayContaining(['balances', 'openOrders']));
    expect(untold.hasDoubt).toBe(false);
  });

  it('that was told while the question was on its way has it asked once more', async () => {
    const { rig, fill } = await resting();
    rig.venue.balancesAre = async () => {
      // Counted once: its trade is known afterwards.
      fill();
      return usdt('99700', '0');
    };
    rig.venue.sink?.stream('gap');
    await rig.clock.advance(1_000);
    expect(rig.venue.asked('balances')).toBe(2);
    await rig.clock.advance(10 * MINUTE_MS);
    expect(rig.venue.calls).toEqual([]);
  });

  it('asks nothing where balances and orders have said the same so far', async () => {
    const { rig, fill } = await resting();
    fill();
    await rig.clock.advance(10 * MINUTE_MS);
    expect(rig.venue.calls).toEqual([]);
  });
});

describe('an entry after a gap', () => {
  // proves: S61
  it('waits for the comparison and is sent when that is whole', async () => {
    const rig = await LinkRig.started();
    let answer: (open: readonly []) => void = () => {};
    rig.venue.openOrdersAre = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    rig.venue.sink?.stream('gap');
    await rig.clock.settle();
    const placed = rig.place();
    await rig.clock.advance(1_900);
    expect(rig.venue.calls).toEqual(['balances', 'openOrders']);
    expect(rig.orders).toEqual([]);
    answer([]);
    expect((await rig.until(placed)).status).toBe(200);
    expect(rig.venue.asked('submit')).toBe(1);
  });

  // proves: S61
  it('waits 2 s and no longer: then it is answered 503 with the time to wait, and nothing is stored', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = rig.unanswered;
    rig.venue.sink?.stream('gap');
    const from = rig.clock.monotonic();
    const answer = await rig.until(rig.place());
    expect(rig.clock.monotonic() - from).toBe(2_000);
    expect(answer).toMatchObject({ status: 503, outcome: { error: { retryAfterS: expect.any(Number) } } });
    expect(rig.orders).toEqual([]);
    expect(rig.venue.asked('submit')).toBe(0);
  });

  it('waits between two comparisons, too, when the first one failed', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = async () => null;
    rig.venue.sink?.stream('gap');
    await rig.clock.settle();
    rig.venue.openOrdersAre = async () => [];
    const placed = rig.place();
    await rig.clock.settle();
    expect(rig.venue.asked('submit')).toBe(0);
    expect((await rig.until(placed)).status).toBe(200);
  });

  it('is answered at once while the connection is down, even when it breaks while the entry waits', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = rig.unanswered;
    rig.venue.sink?.stream('gap');
    const placed = rig.place();
    await rig.clock.settle();
    rig.venue.sink?.stream('down');
    expect((await rig.until(placed, { limitMs: 0 })).status).toBe(503);
    expect((await rig.until(rig.place(), { limitMs: 0 })).status).toBe(503);
  });

  it('is what waits: a close goes out at once', async () => {
    const rig = await LinkRig.started('futures');
    const { id } = rig.venue.account;
    const position = { symbol: 'BTCUSDT', side: 'BOTH', amount: '1', markPrice: '60000' } as never;
    rig.core.turn.step({ type: 'venue.positions', exchange: id, changed: [position] });
    rig.venue.balancesAre = rig.unanswered;
    rig.venue.sink?.stream('gap');
    const close = { type: 'MARKET', side: 'SELL', price: undefined } as const;
    void rig.place({ ...close, quantity: '0.6' });
    await rig.clock.settle();
    expect(rig.venue.asked('submit')).toBe(1);
    // With the orders that close already it would exceed the position: the rest opens the other side.
    void rig.place({ ...close, quantity: '0.5' });
    await rig.clock.settle();
    expect(rig.venue.asked('submit')).toBe(0);
    void rig.place({ ...close, quantity: '0.4' });
    await rig.clock.settle();
    expect(rig.venue.asked('submit')).toBe(1);
  });
});

describe('a leverage', () => {
  it.each([{ side: 'SHORT' } as const, {}])('reaches the exchange as it was asked for: %j', async (side) => {
    const rig = await LinkRig.started('futures');
    const asked: unknown[] = [];
    const { account, futures } = rig.venue;
    if (futures) {
      futures.setLeverage = async (change) => {
        asked.push(change);
        return { kind: 'done' };
      };
    }
    const setting = { kind: 'leverage', symbol: 'BTCUSDT', leverage: 5, ...side } as const;
    const command = { type: 'setting', exchange: account.id, setting } as const;
    const answer = await rig.until(rig.core.execute(OPERATOR, command, { requestId: 'r' }));
    expect(answer.status).toBe(200);
    expect(asked).toEqual([{ symbol: 'BTCUSDT', leverage: 5, ...side }]);
  });
});

describe('an order whose outcome is unknown', () => {
  it('is not settled by "not found" to a question from within the validity window, however late the answer is', async () => {
    const rig = await LinkRig.started();
    rig.venue.submitted = async () => ({ kind: 'unknown', cause: 'socket hang up' });
    let asked = 0;
    const late = new Promise<QueryOutcome>((resolve) =>
      rig.clock.after(8_000, () => resolve({ kind: 'absent' })),
    );
    rig.venue.query = () => (asked++ === 0 ? late : rig.unanswered());
    void rig.place();
    await rig.clock.advance(9_000);
    expect(rig.orders[0]).toMatchObject({ status: 'NEW', phase: 'unresolved' });
    rig.venue.query = async () => ({ kind: 'absent' });
    await rig.clock.advance(10_000);
    expect(rig.orders[0]?.status).toBe('ERROR');
  });
});

describe('an adapter that keeps a request back', () => {
  const SEND_WITHIN_MS = 2_000;

  it('is told until when, and "not found" counts from there', async () => {
    const rig = new LinkRig('spot', 1, undefined, { sendWithinMs: SEND_WITHIN_MS });
    const deadlines: (number | undefined)[] = [];
    rig.venue.submit = async (_order, deadline) => {
      deadlines.push(deadline?.notAfter);
      return { kind: 'unknown', cause: 'socket hang up' };
    };
    await rig.until(rig.core.start());
    const from = rig.clock.monotonic();
    void rig.place();
    const { validityWindowMs } = rig.venue.caps;
    await rig.clock.advance(SEND_WITHIN_MS + validityWindowMs + CLOCK_MARGIN_MS - 1);
    expect(deadlines).toEqual([from + SEND_WITHIN_MS]);
    expect(rig.orders[0]).toMatchObject({ status: 'NEW', phase: 'unresolved' });
    await rig.clock.advance(1);
    expect(rig.orders[0]?.status).toBe('ERROR');
    rig.venue.cancel = async (_ref, deadline) => {
      deadlines.push(deadline?.notAfter);
      return { kind: 'unknown', cause: 'timeout' };
    };
    rig.venue.submit = (order) => rig.venue.submitted(order);
    await rig.until(rig.place());
    void rig.core.execute(
      OPERATOR,
      { type: 'cancel', exchange: rig.venue.account.id, id: rig.orders[1]?.id ?? '' },
      { requestId: 'r' },
    );
    await rig.clock.settle();
    expect(deadlines[1]).toBe(rig.clock.monotonic() + SEND_WITHIN_MS);
  });
});

// proves: S57, D22
describe('a wall clock that is set', () => {
  const told = (rig: LinkRig) => rig.core.log.filter(({ text }) => /wall clock/.test(text));

  it('forward, as by a sleep, is a gap: it is told once, the account is compared, and entries wait', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = rig.unanswered;
    rig.clock.jump(3 * 3_600_000);
    const placed = rig.place();
    await rig.clock.settle();
    expect(rig.venue.calls).toEqual(['balances', 'openOrders']);
    expect((await rig.until(placed)).status).toBe(503);
    await rig.clock.advance(60_000);
    expect(told(rig)).toHaveLength(1);
    expect(told(rig)[0]).toMatchObject({ level: 'warn', text: expect.stringContaining('10800.0 s') });
    expect(rig.core.clockJump).toMatchObject({ byMs: 3 * 3_600_000 });
  });

  it('forward is noticed without a request, too; end dates come first', async () => {
    const rig = await LinkRig.started();
    const goodTillDate = rig.clock.wall() + 60_000;
    await rig.until(rig.place({ timeInForce: 'GTD', goodTillDate }));
    rig.venue.calls = [];
    rig.clock.jump(3_600_000);
    await rig.clock.advance(2_000);
    expect(rig.venue.calls.slice(0, 2)).toEqual(['cancel', 'balances']);
  });

  it('back is told and compares nothing', async () => {
    const rig = await LinkRig.started();
    rig.clock.jump(-3_600_000);
    await rig.clock.advance(60_000);
    expect(told(rig)).toHaveLength(1);
    expect(rig.venue.calls).toEqual([]);
  });

  it('forward does not make "not found" final before the validity window is over', async () => {
    const rig = await LinkRig.started();
    rig.venue.submitted = async () => ({ kind: 'unknown', cause: 'socket hang up' });
    void rig.place();
    await rig.clock.settle();
    rig.clock.jump(20_000);
    await rig.clock.advance(5_900);
    expect(rig.orders[0]?.status).toBe('NEW');
    await rig.clock.advance(1_000);
    expect(rig.orders[0]?.status).toBe('ERROR');
  });
});

describe('an account whose opening fails in the store of the desk', () => {
  it('after a first failed try is tried again until it is open', async () => {
    const rig = new LinkRig();
    const open = rig.venue.open.bind(rig.venue);
    const errors: Error[] = [
      new Error('no route, says the test'),
      new StoreError('IO', 'the disk fails, says the test', { cause: { errcode: 10 } }),
    ];
    rig.venue.open = async (sink) => {
      const error = errors.shift();
      if (error) throw error;
      await open(sink);
    };
    await rig.until(rig.core.start());
    expect(rig.link.away).toContain('no route');
    await rig.clock.advance(1_000);
    expect(rig.link.away).toContain('the disk fails');
    await rig.clock.advance(2_000);
    expect(rig.link.away).toBeNull();
  });
});
