/**
 * A desk in a process of its own beside a pushed market of many instruments. Commands: `open`, `watch`,
 * `push`, `hush`, `memory`, `counters`, `close`. Memory needs `--expose-gc`.
 */
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { openDesk } from '../../src/desk/open-desk.ts';
import type { RunningDesk } from '../../src/desk/running.ts';
import { embedded } from '../../src/desk/trading.ts';
import type { Instrument } from '../../src/domain/instrument.ts';
import { BTC } from '../../test/engine/support/market.ts';
import { FakeMarket } from '../../test/support/fake-market.ts';
import { FakeVenue } from '../../test/support/fake-venue.ts';
import { answerCommands, cpuMs } from './answering.ts';

const ACCOUNT = 'live-spot';
/** Pushes per second; each has one trade of each watched symbol. */
const PUSHES_PER_SECOND = 20;

let desk: RunningDesk | null = null;
const market = new FakeMarket(systemClock, { market: ACCOUNT });
let symbols: string[] = [];
let watched: string[] = [];
let timer: NodeJS.Timeout | null = null;
let pushed = 0;

function running(): RunningDesk {
  if (!desk) throw new Error('the desk is not open');
  return desk;
}

/** A slightly moving price, different for each symbol. */
function priceOf(nth: number, at: number): string {
  return (100 + nth + Math.sin(at / 7 + nth) * 3).toFixed(2);
}

answerCommands({
  open: async ({ dataDir, instruments }: { dataDir: string; instruments: number }) => {
    symbols = Array.from({ length: instruments }, (_, nth) => `S${nth}USDT`);
    const list = symbols.map(
      (symbol): Instrument => ({
        ...BTC,
        symbol,
        base: symbol.slice(0, -4),
        exchange: ACCOUNT,
      }),
    );
    const venue = Object.assign(new FakeVenue({ id: ACCOUNT, market: ACCOUNT }), { instruments: () => list });
    venue.answers.balances = async () => [{ asset: 'USDT', free: '100000000', locked: '0' }];
    market.answers.prices = async () => symbols.map((symbol, nth) => [symbol, priceOf(nth, 0)] as const);
    desk = await openDesk({ dataDir, port: 0 }, systemClock, {
      markets: [market],
      venues: (given) => {
        const own = embedded(given);
        return { all: [...own.all, venue], paper: own.paper };
      },
    });
  },
  /** Places a resting order on each of so many symbols. */
  watch: async ({ count }: { count: number }) => {
    watched = symbols.slice(0, count);
    for (const symbol of watched) {
      const order = {
        exchange: ACCOUNT,
        symbol,
        side: 'BUY',
        type: 'LIMIT',
        price: '50',
        quantity: '1',
      } as const;
      const placed = await running().call('orders.place', order);
      if (!placed.ok) throw new Error(placed.error.message);
    }
    return [...market.watched.keys()].length;
  },
  push: () => {
    timer = setInterval(() => {
      pushed += 1;
      market.ticks(...watched.map((symbol, nth) => [symbol, priceOf(nth, pushed), '0.5'] as const));
    }, 1_000 / PUSHES_PER_SECOND);
  },
  hush: () => {
    if (timer) clearInterval(timer);
    timer = null;
  },
  memory: () => {
    for (let i = 0; i < 4; i++) globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  },
  counters: () => ({ cpuMs: cpuMs(), watched: market.watched.size, ticks: pushed * watched.length }),
  close: async () => {
    if (timer) clearInterval(timer);
    await running().stop('the bench is over');
    desk = null;
  },
});
