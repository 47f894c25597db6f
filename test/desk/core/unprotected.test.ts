/** The warning when a desk stops: it names what is unprotected without the desk, and nothing else. */
import { expect, it } from 'vitest';
import { futuresViewOf } from '../../../src/desk/console/futures-view.ts';
import { unprotectedLines } from '../../../src/desk/core/unprotected.ts';
import { Bench } from '../../engine/support/bench.ts';
import { CAPS } from '../../engine/support/market.ts';
import { openBots } from '../integration/bots-rig.ts';
import { EXCHANGE, openTestDesk, place } from '../integration/support.ts';

const POSITION = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  entryPrice: '60000',
  breakEvenPrice: '60000',
  markPrice: '60000',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 20,
  isolatedWallet: '0',
  liquidationPrice: null,
  maintenanceMarginRate: '0.004',
  maintenanceMargin: '0',
  realizedPnl: '0',
} as const;

/** A futures account that cannot keep a stop at the market itself, with a long position of 3. */
function holding(): Bench {
  const bench = new Bench({ futures: true, caps: { forms: CAPS.forms } });
  const changed = [{ ...POSITION, amount: '3', updateTime: bench.wall }];
  bench.event({ type: 'venue.positions', exchange: bench.exchange, changed, all: true });
  return bench;
}

const cover = (bench: Bench) => {
  const { memory } = bench.engine;
  const [position] = futuresViewOf(memory, memory.account(bench.exchange)).positions;
  return [position?.protectedQty, position?.heldQty];
};

const stop = { side: 'SELL', type: 'STOP_MARKET', reduceOnly: true } as const;

it('a position is covered at the exchange or by this desk, and both together never more than it', () => {
  const bench = holding();
  expect(cover(bench)).toEqual(['0', undefined]);
  bench.place({ ...stop, stopPrice: '50000', quantity: '2' });
  expect(cover(bench)).toEqual(['0', '2']);
  bench.place({ ...stop, stopPrice: '49000', quantity: '3' });
  expect(cover(bench)).toEqual(['0', '3']);
  bench.resting({
    side: 'SELL',
    type: 'STOP_LIMIT',
    stopPrice: '51000',
    price: '50000',
    quantity: '2',
    reduceOnly: true,
  });
  expect(cover(bench)).toEqual(['2', '1']);
});

it('names held orders and positions without a stop at the exchange', () => {
  const bench = holding();
  expect(unprotectedLines(bench.engine.memory)).toEqual([
    'without a stop at the exchange while this desk is stopped: LONG BTCUSDT on paper-futures',
  ]);
  bench.place({ ...stop, stopPrice: '50000', quantity: '3' });
  expect(unprotectedLines(bench.engine.memory)).toEqual([
    'held by this desk, does nothing while it is stopped: SELL STOP_MARKET BTCUSDT at 50000 on paper-futures',
    'without a stop at the exchange while this desk is stopped: LONG BTCUSDT on paper-futures',
  ]);
  for (let i = 0; i < 11; i++) bench.place({ ...stop, stopPrice: `${40_000 + i}`, quantity: '0.01' });
  expect(unprotectedLines(bench.engine.memory)[0]).toMatch(/at 40008 on paper-futures, 2 more$/);
});

it('is in the log of a desk that was stopped, and not where nothing depends on it', async () => {
  const lines = async (withStop: boolean) => {
    const r = await openBots(['100']);
    await r.minutes(1);
    await place(r.t, { side: 'BUY', type: 'LIMIT', price: '90', quantity: '1' });
    if (withStop) await place(r.t, { side: 'BUY', type: 'STOP_MARKET', stopPrice: '110', quantity: '1' });
    await r.t.stop();
    const t = await openTestDesk({ feed: r.feed, hold: true, dataDir: r.t.dataDir, clock: r.t.clock });
    return t.desk
      .state()
      .log.map(({ text }) => text)
      .filter((text) => /this desk/.test(text));
  };
  expect(await lines(true)).toEqual([
    `held by this desk, does nothing while it is stopped: BUY STOP_MARKET BTCUSDT at 110 on ${EXCHANGE}`,
  ]);
  expect(await lines(false)).toEqual([]);
});
