/**
 * Notices of conditions: at which value each begins and ends, that it is told once as long as it lasts, and that
 * two accounts, two positions and two links do not stand for each other.
 */
import { describe, expect, it } from 'vitest';
import { ConditionNotices, type LineLook } from '../../src/desk/alerts/condition-notices.ts';
import type { Notice } from '../../src/desk/alerts/notice.ts';
import { dec } from '../../src/domain/decimal.ts';
import { type Guards, NO_GUARDS } from '../../src/domain/guards.ts';
import { compiledNotices, NOTICE_KINDS, type NoticeOptions } from '../../src/domain/notices.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { Engine } from '../../src/engine/engine.ts';
import { newGuards } from '../../src/engine/guard-settings.ts';
import { BTC, ETH, FUTURES_CAPS } from '../engine/support/market.ts';
import { order } from '../store/rows.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const ALL = Object.fromEntries(NOTICE_KINDS.map((kind) => [kind, ['console']]));
/** The rest of a position. */
const FLAT = {
  entryPrice: '100',
  breakEvenPrice: '100',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 20,
  isolatedWallet: '0',
  maintenanceMarginRate: '0',
  maintenanceMargin: '0',
  realizedPnl: '0',
  updateTime: 0,
};
const [ONE, TWO] = ['one-futures', 'two-futures'];

function rig(options: NoticeOptions = {}) {
  const clock = new VirtualClock();
  const { memory } = new Engine();
  for (const id of [ONE, TWO]) {
    const account = { id, name: id, kind: 'futures', market: `m-${id}` } as const;
    memory.addAccount(account, FUTURES_CAPS, [
      { ...BTC, exchange: id, kind: 'futures' },
      { ...ETH, exchange: id, kind: 'futures' },
    ]);
    memory.account(id).unread.clear();
  }
  const told: Notice[] = [];
  const lines: LineLook[] = [];
  const notices = new ConditionNotices({
    settings: compiledNotices({ ...options, to: { ...ALL, ...options.to } }),
    clock,
    memory: () => memory,
    lines: () => lines,
    tell: (notice) => void told.push(notice),
  });
  return {
    clock,
    memory,
    lines,
    notices,
    told,
    /** Changes something, lets it be looked at, and returns what was told since. */
    async look(change: () => void = () => {}): Promise<string[]> {
      change();
      notices.changed();
      const before = told.length;
      await clock.advance(1_000);
      return told.slice(before).map(({ message }) => message);
    },
    /** Sets a position whose liquidation is so far away, in percent. */
    position(id: string, percent: string, change: Partial<ExchangePosition> = {}): void {
      const position = { symbol: 'BTCUSDT', side: 'BOTH', amount: '2', markPrice: '100', ...change };
      const liquidationPrice = String(100 - Number(percent));
      const whole = { ...FLAT, liquidationPrice, ...position };
      memory
        .account(id)
        .futures?.positions.set(`${position.symbol} ${position.side}`, whole as ExchangePosition);
    },
    guard(id: string, set: Partial<Guards>): void {
      memory.account(id).guards = newGuards({ ...NO_GUARDS, ...set });
    },
    /** Makes so many open orders on an account. */
    orders(id: string, count: number): void {
      for (const known of [...memory.orders.values()]) if (known.exchange === id) memory.forget(known.id);
      for (let n = 0; n < count; n++)
        memory.addOrder(order(`${id}-${n}`, { exchange: id, isContract: true }), []);
    },
  };
}

