/**
 * Trades of a real account (S64): one page is read from its exchange and stored once; what the exchange
 * cannot answer is answered from the store.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { apiFacade } from '../../src/desk/api/api-facade.ts';
import { DeskCore, recentSince } from '../../src/desk/core/desk-core.ts';
import type { ExchangeFill } from '../../src/domain/exchange.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { FillsPage, FillsQuery } from '../../src/venues/venue.ts';
import { CAPS, OPERATOR } from '../engine/support/market.ts';
import { FakeVenue } from '../support/fake-venue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const EXCHANGE = 'far-spot';
const MINUTE = 60_000;

/** Pages of two, by trade id. */
class PagedVenue extends FakeVenue {
  readonly asked: FillsQuery[] = [];
  all: ExchangeFill[] = [];
  page = (q: FillsQuery): Promise<FillsPage | null> => Promise.resolve(this.#pageOf(q));

  override fills(q: FillsQuery): Promise<FillsPage | null> {
    this.asked.push(q);
    return this.page(q);
  }

  #pageOf({ after, since }: FillsQuery): FillsPage {
    const rest = this.all.filter(({ tradeId, time }) =>
      after === null ? time >= since : Number(tradeId) > Number(after),
    );
    const fills = rest.slice(0, 2);
    return { fills, next: fills.at(-1)?.tradeId ?? after, more: rest.length > 2 };
  }
}

async function started(before: ((venue: PagedVenue, wall: number) => void) | null = null) {
  const clock = new VirtualClock();
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const caps = { ...CAPS, ownOrdersOnly: false };
  const venue = Object.assign(new PagedVenue({ id: EXCHANGE, market: 'far' }), { caps });
  before?.(venue, clock.wall());
  let ids = 0;
  const core = new DeskCore({
    store,
    initial: store.load(recentSince(clock.wall())),
    clock,
    random: { id: (length) => (++ids).toString(32).padStart(length, '0'), next: () => 0.5 },
    venues: [venue],
    market: () => clock.wall(),
    deferredRows: () => [],
    logFile: () => {},
    fatal: (reason) => {
      throw new Error(reason);
    },
  });
  await settled(clock, core.start());
  const face = apiFacade({ core, store, version: '0', startedAt: 0, wall: () => clock.wall() });
  const ask = (q: { startTime?: number; endTime?: number; limit?: number } = {}) =>
    face.trades('owner', { exchange: EXCHANGE, symbol: 'BTCUSDT', limit: 500, ...q });
  const trades = async (q: Parameters<typeof ask>[0] = {}) => {
    const answer = await settled(clock, ask(q));
    if (!answer.ok) return answer.error.code;
    return answer.data.map(({ price }) => price);
  };
  const stored = () =>
    store
      .trades({ user: 'owner', exchange: EXCHANGE, symbol: 'BTCUSDT', limit: 500 })
      .map(({ price }) => price);
  let next = 0;
  /** Somebody else trades on the account; no event reports it. */
  const traded = (price: string, ago = 0) => {
    next += 1;
    venue.all.push(fillOf(String(next), price, clock.wall() - ago));
  };
  venue.asked.length = 0;
  return { clock, core, venue, ask, trades, stored, traded };
}

function fillOf(tradeId: string, price: string, time: number): ExchangeFill {
  return {
    tradeId,
    clientId: '',
    venueId: `v${tradeId}`,
    symbol: 'BTCUSDT',
    side: 'BUY',
    price,
    qty: '0.001',
    comm: '0',
    commAsset: 'USDT',
    maker: false,
    rPnl: null,
    posSide: 'BOTH',
    time,
  };
}

async function settled<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let done = false;
  const end = () => {
    done = true;
  };
  promise.then(end, end);
  for (let i = 0; i < 200 && !done; i++) {
    await clock.settle();
    if (!done) await clock.advance(100);
  }
  return promise;
}

// proves: S64
it('tells trades of other programs that no event has told, and stores them once', async () => {
  const { trades, stored, traded, venue } = await started();
  traded('60001');
  expect(stored()).toEqual([]);
  expect(await trades()).toEqual(['60001']);
  expect(stored()).toEqual(['60001']);
  traded('60002');
  expect(await trades()).toEqual(['60001', '60002']);
  expect(venue.asked.at(-1)?.after).toBe('1');
  expect(stored()).toEqual(['60001', '60002']);
});

it('asks for one page at a time, and goes on with the next read', async () => {
  const { trades, traded, venue } = await started();
  for (const price of ['1', '2', '3']) traded(price);
  expect(await trades()).toEqual(['1', '2']);
  expect(venue.asked).toHaveLength(1);
  expect(await trades()).toEqual(['1', '2', '3']);
});

