/**
 * A fill that is reported before the price stream has reached its price: decisions about it count from the
 * fill's price (R11).
 */
import { expect, it, onTestFinished } from 'vitest';
import { DeskCore, recentSince } from '../../src/desk/core/desk-core.ts';
import { createBotDesk, marketMove } from '../../src/desk/market/bot-desk.ts';
import { dec } from '../../src/domain/decimal.ts';
import type { ExchangeOrder } from '../../src/domain/exchange.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { FUTURES, FUTURES_CAPS, OPERATOR } from '../engine/support/market.ts';
import { FakeVenue } from '../support/fake-venue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const BRACKET = {
  algo: 'bracket',
  side: 'BUY',
  quantity: '1',
  entry: { type: 'MARKET' },
  takeProfit: { percent: '10' },
  stopLoss: { percent: '0.5' },
} as const;

/**
 * A desk whose futures exchange triggers stops at the last price, with a bracket that has just sent its
 * entry.
 */
async function entering() {
  const clock = new VirtualClock();
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const initial = store.load(recentSince(clock.wall()));
  const venue = Object.assign(new FakeVenue({ id: FUTURES, kind: 'futures' }), { caps: FUTURES_CAPS });
  const desk = createBotDesk({
    past: () => [],
    live: new Set<string>(),
    time: clock.wall(),
    cursor: null,
    initial,
    venues: [venue],
    fees: () => ({ maker: '0', taker: '0' }),
    targets: [],
    lastRun: () => null,
  });
  let ids = 0;
  const core = new DeskCore({
    store,
    initial,
    clock,
    random: { id: (length) => (++ids).toString(32).padStart(length, '0'), next: () => 0.5 },
    venues: [venue],
    market: () => clock.wall(),
    deferredRows: () => [],
    bots: desk.make,
    logFile: () => {},
    fatal: (reason) => {
      throw new Error(reason);
    },
  });
  await core.start();
  /** A trade of the market `ago` ms ago, as the price stream reports it. */
  const tick = async (price: string, ago = 0) => {
    const told = { symbol: 'BTCUSDT', time: clock.wall() - ago, price, volume: '1' };
    core.turn.step(marketMove(told));
    core.turn.step({ type: 'tick', market: 'paper', symbol: 'BTCUSDT', price });
    await clock.settle();
  };
  const command = async (ask: object) => {
    const answer = core.execute(OPERATOR, ask as never, { requestId: 'r' });
    await clock.settle();
    return answer;
  };
  await tick('100');
  const settings = { exchange: FUTURES, symbol: 'BTCUSDT', ...BRACKET };
  const made = await command({ type: 'bot.create', bot: { type: 'ALGO', settings } });
  const { id } = (made.outcome as unknown as { data: { id: string } }).data;
  const started = await command({ type: 'bot.start', id });
  await clock.advance(1_000);
  await tick('100', 900);
  const [entry] = venue.sent;
  if (!entry)
    throw new Error(
      `nothing was sent: ${JSON.stringify([started.outcome, core.bots?.book.ended, [...(core.bots?.book.runs.values() ?? [])].map((l) => l.record()), core.log.map((l) => l.text)])}`,
    );
  /** Fills the entry, now or `ago` ms ago. */
  const fill = async (price: string, { ago = 0, maker = false } = {}) => {
    const { clientId, symbol, side } = entry;
    const trade = { tradeId: '1', clientId, symbol, side, price, qty: '1', comm: '0', commAsset: 'USDT' };
    venue.sink?.fill({ ...trade, maker, rPnl: '0', posSide: 'BOTH', time: clock.wall() - ago });
    await clock.settle();
  };
  const sent = () =>
    venue.sent.slice(1).map((o: ExchangeOrder) => `${o.side} ${o.type} ${o.stopPrice ?? o.price ?? ''}`);
  return { clock, core, tick, fill, sent, hub: desk.hub };
}

// proves: bot ruling R11
it('a stop above the last price and below the fill is sent, and an older price does not fire it', async () => {
  const { fill, tick, sent, clock } = await entering();
  await fill('101.2');
  expect(sent().sort()).toEqual(['SELL LIMIT 111.32', 'SELL STOP_MARKET 100.69']);
  // The stream reaches prices from before the fill.
  await tick('100', 500);
  expect(sent()).toHaveLength(2);
  // The stream reaches newer prices.
  await clock.advance(1_000);
  await tick('102');
  expect(sent()).toHaveLength(2);
});

it('a fill that is older than the last price changes nothing: the stop that the price has passed is carried out', async () => {
  const { fill, sent } = await entering();
  await fill('101.2', { ago: 950 });
  expect(sent()).toEqual(['SELL MARKET ']);
});

it('a price after the fill counts again', async () => {
  const { fill, tick, sent, hub, clock } = await entering();
  await fill('101.2');
  expect(hub('paper').view('BTCUSDT').price).toBe(dec('101.2'));
  await clock.advance(100);
  await tick('99');
  expect(hub('paper').view('BTCUSDT').price).toBe(dec('99'));
  expect(sent()).toHaveLength(2);
});