describe('a liquidation', () => {
  it('is near at the limit, not beyond, and ends a tenth beyond it', async () => {
    const r = rig();
    expect(await r.look(() => r.position(ONE, '5.01'))).toEqual([]);
    expect(await r.look(() => r.position(ONE, '5'))).toEqual([
      `liquidation near: LONG 2 BTCUSDT on ${ONE} is 5.00 % from 95`,
    ]);
    for (const percent of ['4', '5', '5.5', '3'])
      expect(await r.look(() => r.position(ONE, percent))).toEqual([]);
    expect(await r.look(() => r.position(ONE, '5.51'))).toEqual([]);
    expect(await r.look(() => r.position(ONE, '5.5'))).toEqual([]);
    expect(await r.look(() => r.position(ONE, '4.99'))).toHaveLength(1);
    expect(r.told.at(-1)).toMatchObject({ kind: 'liquidation', symbol: 'BTCUSDT', price: '100' });
  });

  it('is each position’s own: of each account, symbol and side', async () => {
    const r = rig({ liquidationPercent: 10 });
    expect(await r.look(() => r.position(ONE, '9'))).toHaveLength(1);
    const short = { side: 'SHORT', amount: '3' } as const;
    expect(
      await r.look(() => {
        r.position(TWO, '9');
        r.position(ONE, '9', { symbol: 'ETHUSDT' });
        r.position(ONE, '-8', short);
      }),
    ).toEqual([
      `liquidation near: LONG 2 ETHUSDT on ${ONE} is 9.00 % from 91`,
      `liquidation near: SHORT 3 BTCUSDT on ${ONE} is 8.00 % from 108`,
      `liquidation near: LONG 2 BTCUSDT on ${TWO} is 9.00 % from 91`,
    ]);
    // One of them ends and begins again.
    expect(await r.look(() => r.position(TWO, '20'))).toEqual([]);
    expect(await r.look(() => r.position(TWO, '9'))).toHaveLength(1);
  });

  it('is none of a position without an amount, without such a price, or of an account that was not read', async () => {
    const r = rig();
    expect(
      await r.look(() => {
        r.position(ONE, '1', { amount: '0' });
        r.position(TWO, '1', { liquidationPrice: null });
      }),
    ).toEqual([]);
    r.memory.account(ONE).unread.add('balances');
    expect(await r.look(() => r.position(ONE, '1'))).toEqual([]);
    r.memory.account(ONE).unread.clear();
    expect(await r.look()).toHaveLength(1);
  });

  it('is told behind an account that was not read, and positions that have none', async () => {
    const r = rig();
    r.memory.account(ONE).unread.add('balances');
    const told = await r.look(() => {
      r.position(ONE, '1');
      r.position(TWO, '50');
      r.position(TWO, '1', { side: 'LONG', amount: '0' });
      r.position(TWO, '1', { symbol: 'ETHUSDT', side: 'LONG', liquidationPrice: null });
      r.position(TWO, '-4', { symbol: 'ETHUSDT', side: 'SHORT', amount: '3' });
    });
    expect(told).toEqual([`liquidation near: SHORT 3 ETHUSDT on ${TWO} is 4.00 % from 104`]);
  });

  it('follows the mark price of now', async () => {
    const r = rig();
    expect(await r.look(() => r.position(ONE, '50'))).toEqual([]);
    r.memory.market(`m-${TWO}`).marks.set('BTCUSDT', dec('51'));
    expect(await r.look()).toEqual([]);
    r.memory.market(`m-${ONE}`).marks.set('BTCUSDT', dec('52'));
    expect(await r.look()).toEqual([`liquidation near: LONG 2 BTCUSDT on ${ONE} is 3.85 % from 50`]);
  });
});

