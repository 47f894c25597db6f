/**
 * A paper account on the prices of a live market, behind the port: its instruments and how they change, orders
 * that wait for prices, marks and funding that are told.
 */
import { describe, expect, it } from 'vitest';
import type { Instrument } from '../../src/domain/instrument.ts';
import type { Mirror, PastFunding } from '../../src/venues/paper/mirror.ts';
import { createPaperVenue, PAPER_FUTURES, PAPER_SPOT } from '../../src/venues/paper/paper-venue.ts';
import type { Dispatch } from '../../src/venues/venue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { CONTRACTS } from './futures-support.ts';
import { BNB, BTC, DOGE, limit, MemoryLane, RecordingSink, seeded } from './paper-support.ts';

const HOUR = 3_600_000;

class Mirrored {
  readonly clock = new VirtualClock();
  readonly sink = Object.assign(new RecordingSink(), {
    instruments: (list: readonly Instrument[]) => this.changed.push(list.map(({ symbol }) => symbol)),
  });
  readonly lane: MemoryLane;
  readonly errors: string[] = [];
  readonly wanted: string[] = [];
  readonly fresh = new Set<string>();
  readonly broken = new Set<string>();
  readonly opened: string[][] = [];
  /** The lists told to the sink after the opening. */
  readonly changed: string[][] = [];
  readonly asked: (readonly [symbol: string, from: number, to: number])[] = [];
  past: PastFunding[] = [];
  /** The time of the live market. */
  time = 0;
  list: readonly Instrument[] | null;
  lists = 0;
  /** What an answer with the list waits for. */
  #held: Promise<void> | undefined;
  readonly venue;

  constructor(
    kind: 'spot' | 'futures',
    {
      list,
      before = [],
      lane,
    }: { list: readonly Instrument[]; before?: readonly Instrument[]; lane?: MemoryLane },
  ) {
    this.list = list;
    this.lane = lane ?? new MemoryLane();
    const mirror: Mirror = {
      market: 'live-market',
      instruments: async () => {
        this.lists += 1;
        await this.#held;
        return this.list;
      },
      opened: (all) => this.opened.push(all.map(({ symbol }) => symbol)),
      before,
      isFresh: (symbol) => this.fresh.has(symbol),
      isBroken: (symbol) => this.broken.has(symbol),
      want: (symbol) => this.wanted.push(symbol),
      funding: async (symbol, from, to) => {
        this.asked.push([symbol, from, to]);
        return this.past.filter(({ at }) => at >= from && at < to);
      },
    };
    this.venue = createPaperVenue({
      account: kind === 'spot' ? PAPER_SPOT : PAPER_FUTURES,
      instruments: [],
      load: () => this.lane.tables,
      lane: this.lane,
      clock: this.clock,
      random: seeded(1),
      marketTime: () => this.time,
      onError: (error) => this.errors.push(error.message),
      mirror,
    });
  }

  async open(): Promise<this> {
    await this.venue.open(this.sink);
    this.sink.lines.length = 0;
    return this;
  }

  /** Holds answers with the list back until the function that it returns is called. */
  hold(): () => void {
    let release = () => {};
    this.#held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  push(symbol: string, price: string, time = this.clock.wall()): void {
    this.fresh.add(symbol);
    this.venue.push({ time, symbol, price, volume: '1000' });
  }

  /** Opens a long of one contract at 50000. */
  async buyOne(symbol: string): Promise<void> {
    this.push(symbol, '50000');
    this.venue.pushMark(symbol, '50000', this.clock.wall(), null);
    const order = { ...limit(`buy ${symbol}`, 'BUY', '50000', '1'), symbol };
    const sent = this.venue.submit(order);
    await this.clock.settle();
    expect(await sent).toMatchObject({ kind: 'accepted', state: { status: 'FILLED' } });
  }

  async ledger(): Promise<string[] | undefined> {
    const page = this.venue.ledger?.({ after: null, since: 0, limit: 100 });
    await this.clock.settle();
    return (await page)?.rows.map(({ kind, amount, symbol, time }) => `${kind} ${symbol} ${amount} ${time}`);
  }
}

