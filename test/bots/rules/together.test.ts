/**
 * Bots on one desk do what each does on a desk of its own, and on one that is stopped and started again half
 * way: other bots, other symbols and another account do not affect them.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { type BotsRig, openBots } from '../../desk/integration/bots-rig.ts';
import { MARKET_START, writeCandles } from '../../desk/integration/support.ts';
import { Dice } from '../../simulation/dice.ts';
import { PAIR, type Settings, stop } from './bots.ts';

const SPOT = 'paper-spot';
const FUTURES = 'paper-futures';
const MINUTES = 48;
const MINUTE_MS = 60_000;

const own = (exchange: string, base: string, value = '1000') => ({
  exchange,
  symbol: { base, quote: 'USDT' },
  deposit: { value, asset: 'USDT' },
});
const level = (price: number) => ({ [MARKET_START]: price, [MARKET_START + 3_600_000]: price });

/** Each trades often on a market that swings around 100, or 50, by some percent. */
const BOTS: Readonly<Record<string, { type: string; settings: Settings; options?: Settings }>> = {
  'LEVELS with a trailing stop': {
    type: 'CHANNEL',
    settings: {
      ...own(SPOT, 'BTC'),
      flavor: 'LEVELS',
      levels: [
        { buy: '99', sell: '101' },
        { buy: '97', sell: '100.5' },
      ],
      stop: stop('trailing', 'kline', { value: '2' }),
    },
    options: { reuse: true },
  },
  'LEVELS, once, and started anew': {
    type: 'CHANNEL',
    settings: {
      ...own(SPOT, 'ETH'),
      flavor: 'LEVELS',
      levels: [{ buy: '49.5', sell: '50.5' }],
      onetime: true,
    },
    options: { restart: true, restartDelay: 20_000 },
  },
  SCALE: {
    type: 'CHANNEL',
    settings: {
      ...own(SPOT, 'ETH', '700'),
      flavor: 'SCALE',
      scale: { orders: 3, step: '0.8', takeProfit: '0.7' },
    },
  },
  'GRID, short': {
    type: 'CHANNEL',
    settings: {
      ...own(FUTURES, 'BTC'),
      flavor: 'GRID',
      grid: { low: '97', high: '103', count: 7 },
      short: true,
    },
  },
  'SQUEEZE with a stop at the exchange': {
    type: 'SQUEEZE',
    settings: {
      ...own(FUTURES, 'ETH'),
      timeFrame: MINUTE_MS,
      price: { percent: { buy: '0.3', sell: '0.5' } },
      stop: stop('price_percent_buy', 'exchange', { value: '1' }, { complete: true }),
    },
  },
  FIBO: {
    type: 'FIBO',
    settings: {
      ...own(SPOT, 'BTC', '600'),
      onetime: false,
      channels: [
        { name: '0', depositePercent: '50', fiboPrice: '97' },
        { name: '0.500', depositePercent: '50' },
        { name: '1', depositePercent: '0', fiboPrice: '101' },
      ],
    },
  },
  INTRADAY: {
    type: 'INTRADAY',
    settings: {
      ...own(SPOT, 'BTC', '300'),
      trend: level(99),
      mode: 'bounce',
      maxEntries: 20,
      takeProfits: [
        { percent: '0.5', size: 50 },
        { percent: '1.5', size: 50 },
      ],
      breakevenAfter: 1,
      stop: stop('price_percent_buy', 'kline', { value: '1' }, { complete: true }),
    },
  },
  TWAP: {
    type: 'ALGO',
    settings: {
      exchange: SPOT,
      symbol: 'ETHUSDT',
      algo: 'twap',
      side: 'BUY',
      quantity: '5',
      duration: 30,
      timeFrame: 2,
    },
  },
  ALARM: {
    type: 'ALARM',
    settings: { ...PAIR, exchange: SPOT, range: [{ type: 'price', trend: level(100) }], repeat: 'always' },
  },
  NOTIFY: {
    type: 'NOTIFY',
    settings: {
      exchange: FUTURES,
      timeFrame: 300_000,
      conditions: [{ type: 'price_change', percent: 0.3 }],
      match: 'any',
      cooldown: 300_000,
    },
  },
};
const NAMES = Object.keys(BOTS);

/** Candles around a price, each a percent up or down. */
function swinging(seed: number, middle: number): (readonly [string, string, string, string])[] {
  const dice = new Dice(seed, 'together');
  let price = middle;
  return Array.from({ length: MINUTES + 8 }, () => {
    const open = price;
    price = open * (1 + dice.between(-0.018, 0.018)) * 0.75 + middle * 0.25;
    const high = Math.max(open, price) * (1 + dice.between(0, 0.006));
    const low = Math.min(open, price) * (1 - dice.between(0, 0.006));
    return [open, high, low, price].map((one) => one.toFixed(2)) as [string, string, string, string];
  });
}

const MARKET = { BTCUSDT: swinging(1, 100), ETHUSDT: swinging(2, 50) };

/** Everything known about a bot, without ids and times of day. */
async function knownOf(r: BotsRig, id: string): Promise<unknown> {
  const detail = await r.t.call('bots.detail', { id });
  const open = await r.done('GET', '/orders?status=open');
  // The figures of an active run are as old as its row: the present ones are the bot's own.
  const runs = detail?.runs.map((run) => (run.endedAt === null ? { ...run, figures: null } : run));
  const text = JSON.stringify({
    ...detail,
    runs,
    open: open.filter((one: { creatorId: string }) => one.creatorId === id),
  });
  const ids =
    /"(?:id|runId|botId|orderId|creatorId|at|createdAt|updatedAt|updateTime|orderTime|key|wireId)":(?:"[^"]*"|\d+),?/g;
  return JSON.parse(
    text
      .replaceAll(ids, '')
      .replaceAll(/_[0-9a-z]{10}"/g, '"')
      .replaceAll(',}', '}'),
  );
}

async function played(names: readonly string[], restarts: boolean): Promise<Map<string, unknown>> {
  let r = await openBots([], { feed: writeCandles(MARKET) });
  await r.minutes(2);
  const ids = new Map<string, string>();
  for (const name of names) ids.set(name, (await r.started(BOTS[name])).id);
  for (const part of [MINUTES / 2, MINUTES / 2 - 2]) {
    await r.minutes(part);
    if (!restarts || part !== MINUTES / 2) continue;
    await r.t.stop();
    r = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
  }
  const known = new Map<string, unknown>();
  for (const [name, id] of ids) known.set(name, await knownOf(r, id));
  await r.t.stop();
  return known;
}

describe('a bot among others', () => {
  const desks: Record<string, Map<string, unknown>> = {};
  beforeAll(async () => {
    desks.together = await played(NAMES, false);
    desks.restarted = await played(NAMES.toReversed(), true);
  }, 120_000);

  it.each(NAMES)('%s', async (name) => {
    const alone = (await played([name], false)).get(name);
    expect(desks.together?.get(name)).toEqual(alone);
    expect(desks.restarted?.get(name)).toEqual(alone);
  });
});
