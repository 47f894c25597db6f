/**
 * How an account of Bybit opens, stays open and ends: what is subscribed to, what came too early, what is
 * read again and when, and that nothing of an earlier opening goes on.
 */
import { describe, expect, it } from 'vitest';
import type { VenueSink } from '../../../src/venues/venue.ts';
import { bybitRig, type Rig, type RigOptions } from './bybit-rig.ts';

const HOUR = 3_600_000;
const INSTRUMENTS = '/v5/market/instruments-info';
const POSITIONS = '/v5/position/list';
const BRACKETS = '/v5/market/risk-limit';

async function opened(options: RigOptions = {}): Promise<Rig> {
  const rig = bybitRig(options);
  await rig.open();
  return rig;
}

const ORDER = {
  ...{ orderId: 'x1', orderLinkId: 'c1', symbol: 'BTCUSDT', side: 'Buy', orderType: 'Limit', qty: '1' },
  ...{ orderStatus: 'New', price: '5', cumExecQty: '0', updatedTime: '1700000000000' },
};
const order = (id: string) => ({ ...ORDER, orderId: `x${id}`, orderLinkId: id });

describe('an account that opens', () => {
  it.each([
    ['spot', [], { category: 'spot' }],
    ['futures', ['position.linear'], { category: 'linear', limit: '1000' }],
  ] as const)('on %s subscribes to its orders and to what changes the wallet', async (kind, more, asked) => {
    const rig = await opened({ kind });
    const category = kind === 'spot' ? 'spot' : 'linear';
    expect(rig.net.said.map(({ op }) => op)).toEqual(['auth', 'subscribe']);
    expect(rig.net.said[1]?.args).toEqual([
      ...[`order.${category}`, 'execution.spot', 'execution.linear', 'wallet', ...more],
    ]);
    expect(rig.asked(INSTRUMENTS)).toEqual([asked]);
    await rig.clock.advance(5_000);
    // Only contracts have leverages and brackets.
    expect(rig.asked(BRACKETS)).toEqual(kind === 'spot' ? [] : [{ category: 'linear' }]);
    expect(rig.asked(POSITIONS).length > 0).toBe(kind === 'futures');
    expect([rig.venue.futures === undefined, rig.venue.caps.idPrefix]).toEqual(
      kind === 'spot' ? [true, 'ys'] : [false, 'yf'],
    );
  });

  it('tells what came before its list after it, in its order, once', async () => {
    const rig = bybitRig();
    const told: string[] = [];
    const sink: VenueSink = {
      ...rig.sink,
      instruments: () => told.push('list'),
      order: ({ clientId }) => told.push(clientId),
    };
    rig.net.faults = { delayMs: [20, 20] };
    const isOpen = rig.venue.open(sink);
    while (!rig.told.stream.includes('up')) await rig.clock.advance(5);
    for (const id of ['a', 'b', 'c']) rig.hear('order.spot', [order(id)]);
    expect(told).toEqual([]);
    await rig.during(isOpen);
    expect(told).toEqual(['list', 'a', 'b', 'c']);
    rig.hear('order.spot', [order('d')]);
    expect(told).toEqual(['list', 'a', 'b', 'c', 'd']);
    expect(rig.told.stream).toEqual(['up']);
  });

  it('is compared where more came than is kept, of which nothing is told', async () => {
    const rig = bybitRig();
    rig.net.faults = { delayMs: [20, 20] };
    const isOpen = rig.venue.open(rig.sink);
    while (!rig.told.stream.includes('up')) await rig.clock.advance(5);
    const text = JSON.stringify({ topic: 'order.spot', creationTime: 1, data: [ORDER] });
    for (let n = 0; n <= 50_000; n++) rig.net.hearing.at(-1)?.message(text);
    await rig.during(isOpen);
    expect([rig.told.orders, rig.told.stream]).toEqual([[], ['up', 'gap']]);
  });

  it.each<[string, (rig: Rig) => void, string]>([
    ['the list is refused', (rig) => rig.refuse(INSTRUMENTS, 10_016, 'Server error.'), 'Server error.'],
    ['nothing is listed', (rig) => rig.list(INSTRUMENTS, []), 'names nothing that is traded'],
    [
      'its events are refused',
      (rig) => {
        rig.net.faults = { socketRefused: 1 };
      },
      'was not there in time',
    ],
  ])('and fails where %s can be opened again, and nothing is left of the try', async (_, spoil, words) => {
    const rig = bybitRig({ kind: 'futures' });
    spoil(rig);
    await expect(rig.open()).rejects.toThrow(words);
    rig.net.faults = {};
    rig.forget();
    rig.venue.relist?.();
    await rig.clock.advance(2 * HOUR);
    expect([rig.net.sockets, rig.net.asked, rig.told.stream]).toEqual([0, [], []]);
    await rig.open();
    await rig.clock.advance(5_000);
    expect([rig.net.sockets, rig.told.stream]).toEqual([1, ['up', 'gap']]);
    expect(rig.asked(BRACKETS)).toHaveLength(1);
  });

  it('twice has one line and tells each event once, to who opened it last', async () => {
    const rig = await opened();
    const last: string[] = [];
    await rig.during(rig.venue.open({ ...rig.sink, order: ({ clientId }) => last.push(clientId) }));
    expect(rig.net.sockets).toBe(1);
    rig.hear('order.spot', [ORDER]);
    for (const old of rig.net.hearing.slice(0, -1))
      old.message(JSON.stringify({ topic: 'order.spot', creationTime: 1, data: [order('old')] }));
    expect([rig.told.orders, last]).toEqual([[], ['c1']]);
    rig.forget();
    await rig.clock.advance(HOUR + 1_000);
    expect(rig.asked(INSTRUMENTS)).toHaveLength(1);
    expect(rig.asked(BRACKETS)).toEqual([]);
  });

  it.each([5, 25, 45, 65, 85, 105, 125, 145, 165, 185, 205])(
    'and is closed after %i ms stays closed',
    async (ms) => {
      const rig = bybitRig({ kind: 'futures' });
      rig.net.faults = { delayMs: [20, 20] };
      const isOpen = rig.venue.open(rig.sink);
      isOpen.catch(() => {});
      await rig.clock.advance(ms);
      await rig.venue.close();
      const before = rig.told.stream.length;
      await rig.clock.advance(2 * HOUR);
      expect([rig.net.sockets, rig.told.stream.length, rig.told.lists]).toEqual([0, before, []]);
      expect(rig.net.asked.length).toBeLessThan(5);
    },
  );
});