it('tells what was traded before the account was connected, and does not store it: it is no part of its sums', async () => {
  const early = (venue: PagedVenue, wall: number) => {
    venue.all = [fillOf('-3', '50001', wall - 30 * MINUTE), fillOf('-2', '50002', wall - 20 * MINUTE)];
  };
  const { clock, trades, stored, traded } = await started(early);
  traded('60001');
  const from = { startTime: clock.wall() - 60 * MINUTE };
  expect(await trades()).toEqual(['60001']);
  expect(await trades(from)).toEqual(['50001', '50002']);
  expect(await trades({ startTime: clock.wall() - 25 * MINUTE })).toEqual(['50002', '60001']);
  expect(await trades({ ...from, limit: 1 })).toEqual(['50001']);
  expect(await trades({ ...from, endTime: clock.wall() - 25 * MINUTE })).toEqual(['50001']);
  expect(stored()).toEqual(['60001']);
});

it('tells what is stored behind trades from before the account was connected, also where the list of the exchange does not have it yet', async () => {
  const early = (venue: PagedVenue, wall: number) => {
    venue.all = [fillOf('-2', '50002', wall - 20 * MINUTE)];
  };
  const { clock, trades, traded, venue } = await started(early);
  traded('60001');
  expect(await trades()).toEqual(['60001']);
  venue.all = venue.all.filter(({ price }) => price !== '60001');
  expect(await trades({ startTime: clock.wall() - 60 * MINUTE })).toEqual(['50002', '60001']);
});

// proves: S64
it('answers from the store when the exchange does not answer within two seconds, or the link is down', async () => {
  const { clock, trades, traded, venue } = await started();
  traded('60001');
  expect(await trades()).toEqual(['60001']);
  traded('60002');
  const answers = venue.page;
  venue.page = () => new Promise(() => {});
  const before = clock.wall();
  expect(await trades()).toEqual(['60001']);
  expect(clock.wall() - before).toBeGreaterThanOrEqual(2_000);
  expect(clock.wall() - before).toBeLessThan(2_200);
  venue.page = answers;
  venue.sink?.stream('down');
  const { length } = venue.asked;
  expect(await trades()).toEqual(['60001']);
  expect(venue.asked).toHaveLength(length);
});

it('asks about one symbol once at a time, however many reads wait for it', async () => {
  const { clock, ask, traded, venue } = await started();
  traded('60001');
  const answer = Promise.withResolvers<FillsPage | null>();
  const answers = venue.page;
  venue.page = (q) => answer.promise.then(() => answers(q));
  const reads = Promise.all([ask(), ask(), ask()]);
  await clock.settle();
  answer.resolve(null);
  const told = await settled(clock, reads);
  expect(told.map((one) => one.ok && one.data.length)).toEqual([1, 1, 1]);
  expect(venue.asked).toHaveLength(1);
});

it('asks for itself where another read wants more of the past', async () => {
  const early = (venue: PagedVenue, wall: number) => {
    venue.all = [fillOf('-2', '50002', wall - 20 * MINUTE)];
  };
  const { clock, ask } = await started(early);
  const reads = Promise.all([ask(), ask({ startTime: clock.wall() - 60 * MINUTE })]);
  const told = await settled(clock, reads);
  expect(told.map((one) => one.ok && one.data.map(({ price }) => price))).toEqual([[], ['50002']]);
});

// proves: S64
it('is refused for an account that was never connected', async () => {
  const { trades } = await started((venue) => {
    venue.open = async () => {
      throw new Error('not there');
    };
  });
  expect(await trades()).toBe('SERVICE_UNAVAILABLE');
});

describe('more reads than the exchange is asked for at the same time', () => {
  it('are answered from the store at once, and ask again when one of the others has ended', async () => {
    const { clock, ask, trades, venue } = await started();
    const answers = venue.page;
    const open: (() => void)[] = [];
    venue.page = (q) => new Promise((resolve) => open.push(() => resolve(answers(q))));
    const since = clock.wall() - 60 * MINUTE;
    const reads = [0, 1, 2, 3].map((n) => ask({ startTime: since + n }));
    await clock.settle();
    expect(venue.asked).toHaveLength(4);
    const from = clock.monotonic();
    expect(await trades({ startTime: since + 4 })).toEqual([]);
    expect([clock.monotonic() - from, venue.asked.length]).toEqual([0, 4]);
    // One that is asked about already waits with the read that has asked.
    const same = ask({ startTime: since + 3 });
    await clock.settle();
    expect(venue.asked).toHaveLength(4);
    venue.page = answers;
    for (const answer of open) answer();
    await settled(clock, Promise.all([...reads, same]));
    const { length } = venue.asked;
    expect(await trades({ startTime: since + 4 })).toEqual([]);
    expect(venue.asked.length).toBe(length + 2);
  });

  it('that hang for longer than a read waits take no place of a later one once they have ended', async () => {
    const { clock, ask, trades, traded, venue } = await started();
    const answers = venue.page;
    venue.page = () => new Promise(() => {});
    const since = clock.wall() - 60 * MINUTE;
    await settled(clock, Promise.all([0, 1, 2, 3].map((n) => ask({ startTime: since + n }))));
    venue.page = answers;
    traded('60001');
    expect(await trades()).toEqual([]);
    // A question without an answer has failed after 10 s, and two of them are asked in turn.
    await clock.advance(20_000);
    expect(await trades()).toEqual(['60001']);
  });
});