describe('the instruments', () => {
  it('are those of its kind, on futures of its one margin asset; where there are none it does not open', async () => {
    const [contract] = CONTRACTS as [Instrument];
    const usdc = { ...contract, symbol: 'BTCUSDC', quote: 'USDC' };
    const spot = await new Mirrored('spot', { list: [BTC, contract, { ...BNB, quote: 'EUR' }] }).open();
    expect(spot.opened).toEqual([['BTCUSDT', 'BNBUSDT']]);
    expect([spot.venue.account.market, spot.venue.instruments().length]).toEqual(['live-market', 2]);
    const futures = await new Mirrored('futures', { list: [BTC, contract, usdc] }).open();
    expect(futures.opened).toEqual([[contract.symbol]]);
    for (const [list, words] of [
      [null, 'what live-market trades could not be asked for'],
      [[BTC, usdc], 'live-market trades nothing that a paper account can'],
    ] as const) {
      const none = new Mirrored('futures', { list: [] });
      none.list = list;
      await expect(none.venue.open(none.sink)).rejects.toThrow(words);
      expect([none.opened, none.lane.commits]).toEqual([[], []]);
      none.list = [contract];
      await none.open();
      expect(none.opened).toHaveLength(1);
    }
  });

  it('are read again every hour; only what has changed is told, and a failure waits for the next hour', async () => {
    const m = await new Mirrored('spot', { list: [BTC, BNB] }).open();
    await m.clock.advance(HOUR - 1);
    expect(m.lists).toBe(1);
    await m.clock.advance(1);
    expect([m.lists, m.changed]).toEqual([2, []]);
    m.list = [BTC, { ...BNB, tickSize: '0.1' }, DOGE];
    await m.clock.advance(HOUR);
    expect([m.changed, m.venue.instruments().length]).toEqual([[['BTCUSDT', 'BNBUSDT', 'DOGEUSDT']], 3]);
    // The new filters and the new symbol are in force.
    m.push('BNBUSDT', '100');
    m.push('DOGEUSDT', '1');
    const outcomes = [
      m.venue.submit({ ...limit('a', 'BUY', '90.05', '1'), symbol: 'BNBUSDT' }),
      m.venue.submit({ ...limit('b', 'BUY', '0.9', '10'), symbol: 'DOGEUSDT' }),
    ];
    await m.clock.settle();
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['rejected', 'accepted']);
    m.list = null;
    await m.clock.advance(HOUR);
    expect(m.errors).toEqual(['what live-market trades could not be asked for']);
    m.list = [BTC];
    await m.clock.advance(HOUR);
    expect([m.lists, m.changed.at(-1), m.errors.length]).toEqual([5, ['BTCUSDT'], 1]);
    await m.venue.close();
    await m.clock.advance(3 * HOUR);
    expect([m.lists, m.clock.pendingTimers]).toEqual([5, 0]);
  });

  it('that are gone since the last connection keep their orders, which can be cancelled', async () => {
    const lane = new MemoryLane();
    const first = await new Mirrored('spot', { list: [BTC, BNB], lane }).open();
    first.push('BNBUSDT', '100');
    void first.venue.submit({ ...limit('rests', 'BUY', '90', '1'), symbol: 'BNBUSDT' });
    await first.clock.settle();
    await first.venue.close();
    const second = await new Mirrored('spot', { list: [BTC], before: [BTC, BNB], lane }).open();
    expect(second.venue.instruments().map(({ symbol }) => symbol)).toEqual(['BTCUSDT']);
    const cancelled = second.venue.cancel({ clientId: 'rests', symbol: 'BNBUSDT' });
    await second.clock.settle();
    expect(await cancelled).toMatchObject({ kind: 'done', state: { status: 'CANCELLED' } });
  });

  it.each(['spot', 'futures'] as const)(
    'that are gone since the opening keep what is on them, also over a commit that failed: %s',
    async (kind) => {
      const [kept, gone] = (kind === 'spot' ? [BTC, BNB] : CONTRACTS) as [Instrument, Instrument];
      const { symbol } = gone;
      const m = await new Mirrored(kind, { list: [kept, gone] }).open();
      m.push(symbol, '50000');
      m.venue.pushMark(symbol, '50000', m.clock.wall(), null);
      for (const [id, price] of [
        ['filled', '50000'],
        ['rests', '49000'],
      ] as const)
        void m.venue.submit({ ...limit(id, 'BUY', price, '1'), symbol });
      await m.clock.settle();
      m.list = [kept];
      await m.clock.advance(HOUR);
      expect(m.changed).toEqual([[kept.symbol]]);
      m.lane.failNext = true;
      void m.venue.setBalance('USDT', '70000');
      await m.clock.settle();
      expect(m.errors).toEqual(['disk full']);
      const cancelled = m.venue.cancel({ clientId: 'rests', symbol });
      const positions = m.venue.futures?.positions();
      await m.clock.settle();
      expect(await cancelled).toMatchObject({ kind: 'done', state: { status: 'CANCELLED' } });
      if (positions) expect(await positions).toMatchObject([{ symbol, amount: '1' }]);
      expect(m.errors).toEqual(['disk full']);
    },
  );

  it('that come when the account is closed open nothing, and change nothing', async () => {
    const early = new Mirrored('spot', { list: [BTC] });
    const answer = early.hold();
    const opening = early.venue.open(early.sink);
    await early.venue.close();
    answer();
    await opening;
    await early.clock.settle();
    expect([early.opened, early.sink.lines, early.lane.commits]).toEqual([[], [], []]);
    expect(early.clock.pendingTimers).toBe(0);
    const late = await new Mirrored('spot', { list: [BTC, BNB] }).open();
    const again = late.hold();
    late.list = [BTC];
    await late.clock.advance(HOUR);
    await late.venue.close();
    again();
    await late.clock.settle();
    expect([late.lists, late.changed, late.clock.pendingTimers]).toEqual([2, [], 0]);
  });
});

