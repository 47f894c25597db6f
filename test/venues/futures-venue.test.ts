/**
 * Paper futures behind the exchange port: answers, events, settings through the port, restart, steps and
 * their commits.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { futuresInstruments } from '../../src/market/futures-symbols.ts';
import { MARKETS } from '../../src/market/symbols.ts';
import { FUTURES_FORMS } from '../../src/venues/paper/forms.ts';
import {
  createPaperVenue,
  PAPER_FUTURES,
  type PaperVenueOptions,
} from '../../src/venues/paper/paper-venue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { CONTRACTS, FuturesBench } from './futures-support.ts';
import { MemoryLane, RecordingSink, seeded } from './paper-support.ts';

class FuturesSink extends RecordingSink {
  readonly positionOf = new Map<string, ExchangePosition>();

  positions(changed: readonly ExchangePosition[]): void {
    for (const position of changed) this.positionOf.set(`${position.symbol} ${position.side}`, position);
    this.lines.push(`positions ${changed.map((p) => `${p.symbol} ${p.amount}`).join(' ')}`);
  }
}

async function open(more: Partial<PaperVenueOptions> = {}) {
  const clock = new VirtualClock();
  const lane = new MemoryLane();
  const sink = new FuturesSink();
  const make = () =>
    createPaperVenue({
      account: PAPER_FUTURES,
      instruments: CONTRACTS,
      load: () => lane.tables,
      lane,
      clock,
      random: seeded(1),
      ...more,
    });
  const venue = make();
  await venue.open(sink);
  let time = Date.UTC(2026, 0, 5, 1);
  const tick = (price: string) => venue.tick({ time: ++time, symbol: 'BTCUSDT', price, volume: '100' });
  tick('50000');
  const { futures } = venue;
  if (!futures) throw new Error('no futures');
  return { clock, lane, sink, venue, futures, tick, make };
}

const market = (clientId: string, side: 'BUY' | 'SELL', quantity: string) =>
  ({ clientId, symbol: 'BTCUSDT', side, type: 'MARKET', quantity, timeInForce: 'GTC' }) as const;

describe('the futures account behind the port', () => {
  it('says what it can', async () => {
    const { venue, futures } = await open();
    expect(venue.account.id).toBe('paper-futures');
    expect(venue.caps).toMatchObject({ forms: FUTURES_FORMS, idPrefix: 'pf' });
    expect(futures.brackets('BTCUSDT')[1]).toEqual({
      initialLeverage: 100,
      notionalFloor: '50000',
      notionalCap: '600000',
      maintenanceMarginRate: '0.005',
      cumulative: '50',
    });
    expect([futures.markPrice('BTCUSDT'), futures.markPrice('ETHUSDT')]).toEqual(['50000', null]);
    expect(venue.dust().assets).toEqual([]);
    expect(await venue.convertDust(['BTC'])).toMatchObject({ kind: 'rejected' });
  });

  it('tells fill, order, positions and balance, in that order', async () => {
    const { clock, sink, venue } = await open();
    const answer = venue.submit(market('a', 'BUY', '1'));
    await clock.settle();
    expect(await answer).toMatchObject({ kind: 'accepted', state: { status: 'FILLED' } });
    expect(sink.lines.slice(-4)).toEqual([
      'fill a BUY 1 @ 50000 taker',
      'order a FILLED 1',
      'positions BTCUSDT 1',
      'balances USDT',
    ]);
    const balance = { asset: 'USDT', free: '97475', locked: '2500', time: expect.any(Number) };
    expect(sink.balanceOf.get('USDT')).toEqual(balance);
  });

  it('settings are stored and survive a restart; a line that is down makes them unknown', async () => {
    const { clock, sink, venue, futures, make } = await open();
    const done = [
      futures.setLeverage({ symbol: 'BTCUSDT', leverage: 50 }),
      futures.setMarginType('BTCUSDT', 'ISOLATED'),
      futures.setHedgeMode(true),
      futures.setMarginMode(3),
    ];
    await clock.settle();
    for (const outcome of done) expect(await outcome).toEqual({ kind: 'done' });
    await venue.close();
    const again = make();
    await again.open(sink);
    const asked = again.futures?.leverage(['BTCUSDT']);
    await clock.settle();
    expect((await asked)?.map((info) => [info.side, info.leverage, info.marginType])).toEqual([
      ['LONG', 50, 'ISOLATED'],
      ['SHORT', 50, 'ISOLATED'],
    ]);
    again.faults.downFor(1_000);
    const lost = [again.futures?.setHedgeMode(false), again.futures?.positions(), again.futures?.hedgeMode()];
    await clock.settle();
    expect(await Promise.all(lost)).toEqual([{ kind: 'unknown', cause: 'no answer' }, null, null]);
  });

  it('a liquidation runs inside the tick, and the desk settles after each step', async () => {
    let settled = 0;
    const { clock, sink, venue, futures, tick } = await open({
      settle: () => {
        settled++;
      },
    });
    const answers = [
      venue.submit(market('a', 'BUY', '30')),
      futures.setLeverage({ symbol: 'BTCUSDT', leverage: 75 }),
    ];
    await clock.settle();
    await Promise.all(answers);
    const told = sink.lines.length;
    await tick('46000');
    const orders = sink.lines.slice(told).filter((line) => line.startsWith('order liq-'));
    expect(settled).toBe(orders.length);
    expect(orders.length).toBeGreaterThan(0);
    expect(sink.positionOf.get('BTCUSDT BOTH')).toMatchObject({ amount: '0', liquidationPrice: null });
    const balance = venue.balances();
    await clock.settle();
    expect(await balance).toEqual([sink.balanceOf.get('USDT')]);
  });
});

it('a price from before the last one is no news', async () => {
  const { venue, tick } = await open();
  tick('51000');
  venue.seedPrice('BTCUSDT', '40000', 1_000);
  expect(venue.lastPrice('BTCUSDT')).toBe('51000');
  venue.seedPrice('BTCUSDT', '52000', Date.UTC(2026, 0, 6));
  expect(venue.lastPrice('BTCUSDT')).toBe('52000');
});

it('a price that a start tells is the mark at once where the mark does not lag, and leaves one that does where it stood', async () => {
  for (const [markLagMs, mark] of [
    [0, '52000'],
    [30_000, '50000'],
  ] as const) {
    const { venue, futures } = await open({ options: { markLagMs } });
    expect(futures.markPrice('BTCUSDT')).toBe('50000');
    venue.seedPrice('BTCUSDT', '52000', Date.UTC(2026, 0, 6));
    expect(futures.markPrice('BTCUSDT')).toBe(mark);
  }
});

it('a mark that lags is where it stood after a commit that failed, and so is what is known of funding', async () => {
  const { clock, lane, venue, futures, tick } = await open({ options: { markLagMs: 1_000 } });
  for (let n = 0; n < 5; n++) tick('52000');
  const mark = futures.markPrice('BTCUSDT');
  expect(Number(mark)).toBeGreaterThan(50_000);
  lane.failNext = true;
  void venue.submit(market('a', 'BUY', '1'));
  await clock.settle();
  expect([futures.markPrice('BTCUSDT'), venue.lastPrice('BTCUSDT')]).toEqual([mark, '52000']);
});

it('the leverage of an isolated symbol may be lowered while another one has a position', async () => {
  const { clock, venue, futures } = await open();
  const set = async <T>(change: Promise<T>) => {
    await clock.settle();
    return change;
  };
  await set(futures.setMarginType('ETHUSDT', 'ISOLATED'));
  await set(futures.setMarginType('BTCUSDT', 'ISOLATED'));
  await set(venue.submit(market('a', 'BUY', '0.1')));
  expect(await set(futures.setLeverage({ symbol: 'ETHUSDT', leverage: 5 }))).toEqual({ kind: 'done' });
  expect(await set(futures.setLeverage({ symbol: 'BTCUSDT', leverage: 5 }))).toMatchObject({ code: '-4161' });
  expect(await set(futures.setLeverage({ symbol: 'BTCUSDT', leverage: 50 }))).toEqual({ kind: 'done' });
});

it('a week without a price was funded all along, a longer time not at all: it was another market', () => {
  const WEEK = 7 * 24 * 3_600_000;
  for (const [after, payments] of [
    [WEEK, 21],
    [WEEK + 1, 0],
  ] as const) {
    const bench = new FuturesBench({ fundingRate: '0.0001' });
    bench.tick('50000');
    bench.place({ type: 'MARKET', quantity: '1' });
    bench.tick('50000', { after });
    const rows = bench.core.ledger({ after: null, since: 0, limit: 100 }).rows;
    expect(rows.filter(({ kind }) => kind === 'funding')).toHaveLength(payments);
    expect(rows.filter(({ kind }) => kind === 'funding').every(({ amount }) => amount === '-5')).toBe(true);
    // From then on it is funded as ever.
    const next = Math.floor(bench.now / (8 * 3_600_000) + 1) * 8 * 3_600_000;
    bench.tick('50000', { after: next - bench.now });
    expect(bench.core.ledger({ after: null, since: 0, limit: 100 }).rows.at(-1)?.time).toBe(next);
  }
});

describe('the contracts', () => {
  it('are the pairs of the spot table, each tick at least as fine, with the notional of the real ones', () => {
    const made = futuresInstruments([...MARKETS.map((market) => market.symbol), 'FOOUSDT'], 'paper-futures');
    expect(made).toHaveLength(21);
    for (const [n, market] of MARKETS.entries()) {
      expect(Number(made[n]?.tickSize)).toBeLessThanOrEqual(Number(market.tickSize));
      expect(Number(made[n]?.stepSize) * Number(market.startPrice)).toBeLessThan(100);
    }
    expect(made.slice(0, 3).map((contract) => contract.minNotional)).toEqual(['100', '20', '5']);
    expect(made.every((contract) => contract.kind === 'futures' && contract.maxOrders === 200)).toBe(true);
  });
});