describe('a guard', () => {
  it('is near at its share, told once, and ends a tenth below it', async () => {
    const r = rig({ guardPercent: 80 });
    r.guard(ONE, { maxOpenOrders: 100 });
    expect(await r.look(() => r.orders(ONE, 79))).toEqual([]);
    expect(await r.look(() => r.orders(ONE, 80))).toEqual([`guard at 80 %: 80 of 100 open orders on ${ONE}`]);
    for (const count of [79, 90, 73, 80]) expect(await r.look(() => r.orders(ONE, count))).toEqual([]);
    expect(await r.look(() => r.orders(ONE, 71))).toEqual([]);
    expect(await r.look(() => r.orders(ONE, 79))).toEqual([]);
    expect(await r.look(() => r.orders(ONE, 100))).toEqual([
      `guard at 100 %: 100 of 100 open orders on ${ONE}`,
    ]);
  });

  it('is each account’s own, and each of its guards’', async () => {
    const r = rig({ guardPercent: 50 });
    r.guard(ONE, { maxOpenOrders: 4, maxOrdersPerMinute: 10 });
    r.guard(TWO, { maxOpenOrders: 2 });
    expect(await r.look(() => r.orders(ONE, 2))).toEqual([`guard at 50 %: 2 of 4 open orders on ${ONE}`]);
    expect(await r.look(() => r.orders(TWO, 1))).toEqual([`guard at 50 %: 1 of 2 open orders on ${TWO}`]);
    const entries = (count: number) => {
      const { guards } = r.memory.account(ONE);
      if (guards) guards.sent = Array.from({ length: count }, () => r.clock.monotonic());
    };
    expect(await r.look(() => entries(5))).toEqual([`guard at 50 %: 5 of 10 entries a minute on ${ONE}`]);
    // A minute later they do not count any more.
    await r.clock.advance(60_000);
    expect(await r.look()).toEqual([]);
    expect(await r.look(() => entries(7))).toEqual([`guard at 70 %: 7 of 10 entries a minute on ${ONE}`]);
  });

  it('is told of an account that comes after one without guards', async () => {
    const r = rig();
    r.guard(TWO, { maxOpenOrders: 2 });
    expect(await r.look(() => r.orders(TWO, 2))).toEqual([`guard at 100 %: 2 of 2 open orders on ${TWO}`]);
  });

  it('is told behind one of the same account that is hardly used', async () => {
    const r = rig();
    r.guard(ONE, { maxOpenOrders: 100, maxOrdersPerMinute: 10 });
    const { guards } = r.memory.account(ONE);
    const told = await r.look(() => {
      r.orders(ONE, 1);
      if (guards) guards.sent = Array.from({ length: 9 }, () => r.clock.monotonic());
    });
    expect(told).toEqual([`guard at 90 %: 9 of 10 entries a minute on ${ONE}`]);
  });

  it('of positions and of the daily loss is told with its figures', async () => {
    const r = rig();
    r.guard(ONE, { maxPositionValue: '1000', dailyLossLimit: '5' });
    r.memory.market(`m-${ONE}`).prices.set('BTCUSDT', dec('100'));
    r.memory.market(`m-${ONE}`).marks.set('BTCUSDT', dec('100'));
    const told = await r.look(() => r.position(ONE, '90', { amount: '8.126' }));
    expect(told).toEqual([`guard at 81 %: BTCUSDT is worth 812.60 of 1000 USDT on ${ONE}`]);
    const { guards } = r.memory.account(ONE);
    const lost = (counted: string) => {
      if (guards)
        guards.loss.figure = {
          base: dec('1000'),
          since: 0,
          lost: dec('70'),
          counted: dec(counted),
          limit: dec('50'),
        };
    };
    expect(await r.look(() => lost('39.99'))).toEqual([]);
    expect(await r.look(() => lost('40'))).toEqual([
      `guard at 80 %: lost 40.00 of 50.00 USDT today on ${ONE}`,
    ]);
    expect(await r.look(() => lost('-40'))).toEqual([]);
  });
});

