/**
 * Executions that no event reported are read from where they are known: by page, by symbol, over restarts,
 * within bounds.
 */
import { expect, it } from 'vitest';
import {
  FILLS_AT_ONCE,
  FILLS_OVERLAP_MS,
  FILLS_PAGES_MAX,
  FillsReader,
} from '../../../src/desk/core/fills-reader.ts';
import type { ExchangeFill } from '../../../src/domain/exchange.ts';
import { StoreError } from '../../../src/store/store.ts';
import type { FillsPage, FillsQuery } from '../../../src/venues/venue.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { LinkRig, positionOf } from './link-rig.ts';

const PAGE = 100;

/** An exchange that numbers a symbol's executions and returns them by number. */
class Tape {
  readonly rig: LinkRig;
  readonly list: ExchangeFill[] = [];
  readonly asked: FillsQuery[] = [];
  /** Requests with these numbers fail. */
  failing: (question: number) => boolean = () => false;

  constructor(rig: LinkRig, list: readonly ExchangeFill[] = []) {
    this.rig = rig;
    this.list.push(...list);
    rig.venue.fills = async (q) => {
      this.asked.push(q);
      if (this.failing(this.asked.length)) return null;
      const { after, since, symbol } = q;
      const all = this.list.filter((fill) => fill.symbol === symbol);
      const rest =
        after === null
          ? all.filter(({ time }) => time >= since)
          : all.filter((f) => Number(f.tradeId) > Number(after));
      const fills = rest.slice(0, PAGE);
      return { fills, next: fills.at(-1)?.tradeId ?? after, more: rest.length > PAGE };
    };
  }

  trade(symbol: string, clientId: string, time = this.rig.clock.wall(), qty = '0.001'): void {
    this.list.push({
      tradeId: String(this.list.length + 1),
      clientId,
      symbol,
      side: 'BUY',
      price: '50000',
      qty,
      comm: '0',
      commAsset: 'USDT',
      maker: true,
      rPnl: null,
      posSide: 'BOTH',
      time,
    });
  }

  async compare(): Promise<void> {
    this.asked.length = 0;
    this.rig.venue.sink?.stream('gap');
    await this.rig.clock.settle();
  }
}

it('all of many pages are read, once, and the next time goes on behind them, also after a restart', async () => {
  const rig = await LinkRig.started('spot', 2);
  await rig.until(rig.place({ quantity: '2' }));
  const id = rig.orders[0]?.id ?? '';
  const tape = new Tape(rig);
  for (let n = 0; n < 1_500; n++) tape.trade('BTCUSDT', id);
  await tape.compare();
  expect(tape.asked).toHaveLength(15);
  expect(rig.orders[0]?.executedQty).toBe('1.5');
  expect(rig.link.reconciled?.whole).toBe(true);
  await tape.compare();
  expect(tape.asked).toMatchObject([{ symbol: 'BTCUSDT', after: '1500' }]);
  const again = new LinkRig('spot', 2, rig.store);
  const tapeAgain = new Tape(again, tape.list);
  tapeAgain.trade('BTCUSDT', id);
  await again.until(again.core.start());
  // Searched before the account opens, then read.
  const onward = { symbol: 'BTCUSDT', after: '1500' };
  expect(tapeAgain.asked).toMatchObject([onward, onward]);
  expect(again.orders[0]?.executedQty).toBe('1.501');
});

it('a page that fails leaves what was read before it, and the next comparison goes on there', async () => {
  const rig = await LinkRig.started('spot', 1);
  await rig.until(rig.place({ quantity: '2' }));
  const tape = new Tape(rig);
  for (let n = 0; n < 250; n++) tape.trade('BTCUSDT', rig.orders[0]?.id ?? '');
  tape.failing = (question) => question === 3;
  await tape.compare();
  expect(rig.link.reconciled?.whole).toBe(false);
  expect(rig.orders[0]?.executedQty).toBe('0.2');
  tape.failing = () => false;
  tape.asked.length = 0;
  await rig.clock.advance(1_000);
  expect(tape.asked.map(({ after }) => after)).toEqual(['200']);
  expect(rig.orders[0]?.executedQty).toBe('0.25');
});

