/**
 * A desk in a process of its own on a synthetic market of many symbols, with bots of every type on it.
 * Commands: `open`, `create`, `start`, `play`, `memory`, `counters`, `close`. Memory needs `--expose-gc`.
 */
import { botTemplate } from '../../src/console/bots/bot-templates.ts';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { openDesk } from '../../src/desk/open-desk.ts';
import type { RunningDesk } from '../../src/desk/running.ts';
import type { NewBot } from '../../src/domain/bot.ts';
import { marketKey } from '../../src/domain/exchange.ts';
import { MARKETS, type MarketSpec, QUOTE } from '../../src/market/symbols.ts';
import { createSyntheticFeed } from '../../src/market/synthetic.ts';
import { BOT_TYPES } from '../../src/schemas/bots/bot-type.ts';
import { answerCommands, cpuMs } from './answering.ts';

const EXCHANGE = 'paper-spot';
const BATCH = 50;

let desk: RunningDesk | null = null;
let ids: string[] = [];

function running(): RunningDesk {
  if (!desk) throw new Error('the desk is not open');
  return desk;
}

/** Repeats the markets of the table under new names. */
function manyMarkets(count: number): MarketSpec[] {
  return Array.from({ length: count }, (_, i) => {
    const market = MARKETS[i % MARKETS.length] as MarketSpec;
    const round = Math.floor(i / MARKETS.length);
    const base = round === 0 ? market.base : `${market.base}${round}`;
    return { ...market, base, symbol: base + QUOTE };
  });
}

/** Makes a bot small: the exchange's balance must suffice for all of them. */
function modest(settings: Record<string, unknown>): Record<string, unknown> {
  return 'deposit' in settings ? { ...settings, deposit: { value: '80', asset: QUOTE } } : settings;
}

async function inBatches(all: readonly string[], run: (id: string) => Promise<void>): Promise<void> {
  for (let i = 0; i < all.length; i += BATCH) await Promise.all(all.slice(i, i + BATCH).map(run));
}

answerCommands({
  open: async ({
    dataDir,
    symbols,
    ticksPerSecond,
  }: {
    dataDir: string;
    symbols: number;
    ticksPerSecond: number;
  }) => {
    const markets = manyMarkets(symbols);
    const samplePrices = (symbol: string) =>
      markets.filter((market) => market.symbol === symbol).map(({ startPrice }) => startPrice);
    desk = await openDesk({ dataDir, port: 0, hold: true, limits: { bots: 10_000 } }, systemClock, {
      openFeed: ({ seed }, _store, now) => ({
        feed: createSyntheticFeed({ seed, startTime: now, markets, ticksPerSecond }),
        samplePrices,
      }),
    });
    await desk.call('feed.control', { action: 'step' });
  },
  /** Creates bots of every type in turn, over the symbols in turn. */
  create: async ({ count }: { count: number }) => {
    const { instruments, prices } = running().state();
    const spot = instruments.filter(({ exchange }) => exchange === EXCHANGE);
    const now = Date.now();
    ids = [];
    await inBatches(
      Array.from({ length: count }, (_, i) => String(i)),
      async (text) => {
        const i = Number(text);
        const type = BOT_TYPES[i % BOT_TYPES.length] as (typeof BOT_TYPES)[number];
        const instrument = spot[Math.floor(i / BOT_TYPES.length) % spot.length] as (typeof spot)[number];
        const last = prices[marketKey('paper', instrument.symbol)]?.last ?? null;
        const bot = JSON.parse(botTemplate(type, { instrument, last, now })) as NewBot;
        const made = await running().call('bots.create', {
          bot: { ...bot, settings: modest(bot.settings as Record<string, unknown>) } as NewBot,
        });
        if (!made.ok) throw new Error(made.error.message);
        ids.push(made.data.id);
      },
    );
  },
  /** Starts the bots and waits until their first orders rest. */
  start: async () => {
    await inBatches(ids, async (id) => {
      const started = await running().call('bots.start', { id });
      if (!started.ok) throw new Error(started.error.message);
    });
    for (let i = 0; i < 3; i++) await running().call('feed.control', { action: 'step' });
  },
  play: async () => {
    await running().call('feed.control', { action: 'play' });
  },
  /** Returns the bytes of the heap after a garbage collection. */
  memory: () => {
    for (let i = 0; i < 4; i++) globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  },
  counters: () => {
    const orders = Object.values(running().state().orders).filter(({ status }) => status === 'OPENED');
    return { cpuMs: cpuMs(), open: orders.length };
  },
  close: async () => {
    await running().stop('the bench is over');
    desk = null;
  },
});