describe('trades at the moment of the first connection', () => {
  it('are its own, and the last one before it is past: each is told once, whatever is asked for', async () => {
    const { clock, trades, stored, venue } = await started((early, wall) => {
      early.all = [
        fillOf('-1', '50001', wall - 1),
        fillOf('1', '60001', wall),
        fillOf('2', '60002', wall + 1),
      ];
    });
    const at = clock.wall();
    expect(await trades()).toEqual(['60001']);
    expect(await trades()).toEqual(['60001', '60002']);
    venue.asked.length = 0;
    expect(await trades({ startTime: at })).toEqual(['60001', '60002']);
    expect(venue.asked.map(({ since }) => since)).not.toContain(at);
    expect(await trades({ startTime: at - 1 })).toEqual(['50001', '60001', '60002']);
    expect(venue.asked.at(-1)).toMatchObject({ after: null, since: at - 1 });
    expect(await trades({ startTime: at - 1, endTime: at })).toEqual(['50001', '60001']);
    expect(await trades({ startTime: at - 1, endTime: at - 1 })).toEqual(['50001']);
    expect(await trades({ startTime: at + 1 })).toEqual(['60002']);
    expect(stored()).toEqual(['60001', '60002']);
  });

  it('of a past that has more than one page are told up to the end of that page, and what follows is asked for from there', async () => {
    const { clock, trades, traded } = await started((early, wall) => {
      early.all = [50, 40, 30].map((ago, n) => fillOf(String(n - 3), `5000${n}`, wall - ago * MINUTE));
    });
    const at = clock.wall();
    traded('60001');
    expect(await trades()).toEqual(['60001']);
    // Nobody knows yet what was between the second one and the connection.
    expect(await trades({ startTime: at - 50 * MINUTE })).toEqual(['50000', '50001']);
    expect(await trades({ startTime: at - 40 * MINUTE })).toEqual(['50001', '50002']);
    expect(await trades({ startTime: at - 30 * MINUTE })).toEqual(['50002', '60001']);
    traded('60002', -1);
    traded('60003', -2);
    // The page ends after the connection: from there on the store has everything.
    expect(await trades({ startTime: at - 30 * MINUTE })).toEqual(['50002', '60001', '60002', '60003']);
    expect(await trades({ startTime: at - 30 * MINUTE, limit: 3 })).toEqual(['50002', '60001', '60002']);
    expect(await trades({ startTime: at - 20 * MINUTE })).toEqual(['60001', '60002', '60003']);
  });
});

it('what a page has from before the asked time, or beyond the end, is left out; trades are in the order of their times', async () => {
  const { clock, trades, venue } = await started();
  const at = clock.wall();
  venue.page = async ({ after, since }) => ({
    fills:
      since < at - MINUTE ? [9, 7, 8, 3].map((ago) => fillOf(`p${ago}`, `500${ago}`, at - ago * MINUTE)) : [],
    next: after,
    more: false,
  });
  const told = await trades({ startTime: at - 8 * MINUTE, endTime: at - 5 * MINUTE });
  expect(told).toEqual(['5008', '5007']);
  expect(await trades({ startTime: at - 8 * MINUTE })).toEqual(['5008', '5007', '5003']);
});

it('a trade of our own orders is told once, also where the exchange dates it before the connection, and each side of a trade with ourselves', async () => {
  const { clock, core, trades, ask, stored, venue } = await started();
  const at = clock.wall();
  core.turn.step({ type: 'price', market: 'far', symbol: 'BTCUSDT', price: '50000' });
  venue.sink?.balances([{ asset: 'BTC', free: '1', locked: '0' }]);
  const request = { symbol: 'BTCUSDT', type: 'LIMIT', price: '50000', quantity: '0.01' } as const;
  for (const side of ['BUY', 'SELL'] as const) {
    const command = { type: 'place', request: { exchange: EXCHANGE, side, ...request } } as const;
    expect((await settled(clock, core.execute(OPERATOR, command, { requestId: 'r' }))).status).toBe(200);
  }
  const [buy = '', sell = ''] = venue.sent.map(({ clientId }) => clientId);
  for (const order of venue.sent)
    venue.sink?.order({ ...venue.working(order), venueIds: [`v-${order.side === 'BUY' ? 'buy' : 'sell'}`] });
  const both = [
    { ...fillOf('5', '50000', at - 1), clientId: buy, venueId: 'v-buy', comm: '0.7', rPnl: '4' },
    { ...fillOf('5', '50000', at - 1), clientId: sell, venueId: 'v-sell', side: 'SELL', maker: true },
  ] as const;
  for (const fill of both) venue.sink?.fill(fill);
  await clock.settle();
  expect(stored()).toEqual(['50000', '50000']);
  // The list of the exchange names them by its own ids alone.
  venue.all = both.map((fill) => ({ ...fill, clientId: '' }));
  const answer = await settled(clock, ask({ startTime: at - MINUTE }));
  expect(answer.ok && answer.data).toMatchObject([
    { side: 'BUY', comm: '0.7', rPnl: '4', buyer: true },
    { side: 'SELL', comm: '0', rPnl: null, buyer: false },
  ]);
  expect(await trades({ startTime: at })).toEqual([]);
});