describe('an order', () => {
  it('waits until the prices of its symbol come, and is matched at what has come', async () => {
    const m = await new Mirrored('spot', { list: [BTC, BNB] }).open();
    const btc = m.venue.submit({ ...limit('a', 'BUY', '101', '1') });
    const bnb = m.venue.submit({ ...limit('b', 'BUY', '51', '1'), symbol: 'BNBUSDT' });
    await m.clock.advance(5_000);
    expect([m.wanted, m.sink.lines]).toEqual([['BTCUSDT', 'BNBUSDT'], []]);
    m.push('BTCUSDT', '100');
    await m.clock.settle();
    expect(m.sink.fills.map(({ clientId, price }) => `${clientId} ${price}`)).toEqual(['a 100']);
    expect(await btc).toMatchObject({ kind: 'accepted' });
    await m.clock.advance(5_000);
    expect(await bnb).toMatchObject({ kind: 'rejected', code: 'NO_PRICES' });
    m.push('BNBUSDT', '50');
    await m.clock.settle();
    expect([m.sink.fills.length, m.wanted.length]).toEqual([1, 2]);
    // A symbol whose prices have come is not wanted again; one whose prices are broken is told beforehand.
    void m.venue.submit({ ...limit('c', 'BUY', '51', '1'), symbol: 'BNBUSDT' });
    await m.clock.settle();
    expect([m.sink.fills.at(-1)?.clientId, m.wanted.length]).toEqual(['c', 2]);
    m.broken.add('BTCUSDT');
    expect([m.venue.canSend?.('entry', 'BTCUSDT'), m.venue.canSend?.('entry', 'BNBUSDT')]).toEqual([
      { retryAfterMs: 2_000 },
      null,
    ]);
  });

  it('on a contract waits for its mark as well', async () => {
    const m = await new Mirrored('futures', { list: CONTRACTS }).open();
    const left: string[] = [];
    const dispatch = {
      lane: 'entry',
      notAfter: 0,
      waitUntil: Number.POSITIVE_INFINITY,
      onWaits: () => left.push('waits'),
      leaves: () => ({ notAfter: left.push('leaves') }),
    } satisfies Dispatch;
    void m.venue.submit(limit('a', 'BUY', '50000', '1'), dispatch);
    m.push('BTCUSDT', '50000');
    await m.clock.settle();
    expect([left, m.sink.fills]).toEqual([['waits'], []]);
    m.venue.pushMark('ETHUSDT', '3000', m.clock.wall(), null);
    m.venue.pushMark('BTCUSDT', '49990', m.clock.wall(), null);
    await m.clock.settle();
    expect([left, m.sink.fills.length]).toEqual([['waits', 'leaves'], 1]);
    expect(m.venue.futures?.markPrice('BTCUSDT')).toBe('49990');
    // The last price moves no mark here.
    m.push('BTCUSDT', '51000');
    expect(m.venue.futures?.markPrice('BTCUSDT')).toBe('49990');
  });
});

