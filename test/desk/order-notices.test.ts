/**
 * Notices of orders: what each change of an order is told as, once, to whom it was chosen for; and the limit per
 * minute, by kind.
 */
import { describe, expect, it } from 'vitest';
import { NOTICES_PER_MINUTE, NoticePace } from '../../src/desk/alerts/notice-pace.ts';
import { OrderNotices } from '../../src/desk/alerts/order-notices.ts';
import { compiledNotices, NOTICE_KINDS, type NoticeOptions } from '../../src/domain/notices.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { Effect } from '../../src/engine/step.ts';
import { order } from '../store/rows.ts';

const ALL = Object.fromEntries(NOTICE_KINDS.map((kind) => [kind, [`to-${kind}`]]));
const LOST = {
  phase: 'unresolved',
  submission: { sentAt: 1, unresolved: { cause: 'HTTP 502' } },
} as unknown as Partial<OrderRecord>;

const changed = (id: string, change: Partial<OrderRecord> = {}): Effect => ({
  kind: 'order-event',
  user: 'owner',
  event: 'ORDER_UPDATE',
  order: order(id, { origQty: '10', ...change }),
});

function rig(options: NoticeOptions = {}) {
  const notices = new OrderNotices(compiledNotices({ ...options, to: { ...ALL, ...options.to } }));
  const alerts = (...effects: Effect[]) => notices.of(effects, 77);
  const told = (...effects: Effect[]) => alerts(...effects).map(({ alert }) => alert.message);
  return { notices, alerts, told };
}