it('the first connection to an account with a past does not make orders of it', async () => {
  const rig = new LinkRig('spot', 1);
  const tape = new Tape(rig);
  const { clock } = rig;
  rig.venue.balancesAre = async () => [{ asset: 'BTC', free: '1', locked: '0' }];
  tape.trade('BTCUSDT', 'web_old', clock.wall() - 300 * 86_400_000);
  tape.trade('BTCUSDT', 'web_just', clock.wall() - 1);
  await rig.until(rig.core.start());
  expect(tape.asked).toMatchObject([{ after: null, since: clock.wall() - FILLS_OVERLAP_MS }]);
  expect(rig.orders).toEqual([]);
  await clock.advance(60_000);
  tape.trade('BTCUSDT', 'web_new');
  rig.venue.sink?.balances([{ asset: 'BTC', free: '1.001', locked: '0' }]);
  await tape.compare();
  expect(rig.orders).toMatchObject([{ id: 'web_new', external: true, executedQty: '0.001' }]);
  // The time of the first connection is kept: after a restart, what happened in between still counts as new.
  tape.trade('BTCUSDT', 'web_down');
  const again = new LinkRig('spot', 1, rig.store);
  const tapeAgain = new Tape(again, tape.list);
  await again.until(again.core.start());
  expect(tapeAgain.asked).toMatchObject([{ after: '3' }, { after: '3' }]);
  expect(again.orders.map(({ id: name }) => name)).toContain('web_down');
});

it('what others execute from the first connection on is known by the clock of the exchange, however wrong ours is', async () => {
  const rig = new LinkRig('spot', 1);
  const tape = new Tape(rig);
  const behind = -10 * 60_000;
  const there = () => rig.clock.wall() + behind;
  rig.venue.clockOffsetMs = behind;
  tape.trade('BTCUSDT', 'web_old', there() - 1);
  await rig.until(rig.core.start());
  tape.trade('BTCUSDT', 'web_new', there() + 1);
  rig.venue.sink?.balances([{ asset: 'BTC', free: '1.001', locked: '0' }]);
  await tape.compare();
  expect(rig.orders.map(({ id }) => id)).toEqual(['web_new']);
  expect(tape.asked[0]?.since).toBeLessThan(there());
});

it('what others execute from the first connection on is known also where the wall clock was set back just before', async () => {
  const rig = new LinkRig('spot', 1);
  rig.marketAheadMs = 23_000;
  const tape = new Tape(rig);
  await rig.until(rig.core.start());
  tape.trade('BTCUSDT', 'web_new', rig.clock.wall() + 1);
  rig.venue.sink?.balances([{ asset: 'BTC', free: '1.001', locked: '0' }]);
  await tape.compare();
  expect(rig.orders.map(({ id }) => id)).toEqual(['web_new']);
});

it('when an account was first connected is stored at once: a crash does not make a past of what follows', async () => {
  const rig = await LinkRig.started('spot', 1);
  const { since } = rig.core.engine.memory.account('said-spot');
  expect(rig.store.load(0).meta.get('connected said-spot')).toBe(since);
});

it('the line that takes over knows when the account was first connected, also while that could not be stored yet', async () => {
  const rig = new LinkRig('spot', 1);
  const { commit } = rig.store;
  rig.store.commit = () => {
    rig.store.commit = commit;
    throw new StoreError('FULL', 'database or disk is full');
  };
  const from = rig.clock.wall();
  await rig.until(rig.core.start());
  expect(rig.store.load(0).meta.get('connected said-spot')).toBeUndefined();
  await rig.clock.advance(5_000);
  await rig.until(rig.core.accounts.replace(rig.venue));
  expect(rig.core.engine.memory.account('said-spot').since).toBe(from);
});

it('what was traded or has moved is asked for, and nothing else of an account of many symbols', async () => {
  const rig = await LinkRig.started('futures', 600);
  const tape = new Tape(rig);
  await tape.compare();
  expect(tape.asked).toEqual([]);
  rig.position('S7USDT', '1');
  rig.venue.positionsAre = async () => [positionOf('S9USDT', '2', rig.clock.wall() + 1)];
  await rig.until(rig.place({ symbol: 'BTCUSDT' }));
  await tape.compare();
  expect(tape.asked.map(({ symbol }) => symbol).sort()).toEqual(['BTCUSDT', 'S7USDT', 'S9USDT']);
  rig.venue.positionsAre = async () => [];
  await tape.compare();
  // The position has gone: the reason is looked up, once.
  expect(tape.asked.map(({ symbol }) => symbol).sort()).toEqual(['BTCUSDT', 'S9USDT']);
  await tape.compare();
  // The executions of the order that the exchange does not know are asked for as well.
  expect(new Set(tape.asked.map(({ symbol }) => symbol))).toEqual(new Set(['BTCUSDT']));
});