describe('an account that is closed', () => {
  it('asks nothing any more and tells nothing', async () => {
    const rig = await opened({ kind: 'futures' });
    rig.hear('wallet', [{ coin: [{ coin: 'USDT', walletBalance: '5' }] }]);
    await rig.venue.close();
    rig.forget();
    const { lists, ledger } = { lists: rig.told.lists.length, ledger: rig.told.ledger };
    rig.venue.relist?.();
    rig.hear('order.linear', [ORDER]);
    await rig.clock.advance(3 * HOUR);
    expect([rig.net.asked, rig.told.orders, rig.told.stream]).toEqual([[], [], []]);
    expect([rig.told.lists.length, rig.told.ledger, rig.net.sockets]).toEqual([lists, ledger, 0]);
  });
});

describe('what is traded', () => {
  it('is read again every hour, and stays as it was where that fails, which is said', async () => {
    const rig = await opened({ kind: 'futures' });
    await rig.clock.advance(30_000);
    const before = rig.venue.instruments();
    for (let round = 1; round <= 3; round++) {
      rig.forget();
      rig.told.lists.length = 0;
      if (round === 2) rig.refuse(INSTRUMENTS, 10_016, 'Server error.');
      await rig.clock.advance(HOUR - 60_000);
      expect([rig.asked(INSTRUMENTS), rig.asked(BRACKETS)]).toEqual([[], []]);
      await rig.clock.advance(60_000);
      expect([rig.asked(INSTRUMENTS).length, rig.asked(BRACKETS).length]).toEqual([1, 1]);
      expect(rig.told.lists).toHaveLength(round === 2 ? 0 : 1);
      expect(rig.venue.instruments()).toEqual(before);
      expect(rig.told.reports.filter((text) => text.includes('Server error.'))).toHaveLength(
        round === 1 ? 0 : 1,
      );
    }
  });

  it('keeps brackets where the next answer fails', async () => {
    const rig = await opened({ kind: 'futures' });
    await rig.clock.advance(3_000);
    const before = rig.venue.futures?.brackets('BTCUSDT');
    expect(before?.length).toBeGreaterThan(0);
    rig.refuse(BRACKETS, 10_016);
    rig.venue.relist?.();
    await rig.clock.advance(1_000);
    expect(rig.venue.futures?.brackets('BTCUSDT')).toEqual(before);
  });

  it('is halted where a known symbol cannot be read, and traded again when it can', async () => {
    const rig = await opened();
    const { body } = rig.emulator.request({
      ...{ method: 'GET', path: `${INSTRUMENTS}?category=spot`, headers: {} },
    });
    const { list } = (JSON.parse(body) as { result: { list: { symbol: string }[] } }).result;
    rig.list(
      INSTRUMENTS,
      list.map((one) => (one.symbol === 'ETHUSDT' ? { ...one, status: 'Odd' } : one)),
    );
    const eth = () => rig.venue.instruments().find(({ symbol }) => symbol === 'ETHUSDT');
    expect(eth()?.halt).toBeUndefined();
    rig.venue.relist?.();
    await rig.clock.advance(500);
    expect([eth()?.halt, rig.venue.unreadSymbols?.()]).toEqual(['halted', ['ETHUSDT']]);
    expect(rig.told.lists.at(-1)).toEqual(rig.venue.instruments());
    expect(rig.told.reports[0]).toContain('ETHUSDT');
    rig.venue.relist?.();
    await rig.clock.advance(500);
    expect([eth()?.halt, rig.venue.unreadSymbols?.()]).toEqual([undefined, []]);
  });
});