describe('a link', () => {
  const line = (r: ReturnType<typeof rig>, exchange: string, up: boolean, waits = false): void => {
    const at = r.lines.findIndex((one) => one.exchange === exchange);
    r.lines.splice(at < 0 ? r.lines.length : at, at < 0 ? 0 : 1, {
      exchange,
      up,
      waits,
      since: r.clock.wall(),
    });
  };
  const words = (exchange: string) =>
    `no connection to ${exchange}: what happens there is not heard, and nothing new is sent`;

  it('counts as down ten seconds after it broke off, though nothing else changes, and is told once', async () => {
    const r = rig();
    await r.look(() => {
      line(r, ONE, true);
      line(r, TWO, true);
    });
    const brokeAt = r.clock.wall();
    await r.look(() => line(r, ONE, false));
    await r.clock.advance(8_000);
    expect(r.told).toEqual([]);
    await r.clock.advance(1_000);
    expect(r.told.map(({ message, kind, symbol, price }) => [message, kind, symbol, price])).toEqual([
      [words(ONE), 'stream', '', null],
    ]);
    expect(r.clock.wall() - brokeAt).toBe(10_000);
    await r.clock.advance(120_000);
    expect(await r.look()).toEqual([]);
    // The other one is told for itself; the first one again once it has been up.
    await r.look(() => line(r, TWO, false));
    await r.clock.advance(20_000);
    expect(r.told.map(({ message }) => message)).toEqual([words(ONE), words(TWO)]);
    await r.look(() => line(r, ONE, true));
    await r.look(() => line(r, ONE, false));
    await r.clock.advance(20_000);
    expect(r.told.map(({ message }) => message)).toEqual([words(ONE), words(TWO), words(ONE)]);
  });

  it('that is told as down is not told again while it is tried anew', async () => {
    const r = rig();
    await r.look(() => line(r, ONE, true));
    for (let n = 0; n < 3; n++) {
      // Each try begins a state of its own.
      await r.look(() => line(r, ONE, false));
      await r.clock.advance(20_000);
    }
    expect(r.told.map(({ message }) => message)).toEqual([words(ONE)]);
  });

  it.each([
    ['is up', true, false],
    ['is not expected to be up', false, true],
    ['was not up yet', false, false],
  ])('that is down is told behind one that %s', async (_, up, waits) => {
    const r = rig();
    await r.look(() => {
      line(r, ONE, up, waits);
      line(r, TWO, true);
    });
    await r.look(() => line(r, TWO, false));
    await r.clock.advance(20_000);
    expect(r.told.map(({ message }) => message)).toEqual([words(TWO)]);
  });

  it('that was not up yet, or is not expected to be, is not down', async () => {
    const r = rig();
    await r.look(() => line(r, ONE, false));
    await r.clock.advance(60_000);
    expect(r.told).toEqual([]);
    await r.look(() => line(r, ONE, true));
    await r.look(() => line(r, ONE, false, true));
    await r.clock.advance(60_000);
    await r.look(() => line(r, ONE, false));
    await r.clock.advance(60_000);
    expect(r.told).toEqual([]);
  });
});

describe('looking', () => {
  it('is done a second after the first of many changes, and once for all of them', async () => {
    const r = rig();
    r.position(ONE, '1');
    r.notices.changed();
    await r.clock.advance(600);
    r.notices.changed();
    await r.clock.advance(399);
    expect(r.told).toEqual([]);
    await r.clock.advance(1);
    expect(r.told).toHaveLength(1);
    expect(r.clock.pendingTimers).toBe(0);
  });

  it('ends when it is closed', async () => {
    const r = rig();
    r.position(ONE, '1');
    r.notices.changed();
    r.notices.close();
    r.notices.changed();
    await r.clock.advance(60_000);
    expect(r.told).toEqual([]);
  });

  it('makes nothing of a kind that goes nowhere', async () => {
    const r = rig({ to: { liquidation: [], guard: [], stream: [] } });
    r.guard(ONE, { maxOpenOrders: 1 });
    r.lines.push({ exchange: ONE, up: true, waits: false, since: 0 });
    await r.look();
    r.lines.splice(0, 1, { exchange: ONE, up: false, waits: false, since: 0 });
    const told = await r.look(() => {
      r.position(ONE, '1');
      r.orders(ONE, 1);
    });
    expect(told).toEqual([]);
  });
});
