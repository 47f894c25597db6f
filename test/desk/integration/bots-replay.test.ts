/**
 * Bots in a replay: the same fills at every speed and over clean stops; and after a crash at any point, every
 * run goes on, no order is doubled or left over, and the run's position equals the exchange's (strategies.md
 * 2, run rule 2).
 */
import { describe, expect, it } from 'vitest';
import type { NewBot } from '../../../src/domain/bot.ts';
import { type Dec, dec, str, ZERO } from '../../../src/domain/decimal.ts';
import {
  type CandleText,
  deathsOf,
  EXCHANGE,
  fillsOf,
  flat,
  ok,
  openTestDesk,
  playToEnd,
  type TestDesk,
  until,
  writeCandles,
} from './support.ts';

const SYMBOL = { base: 'BTC', quote: 'USDT' };

/** Falls and rises by some percent, repeatedly, so that every bot trades. */
const WAVES: readonly CandleText[] = [
  ...flat('100', 2),
  ...[0, 1, 2].flatMap((i): CandleText[] => [
    ['100', '100.4', '98.6', '99'],
    ['99', '99.2', '96.9', '97.2'],
    ['97.2', `${98 + i * 0.1}`, '97', '97.9'],
    ['97.9', '100.5', '97.8', '100.3'],
    ['100.3', '102.6', '100.2', '102.4'],
    ['102.4', '102.5', '99.4', '100'],
  ]),
  ...flat('100', 2),
];

const DEPOSIT = { value: '1000', asset: 'USDT' };
const BOTS: readonly NewBot[] = [
  {
    type: 'SQUEEZE',
    settings: {
      exchange: EXCHANGE,
      symbol: SYMBOL,
      timeFrame: 60_000,
      deposit: DEPOSIT,
      trailingSell: true,
      price: { percent: { buy: '1', sell: '1' } },
    },
  },
  {
    type: 'CHANNEL',
    settings: {
      exchange: EXCHANGE,
      symbol: SYMBOL,
      flavor: 'GRID',
      deposit: DEPOSIT,
      grid: { low: '96', high: '103', count: 8 },
    },
  },
  {
    type: 'CHANNEL',
    settings: {
      exchange: EXCHANGE,
      symbol: SYMBOL,
      flavor: 'SCALE',
      deposit: DEPOSIT,
      scale: { orders: 2, step: '1', takeProfit: '1' },
      stop: {
        strategy: 'trailing',
        trigger: { type: 'kline', value: '4' },
        order: { type: 'MARKET' },
        complete: true,
      },
    },
  },
  {
    type: 'FIBO',
    settings: {
      exchange: EXCHANGE,
      symbol: SYMBOL,
      deposit: DEPOSIT,
      onetime: false,
      channels: [
        { name: '0', depositePercent: '50', fiboPrice: '97' },
        { name: '0.500', depositePercent: '50' },
        { name: '1', depositePercent: '0', fiboPrice: '101' },
      ],
    },
  },
];

async function begin(t: TestDesk): Promise<void> {
  await t.call('feed.control', { action: 'step' });
  for (const bot of BOTS) {
    const { id } = ok(await t.call('bots.create', { bot }));
    ok(await t.call('bots.start', { id }));
  }
}

async function played(feed: string, speed: number | 'max', stops = 0) {
  let t = await openTestDesk({ feed, speed, hold: true });
  await begin(t);
  for (let i = 0; i < stops; i++) {
    for (let n = 0; n < 5; n++) await t.call('feed.control', { action: 'step' });
    await t.stop();
    t = await openTestDesk({ feed, speed, hold: true, dataDir: t.dataDir });
  }
  await playToEnd(t);
  return { t, fills: await fillsOf(t) };
}

/** Base units that the runs hold by their own bookkeeping. */
async function heldByRuns(t: TestDesk): Promise<Dec> {
  let sum = ZERO;
  for (const id of Object.keys(t.desk.state().bots)) {
    const detail = await t.call('bots.detail', { id });
    for (const { qty } of detail?.live?.lots ?? []) sum += dec(qty);
  }
  return sum;
}

describe('the fills of bots in a replay', () => {
  it('are the same at 600 and max, and over clean stops in the middle', async () => {
    const feed = writeCandles({ BTCUSDT: WAVES });
    const { fills } = await played(feed, 'max');
    expect(fills.length).toBeGreaterThan(30);
    expect((await played(feed, 600)).fills).toEqual(fills);
    expect((await played(feed, 'max', 15)).fills).toEqual(fills);
  });
});

// proves: bot run recovery
describe('bots on a desk that dies anywhere', () => {
  it('all go on, and their books and the exchange agree', async () => {
    const feed = writeCandles({ BTCUSDT: WAVES });
    const deaths = deathsOf();
    const t = await openTestDesk({
      feed,
      speed: 'max',
      hold: true,
      ports: { openStore: deaths.openStore },
    });
    await begin(t);
    deaths.recording = true;
    await playToEnd(t);
    deaths.recording = false;
    expect(deaths.folders.length).toBeGreaterThan(60);
    // Every seventh crash, which over the waves covers every stage of every bot.
    for (const [n, dataDir] of deaths.folders.entries()) {
      if (n % 7 !== 3) continue;
      const again = await openTestDesk({ feed, speed: 'max', dataDir });
      await playToEnd(again);
      await checkBooks(again, `death ${n}`);
      await again.stop();
    }
  }, 120_000);
});

async function checkBooks(t: TestDesk, where: string): Promise<void> {
  await until(t, () => true);
  const { bots, orders, portfolios } = t.desk.state();
  expect(
    Object.values(bots).map(({ status }) => status),
    where,
  ).toEqual(BOTS.map(() => 'STARTED'));
  const open = Object.values(orders).filter(({ status }) => status === 'NEW' || status === 'OPENED');
  for (const bot of Object.values(bots)) {
    const detail = await t.call('bots.detail', { id: bot.id });
    for (const order of detail?.orders ?? []) expect(order.id.endsWith(`_${bot.runId}`), where).toBe(true);
  }
  const levels = open.map(({ creatorId, metadata }) => `${creatorId} ${JSON.parse(metadata ?? '{}').slot}`);
  expect(new Set(levels).size, `${where}: an order twice`).toBe(levels.length);
  // Wallet = what the runs hold + dust of less than a step each.
  const wallet = portfolios[EXCHANGE]?.balances?.find(({ asset }) => asset === 'BTC')?.wallet ?? '0';
  const dust = dec(wallet) - (await heldByRuns(t));
  expect(dust >= ZERO && dust < dec('0.00004'), `${where}: wallet ${wallet}, dust ${str(dust)}`).toBe(true);
}