describe('leverages and modes of contracts', () => {
  const symbols = (rig: Rig) => rig.venue.instruments().map(({ symbol }) => symbol);
  const learnt = (rig: Rig) => rig.asked(POSITIONS).map(({ symbol }) => symbol);

  it('are read once of each contract, and again after each time that something may have been missed', async () => {
    const rig = await opened({ kind: 'futures' });
    await rig.clock.advance(10_000);
    expect(learnt(rig)).toEqual(symbols(rig));
    expect(rig.told.stream).toEqual(['up', 'gap']);
    for (let round = 0; round < 2; round++) {
      rig.forget();
      rig.net.cut('cut');
      await rig.clock.advance(10_000);
      expect(learnt(rig)).toEqual(symbols(rig));
      // Nothing has changed meanwhile.
      expect(rig.told.stream).toEqual(['down', 'up']);
    }
  });

  it('of a contract that cannot be asked about are left out, and the others read, until the next time', async () => {
    const rig = bybitRig({ kind: 'futures' });
    rig.refuse(POSITIONS, 10_016);
    rig.list(POSITIONS, []);
    await rig.open();
    await rig.clock.advance(10_000);
    expect(learnt(rig)).toEqual(symbols(rig));
    const [first = '', second = '', third = ''] = symbols(rig);
    // Nobody has told of them: they are asked about where somebody wants to know.
    rig.forget();
    const told = await rig.during(rig.venue.futures?.leverage([first, second, third]) ?? Promise.reject());
    expect(told?.map(({ symbol }) => symbol)).toEqual([first, second, third]);
    expect(learnt(rig)).toEqual([first, second]);
  });

  it('are read by one run at a time, which an account that is opened again begins anew', async () => {
    const rig = bybitRig({ kind: 'futures' });
    rig.net.faults = { delayMs: [100, 100] };
    await rig.open();
    await rig.clock.advance(500);
    expect(learnt(rig).length).toBeLessThan(symbols(rig).length);
    rig.forget();
    await rig.open();
    await rig.clock.advance(20_000);
    expect(learnt(rig)).toEqual(symbols(rig));
    expect(rig.told.stream.filter((state) => state === 'gap')).toHaveLength(1);
  });

  it('that become doubtful while they are read are read once more, one at a time', async () => {
    const rig = bybitRig({ kind: 'futures' });
    rig.net.faults = { delayMs: [100, 100] };
    await rig.open();
    await rig.clock.advance(300);
    rig.net.cut('cut');
    while (rig.told.stream.at(-1) !== 'up') await rig.clock.advance(10);
    const before = learnt(rig).length;
    expect(before).toBeGreaterThan(1);
    expect(before).toBeLessThan(symbols(rig).length);
    rig.forget();
    await rig.clock.advance(1_000);
    // An answer takes 200 ms.
    expect(learnt(rig).length).toBeLessThanOrEqual(5);
    await rig.clock.advance(10_000);
    // The answer that was under way counts.
    const expected = symbols(rig).filter((_, at) => at !== before - 1);
    expect(learnt(rig).toSorted()).toEqual(expected.toSorted());
  });

  it('end with the account that asks for them', async () => {
    const rig = bybitRig({ kind: 'futures' });
    rig.net.faults = { delayMs: [100, 100] };
    await rig.open();
    await rig.clock.advance(500);
    await rig.venue.close();
    rig.forget();
    await rig.clock.advance(20_000);
    expect([learnt(rig), rig.told.stream]).toEqual([[], []]);
  });
});

it('a line that takes the place of another one, after a day, may have missed something', async () => {
  const rig = await opened();
  await rig.clock.advance(23 * HOUR - 5_000);
  expect(rig.told.stream).toEqual(['up']);
  await rig.clock.advance(15_000);
  expect([rig.told.stream, rig.net.sockets]).toEqual([['up', 'gap'], 1]);
});

it('a request that is refused for its time has the clock measured at once', async () => {
  const rig = await opened();
  rig.forget();
  rig.refuse('/v5/order/create', 10_002, 'invalid request');
  expect(await rig.submit({ price: '50000', quantity: '0.01' })).toMatchObject({ reason: 'CLOCK' });
  await rig.clock.advance(100);
  expect(rig.asked('/v5/market/time')).toHaveLength(1);
});