it('what a balance has moved is asked for once, of that asset alone', async () => {
  const rig = await LinkRig.started('spot', 3);
  const tape = new Tape(rig);
  const held = [{ asset: 'USDT', free: '99000', locked: '0' }];
  rig.venue.balancesAre = async () => held;
  await tape.compare();
  await tape.compare();
  expect(tape.asked).toEqual([]);
  rig.venue.sink?.balances([{ asset: 'BTC', free: '1', locked: '0' }]);
  rig.venue.sink?.balances([{ asset: 'BTC', free: '0', locked: '0' }]);
  await tape.compare();
  expect(tape.asked.length).toBeGreaterThan(0);
  await tape.compare();
  expect(tape.asked).toEqual([]);
});

it('symbols are asked about side by side, a few at a time', async () => {
  const rig = await LinkRig.started('futures', 30);
  rig.venue.positionsAre = async () =>
    rig.venue.instruments().map(({ symbol }) => positionOf(symbol, '1', rig.clock.wall()));
  let out = 0;
  let most = 0;
  rig.venue.fills = async ({ after }) => {
    out += 1;
    most = Math.max(most, out);
    await new Promise<void>((resolve) => rig.clock.after(100, resolve));
    out -= 1;
    return { fills: [], next: after, more: false };
  };
  rig.venue.sink?.stream('gap');
  await rig.clock.advance(30 * 100 - 1);
  expect(most).toBe(FILLS_AT_ONCE);
  expect(rig.link.reconciled?.whole).toBe(true);
  expect(rig.link.hasGap).toBe(false);
});

it('a symbol stays one to ask for until its question was answered', async () => {
  const rig = await LinkRig.started('futures', 3);
  const tape = new Tape(rig);
  tape.failing = () => true;
  rig.position('S1USDT', '1');
  await tape.compare();
  await rig.clock.advance(1_000);
  expect(tape.asked.map(({ symbol }) => symbol)).toEqual(['S1USDT', 'S1USDT']);
});

it.each([
  ['a place that leads nowhere', '7'],
  ['no place', null],
])('an exchange that always says there is more and tells %s is asked no second time', async (_, next) => {
  const rig = await LinkRig.started('futures', 2);
  let questions = 0;
  rig.venue.fills = async () => {
    questions += 1;
    return { fills: [], next, more: true };
  };
  rig.position('S1USDT', '1');
  rig.venue.sink?.stream('gap');
  await rig.clock.settle();
  expect(questions).toBe(next === null ? 1 : 2);
});

it.each<[string, number[]]>([
  ['before the account is opened', [1, 2, 3]],
  ['of the first comparison', [2]],
])(
  'what was traded while the desk was down is asked for until it is known, though the question %s fails',
  async (_when, failing) => {
    const rig = await LinkRig.started('futures', 3);
    const tape = new Tape(rig);
    await rig.until(rig.place({ quantity: '0.01' }));
    tape.trade('BTCUSDT', rig.orders[0]?.id ?? '', rig.clock.wall(), '0.01');
    await tape.compare();
    expect(rig.orders).toMatchObject([{ status: 'CLOSED' }]);
    // So much later that nothing in memory names the symbol.
    const clock = new VirtualClock(rig.clock.wall() + 2 * 3_600_000);
    const again = new LinkRig('futures', 3, rig.store, {}, undefined, { clock });
    expect(again.orders).toEqual([]);
    const tapeAgain = new Tape(again, tape.list);
    tapeAgain.trade('BTCUSDT', 'theirs');
    tapeAgain.failing = (question) => failing.includes(question);
    await again.until(again.core.start());
    expect(tapeAgain.asked.map(({ symbol }) => symbol)).toEqual(Array(failing.at(-1)).fill('BTCUSDT'));
    expect(again.orders).toEqual([]);
    await again.clock.advance(1_000);
    expect(again.orders).toHaveLength(1);
  },
);