describe('funding', () => {
  const at = Date.UTC(2026, 0, 5, 8);

  it('is paid at the time and the rate that are told, at the mark before, once, by each position', async () => {
    const m = await new Mirrored('futures', { list: CONTRACTS }).open();
    await m.buyOne('BTCUSDT');
    await m.buyOne('ETHUSDT');
    m.venue.pushMark('BTCUSDT', '50000', at - 1_000, { rate: '0.0001', at });
    m.venue.pushMark('ETHUSDT', '50000', at - 1_000, { rate: '-0.0002', at: at + HOUR });
    m.venue.pushMark('BTCUSDT', '60000', at - 1, null);
    expect(await m.ledger()).toEqual([]);
    // The first mark of the next hours comes a little later: the payment is of its own time.
    m.venue.pushMark('BTCUSDT', '70000', at + 400, { rate: '0.0005', at: at + 8 * HOUR });
    m.venue.pushMark('BTCUSDT', '70000', at + 401, { rate: '0.0005', at: at + 8 * HOUR });
    expect(await m.ledger()).toEqual([`funding BTCUSDT -6 ${at}`]);
    m.push('ETHUSDT', '50000', at + HOUR);
    expect((await m.ledger())?.slice(1)).toEqual([`funding ETHUSDT 10 ${at + HOUR}`]);
  });

  it('of the time without prices is asked for at the start and every hour, of each symbol since its own', async () => {
    const lane = new MemoryLane();
    const first = await new Mirrored('futures', { list: CONTRACTS, lane }).open();
    expect(first.asked).toEqual([]);
    await first.buyOne('BTCUSDT');
    const bought = first.clock.wall();
    await first.clock.advance(60_000);
    await first.buyOne('ETHUSDT');
    first.venue.pushMark('BTCUSDT', '50000', at + 9 * HOUR, null);
    await first.venue.close();
    const second = new Mirrored('futures', { list: CONTRACTS, lane });
    second.past = [
      { at: at + 12, rate: '0.0001', mark: '40000' },
      { at: at + 8 * HOUR + 12, rate: '0.0002', mark: null },
      { at: at + 16 * HOUR, rate: '0.0003', mark: '40000' },
    ];
    second.time = at + 9 * HOUR;
    await second.open();
    await second.clock.settle();
    expect(second.asked.map(([symbol, from, to]) => [symbol, from - bought, to])).toEqual([
      ['BTCUSDT', 1, at + 9 * HOUR],
      ['ETHUSDT', 60_001, at + 9 * HOUR],
    ]);
    const paid = [at, at + 8 * HOUR].flatMap((time, nth) => [`${nth === 0 ? -4 : -10}`, time]);
    const of = async (symbol: string) =>
      (await second.ledger())
        ?.map((row) => row.split(' '))
        .filter(([kind, name]) => kind === 'funding' && name === symbol)
        .flatMap(([, , amount, time]) => [amount, Number(time)]);
    expect([await of('BTCUSDT'), await of('ETHUSDT')]).toEqual([paid, paid]);
    await second.clock.advance(HOUR);
    // Only what comes after the last payment is asked for.
    second.time = at + 17 * HOUR;
    await second.clock.advance(HOUR);
    expect(second.asked.slice(-2)).toEqual(
      ['BTCUSDT', 'ETHUSDT'].map((symbol) => [symbol, at + 8 * HOUR + 1, at + 17 * HOUR]),
    );
    expect((await of('ETHUSDT'))?.slice(4)).toEqual(['-12', at + 16 * HOUR]);
  });
});

it('marks and funding outlive a commit that failed; a mark that never came is none after a start either', async () => {
  const at = Date.UTC(2026, 0, 5, 8);
  const lane = new MemoryLane();
  const m = await new Mirrored('futures', { list: CONTRACTS, lane }).open();
  await m.buyOne('BTCUSDT');
  m.venue.pushMark('BTCUSDT', '50500', at - 2_000, { rate: '0.0001', at });
  lane.failNext = true;
  void m.venue.submit(limit('lost', 'BUY', '40000', '1'));
  await m.clock.settle();
  expect([m.errors, m.venue.futures?.markPrice('BTCUSDT')]).toEqual([['disk full'], '50500']);
  m.venue.pushMark('BTCUSDT', '51000', at + 5, null);
  expect(await m.ledger()).toEqual([`funding BTCUSDT -5.05 ${at}`]);
  m.push('ETHUSDT', '3000');
  await m.venue.close();
  const again = await new Mirrored('futures', { list: CONTRACTS, lane }).open();
  expect(['BTCUSDT', 'ETHUSDT'].map((symbol) => again.venue.futures?.markPrice(symbol))).toEqual([
    '51000',
    null,
  ]);
});

it('a spot account takes no marks, and nothing is pushed into one that is closed', async () => {
  const m = await new Mirrored('spot', { list: [BTC] }).open();
  m.venue.pushMark('BTCUSDT', '100', 1, null);
  const waits = m.venue.submit(limit('a', 'BUY', '101', '1'));
  await m.venue.close();
  m.push('BTCUSDT', '100');
  await m.clock.advance(60_000);
  expect([m.sink.lines, m.venue.lastPrice('BTCUSDT'), m.clock.pendingTimers]).toEqual([[], null, 0]);
  expect(await Promise.race([waits, Promise.resolve('nothing')])).toBe('nothing');
});