describe('an order', () => {
  it('is told of by what it has executed, as often as that grows', () => {
    const { alerts, told } = rig();
    expect(told(changed('a'))).toEqual([]);
    expect(alerts(changed('a', { executedQty: '4', quoteQty: '410' }))).toEqual([
      {
        kind: 'bot-alert',
        user: 'owner',
        botId: '',
        runId: '',
        market: 77,
        targets: ['to-partial_fill'],
        alert: {
          condition: 'ORDER_PARTIALLY_FILLED',
          symbol: 'BTCUSDT',
          message: 'partly filled: 4 of BUY 10 BTCUSDT on paper-spot at 102.5',
          price: '102.5',
        },
      },
    ]);
    expect(told(changed('a', { executedQty: '4', quoteQty: '410' }))).toEqual([]);
    // An older state, which says less, is nothing new.
    expect(told(changed('a', { executedQty: '3', quoteQty: '300' }))).toEqual([]);
    const whole = { executedQty: '10', quoteQty: '1000', status: 'CLOSED', phase: 'done' } as const;
    expect(alerts(changed('a', whole))).toMatchObject([
      {
        targets: ['to-fill'],
        alert: {
          condition: 'ORDER_FILLED',
          message: 'filled: BUY 10 BTCUSDT on paper-spot at 100',
          price: '100',
        },
      },
    ]);
    expect(told(changed('a', whole))).toEqual([]);
  });

  it('is told of by its last state in a step, beside others', () => {
    const { told } = rig();
    const sold = { side: 'SELL', exchange: 'paper-futures', symbol: 'ETHUSDT' } as const;
    expect(
      told(
        changed('a', { executedQty: '1', quoteQty: '100' }),
        changed('b', { ...sold, executedQty: '3', quoteQty: '100' }),
        changed('a', { executedQty: '10', quoteQty: '1000', status: 'CLOSED' }),
        changed('c'),
      ),
    ).toEqual([
      'filled: BUY 10 BTCUSDT on paper-spot at 100',
      'partly filled: 3 of SELL 10 ETHUSDT on paper-futures at 33.33333333',
    ]);
  });

  it('without a known price is told of without one', () => {
    const { alerts } = rig();
    expect(alerts(changed('a', { executedQty: '4' }))).toMatchObject([
      { alert: { message: 'partly filled: 4 of BUY 10 BTCUSDT on paper-spot', price: null } },
    ]);
  });

  it('that is a stop was hit with its first execution, and fills with later ones', () => {
    for (const type of ['STOP_MARKET', 'STOP_LIMIT'] as const) {
      const { alerts, told } = rig();
      const stop = { type, side: 'SELL' } as const;
      expect(alerts(changed('a', { ...stop, executedQty: '4', quoteQty: '396' }))).toMatchObject([
        {
          targets: ['to-stop_hit'],
          alert: { condition: 'STOP_HIT', message: 'stop hit: SELL 4 BTCUSDT at 99 on paper-spot' },
        },
      ]);
      expect(told(changed('a', { ...stop, executedQty: '10', quoteQty: '990', status: 'CLOSED' }))).toEqual([
        'filled: SELL 10 BTCUSDT on paper-spot at 99',
      ]);
      expect(told(changed('b', { ...stop, executedQty: '10', quoteQty: '980', status: 'CLOSED' }))).toEqual([
        'stop hit: SELL 10 BTCUSDT at 98 on paper-spot',
      ]);
    }
    const { told } = rig();
    expect(told(changed('a', { type: 'TAKE_PROFIT_MARKET', executedQty: '4', quoteQty: '400' }))).toEqual([
      'partly filled: 4 of BUY 10 BTCUSDT on paper-spot at 100',
    ]);
  });

  it('whose outcome is unknown is told of as often as it becomes so', () => {
    const { alerts, told } = rig();
    const words =
      'BUY 10 BTCUSDT on paper-spot: its outcome is unknown (HTTP 502); the exchange is being asked';
    expect(alerts(changed('a', LOST))).toMatchObject([
      { targets: ['to-unresolved'], alert: { condition: 'ORDER_UNRESOLVED', message: words, price: null } },
    ]);
    expect(told(changed('a', LOST))).toEqual([]);
    expect(told(changed('b', LOST))).toEqual([words]);
    expect(told(changed('a', { phase: 'live' }))).toEqual([]);
    expect(told(changed('a', LOST))).toEqual([words]);
    expect(told(changed('c', { phase: 'unresolved' }))).toEqual([
      'BUY 10 BTCUSDT on paper-spot: its outcome is unknown (no answer); the exchange is being asked',
    ]);
  });

  it('whose outcome is unknown is told of as executed when that grows', () => {
    const { told } = rig();
    expect(told(changed('a', LOST))).toHaveLength(1);
    expect(told(changed('a', { ...LOST, executedQty: '4', quoteQty: '400' }))).toEqual([
      'partly filled: 4 of BUY 10 BTCUSDT on paper-spot at 100',
    ]);
  });

  it('that ends before all of it is executed has not filled', () => {
    for (const status of ['CANCELLED', 'REJECTED', 'EXPIRED'] as const) {
      const { told } = rig();
      const end = {
        status,
        phase: 'done',
        executedQty: '4',
        quoteQty: '400',
      } as unknown as Partial<OrderRecord>;
      expect(told(changed('a', end))).toEqual(['partly filled: 4 of BUY 10 BTCUSDT on paper-spot at 100']);
    }
  });

  it('is told of to nobody when it is somebody else’s or a bot’s, and not later for what was before', () => {
    const bot = { creator: 'BOT', creatorId: 'b1' } as const;
    const { told } = rig();
    expect(
      told(changed('a', { ...bot, executedQty: '4' }), changed('b', { user: 'other', executedQty: '4' })),
    ).toEqual([]);
    expect(told(changed('c', { ...bot, ...LOST }))).toEqual([]);
    const all = rig({ ofBots: true });
    expect(all.told(changed('a', { ...bot, executedQty: '4' }))).toHaveLength(1);
    expect(all.told(changed('b', { user: 'other', executedQty: '4' }))).toEqual([]);
  });

  it('of a kind that goes nowhere is told of to nobody, and counts as told', () => {
    const { told } = rig({ to: { partial_fill: [] } });
    expect(told(changed('a', { executedQty: '4', quoteQty: '400' }))).toEqual([]);
    expect(told(changed('a', { executedQty: '10', quoteQty: '1000', status: 'CLOSED' }))).toHaveLength(1);
  });

  it('that was loaded or put back is not told of as it is; one that was forgotten is known no more', () => {
    const { notices, told } = rig();
    const half = { executedQty: '4', quoteQty: '400' };
    notices.load([order('a', half), order('b', LOST)]);
    expect(told(changed('a', half), changed('b', LOST))).toEqual([]);
    notices.recalled(order('c', half));
    expect(told(changed('c', half))).toEqual([]);
    // What is in memory already is known better than it was stored.
    told(changed('c', { executedQty: '6', quoteQty: '600' }));
    notices.recalled(order('c', half));
    expect(told(changed('c', { executedQty: '6', quoteQty: '600' }))).toEqual([]);
    notices.load([order('c', { executedQty: '7' })]);
    expect(told(changed('c', { executedQty: '7' }))).toEqual([]);
    expect(told(changed('a', half))).toHaveLength(1);
    expect(told({ kind: 'forgotten', orderId: 'c' })).toEqual([]);
    notices.recalled(order('c', half));
    expect(told(changed('c', { executedQty: '7', quoteQty: '700' }))).toHaveLength(1);
  });
});

describe('the limit per minute', () => {
  it('is each kind’s own, and what went beyond is said once, in the next minute', () => {
    const warned: string[] = [];
    const pace = new NoticePace((text) => warned.push(text));
    const minute = 60_000 * 1_000;
    const admitted = (count: number, kind: 'fill' | 'guard', now: number) =>
      Array.from({ length: count }, () => pace.admits(kind, now)).filter(Boolean).length;
    expect(NOTICES_PER_MINUTE).toBe(30);
    expect(admitted(30, 'fill', minute)).toBe(30);
    expect(admitted(3, 'fill', minute + 59_999)).toBe(0);
    expect(admitted(30, 'guard', minute + 59_999)).toBe(30);
    expect(warned).toEqual([]);
    // Any kind closes the minute of all.
    expect(admitted(1, 'guard', minute + 60_000)).toBe(1);
    expect(warned).toEqual(['notices: 3 more of fill within a minute were not told']);
    expect(admitted(31, 'fill', minute + 60_000)).toBe(30);
    expect(admitted(1, 'fill', minute + 600_000)).toBe(1);
    expect(warned.slice(1)).toEqual(['notices: 1 more of fill within a minute were not told']);
    // A wall clock that was set back begins a minute, too.
    expect(admitted(31, 'fill', minute)).toBe(30);
    expect(warned).toHaveLength(2);
  });
});