it('an execution that waits for its order to be told is read again by a start after a death', async () => {
  const rig = new LinkRig('spot', 1, undefined, { triggersMakeOrders: true });
  const tape = new Tape(rig);
  await rig.until(rig.core.start());
  rig.venue.query = rig.unanswered;
  rig.venue.submitted = async ({ clientId, symbol, quantity = '0' }) => ({
    kind: 'accepted',
    state: { clientId, symbol, status: 'PENDING', origQty: quantity, cumQty: '0', seq: 1, time: 1 },
  });
  await rig.until(rig.place({ type: 'STOP_LIMIT', stopPrice: '70000', price: '70000' }));
  await rig.clock.advance(60_000);
  tape.trade('BTCUSDT', 'child');
  await tape.compare();
  expect(rig.core.engine.memory.parked).toHaveLength(1);
  expect(rig.link.reconciled?.whole).toBe(false);
  // The cursor of the reading is stored with the next commit at the latest.
  await rig.until(rig.place({ quantity: '0.01' }));
  const again = new LinkRig('spot', 1, rig.store, { triggersMakeOrders: true });
  const tapeAgain = new Tape(again, tape.list);
  void again.core.start();
  await again.clock.settle();
  expect(tapeAgain.asked[0]).toMatchObject({ symbol: 'BTCUSDT', after: null });
  expect(again.core.engine.memory.parked).toHaveLength(1);
});

it('what comes after an execution that waits is read with it: pages do not wait one after the other', async () => {
  const rig = new LinkRig('spot', 1, undefined, { triggersMakeOrders: true });
  const tape = new Tape(rig);
  await rig.until(rig.core.start());
  rig.venue.query = rig.unanswered;
  rig.venue.submitted = async ({ clientId, symbol, quantity = '0' }) => ({
    kind: 'accepted',
    state: { clientId, symbol, status: 'PENDING', origQty: quantity, cumQty: '0', seq: 1, time: 1 },
  });
  await rig.until(rig.place({ type: 'STOP_LIMIT', stopPrice: '70000', price: '70000' }));
  await rig.clock.advance(60_000);
  for (let n = 0; n < 2 * PAGE + 5; n++) tape.trade('BTCUSDT', `child-${n}`);
  await tape.compare();
  expect(rig.core.engine.memory.parked).toHaveLength(2 * PAGE + 5);
  expect(tape.asked.map(({ after }) => after)).toEqual([null, '100', '200']);
  // Nothing about it is final yet.
  await tape.compare();
  expect(tape.asked[0]?.after).toBe(null);
});

it('a page of which all is known does not move the place past an execution that waits before it', async () => {
  const rig = new LinkRig('spot', 1, undefined, { triggersMakeOrders: true });
  const tape = new Tape(rig);
  await rig.until(rig.core.start());
  rig.venue.query = rig.unanswered;
  rig.venue.submitted = async ({ clientId, symbol, quantity = '0', type }) => {
    const status = type === 'LIMIT' ? 'WORKING' : 'PENDING';
    const state = { clientId, symbol, status, origQty: quantity, cumQty: '0', seq: 1, time: 1 } as const;
    return { kind: 'accepted', state };
  };
  await rig.until(rig.place({ type: 'STOP_LIMIT', stopPrice: '70000', price: '70000' }));
  await rig.until(rig.place({ quantity: '1' }));
  const known = rig.orders.find(({ type }) => type === 'LIMIT')?.id ?? '';
  await rig.clock.advance(60_000);
  for (let n = 0; n < PAGE; n++) tape.trade('BTCUSDT', n === 0 ? 'child' : known);
  for (let n = 0; n < 5; n++) tape.trade('BTCUSDT', known);
  await tape.compare();
  expect(tape.asked.map(({ after }) => after)).toEqual([null, '100']);
  expect(rig.link.reconciled?.whole).toBe(false);
  await tape.compare();
  expect(tape.asked[0]?.after).toBe(null);
});

it('an endless list is read in parts', async () => {
  const rig = await LinkRig.started('futures', 2);
  let questions = 0;
  rig.venue.fills = async () => ({ fills: [], next: String(++questions), more: true });
  rig.position('S1USDT', '1');
  rig.venue.sink?.stream('gap');
  await rig.clock.settle();
  expect(questions).toBe(FILLS_PAGES_MAX);
  expect(rig.link.reconciled?.whole).toBe(false);
});

it.each([[7], ['x'.repeat(300)], [{}]])(
  'a place that is none (%s) is an answer that did not come',
  async (next) => {
    const rig = await LinkRig.started('futures', 2);
    rig.venue.fills = async () => ({ fills: [], next: next as string, more: false });
    rig.position('S1USDT', '1');
    rig.venue.sink?.stream('gap');
    await rig.clock.settle();
    expect(rig.link.reconciled?.whole).toBe(false);
    const said = rig.core.log.filter(({ text }) => text.includes('fills.next is'));
    expect(said).toMatchObject([{ level: 'warn' }]);
  },
);

it('of an account on which nobody else trades only contracts are asked for, and no execution is too old', async () => {
  for (const kind of ['spot', 'futures'] as const) {
    const rig = new LinkRig(kind, 1, undefined, { ownOrdersOnly: true });
    const tape = new Tape(rig);
    await rig.until(rig.core.start());
    await rig.until(rig.place());
    await tape.compare();
    expect(tape.asked).toHaveLength(kind === 'spot' ? 0 : 1);
    // A replayed liquidation whose time is earlier than that of the last one.
    tape.trade('BTCUSDT', 'liq-1', 1);
    const [liquidation] = tape.list;
    if (liquidation) rig.venue.sink?.fill({ ...liquidation, liquidation: true });
    await rig.clock.settle();
    expect(rig.orders.map(({ id }) => id)).toContain('liq-1');
  }
});

it.each([
  ['is told as filled', true],
  ['nothing is told of', false],
])('the executions of an order that %s and that its exchange has forgotten are read', async (_, told) => {
  const rig = await LinkRig.started('spot', 1);
  await rig.until(rig.place({ quantity: '2' }));
  const [order] = rig.orders;
  const id = order?.id ?? '';
  const tape = new Tape(rig);
  tape.trade('BTCUSDT', id, rig.clock.wall(), '1.5');
  tape.trade('BTCUSDT', id, rig.clock.wall(), '0.5');
  const filled = { status: 'FILLED', origQty: '2', cumQty: '2', quoteQty: '99000', seq: 9, time: 0 } as const;
  if (told) rig.venue.sink?.order({ clientId: id, symbol: 'BTCUSDT', ...filled });
  else rig.core.turn.step({ type: 'reconciled', exchange: rig.venue.account.id, open: [] });
  await rig.clock.settle();
  await rig.clock.advance(told ? 2_000 : 70_000);
  // The exchange answers each time that it does not know that order.
  expect(rig.venue.asked('query')).toBeGreaterThan(0);
  expect(order).toMatchObject({ status: 'CLOSED', executedQty: '2', quoteQty: '100000' });
});

it('a look before the account is opened shows all from the very moment of its first connection on, page by page, and takes nothing', async () => {
  const since = 5_000_000;
  const asked: unknown[] = [];
  const pages: FillsPage[] = [
    { fills: [since - 1, since].map(fillAt), next: '1', more: true },
    { fills: [since - 60_000, since + 1].map(fillAt), next: '1', more: true },
    { fills: [since].map(fillAt), next: '2', more: true },
  ];
  const taken: unknown[] = [];
  const reader = new FillsReader({
    exchange: 'x',
    meta: new Map<string, unknown>([['connected x', since]]),
    ask: async (question) => {
      asked.push(question);
      return pages[asked.length - 1] ?? null;
    },
    take: (fill) => taken.push(fill) > 0,
    stored: (rows) => void taken.push(...rows),
    keep: (row) => void taken.push(row),
  });
  const seen: number[] = [];
  expect(await reader.peek(['BTCUSDT'], ({ time }) => seen.push(time))).toBe(true);
  expect(seen).toEqual([since, since + 1]);
  expect(asked).toEqual([null, '1'].map((after) => ({ symbol: 'BTCUSDT', after, since: since - 60_000 })));
  expect(taken).toEqual([]);
});

it('a look before the account is opened asks a question that failed again, three times at most', async () => {
  let asked = 0;
  let isMute = false;
  const reader = new FillsReader({
    exchange: 'x',
    meta: new Map<string, unknown>([['connected x', 0]]),
    ask: async ({ after }) => {
      asked += 1;
      if (isMute || asked % 3 > 0) return null;
      return { fills: [fillAt(asked)], next: `${Number(after) + 1}`, more: asked < 6 };
    },
    take: () => true,
    stored: () => {},
    keep: () => {},
  });
  const seen: number[] = [];
  const see = ({ time }: ExchangeFill) => seen.push(time);
  expect(await reader.peek(['BTCUSDT'], see)).toBe(true);
  expect([asked, seen]).toEqual([6, [3, 6]]);
  isMute = true;
  expect([await reader.peek(['BTCUSDT'], see), asked]).toEqual([false, 9]);
});

function fillAt(time: number): ExchangeFill {
  return {
    tradeId: String(time),
    clientId: 'theirs',
    symbol: 'BTCUSDT',
    side: 'BUY',
    price: '1',
    qty: '1',
    comm: '0',
    commAsset: 'USDT',
    maker: true,
    rPnl: null,
    posSide: 'BOTH',
    time,
  };
}
