/**
 * A desk in a process of its own with the paper accounts and, on request, three misbehaving neighbours: one
 * hangs, one cannot be opened, one floods. Commands: `open`, `latencies`, `counters`, `close`.
 */
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { openDesk } from '../../src/desk/open-desk.ts';
import type { RunningDesk } from '../../src/desk/running.ts';
import { embedded } from '../../src/desk/trading.ts';
import type { ExchangeOrderState } from '../../src/domain/exchange.ts';
import { FakeVenue } from '../../test/support/fake-venue.ts';
import { answerCommands } from './answering.ts';

/** Events of the flood in one push; there are twenty pushes a second. */
const EVENTS = 50;
const PUSH_MS = 50;
/** Number of external orders that the flood reports again and again. */
const STRANGERS = 50;

let desk: RunningDesk | null = null;
let timer: NodeJS.Timeout | null = null;
let told = 0;

function running(): RunningDesk {
  if (!desk) throw new Error('the desk is not open');
  return desk;
}

/** An external order after one more change. */
function strange(nth: number): ExchangeOrderState {
  return {
    clientId: '',
    symbol: 'BTCUSDT',
    status: 'WORKING',
    cumQty: '0',
    seq: nth,
    time: nth,
    origQty: `0.${1 + (nth % 9)}`,
    venueIds: [`s${nth % STRANGERS}`],
    terms: {
      side: 'BUY',
      type: 'LIMIT',
      price: '100',
      timeInForce: 'GTC',
      reduceOnly: false,
      closePosition: false,
      positionSide: 'BOTH',
      workingType: 'CONTRACT_PRICE',
    },
  };
}

function neighbours(): FakeVenue[] {
  const hangs = new FakeVenue({ id: 'hangs-spot', market: 'hangs' });
  hangs.answers.balances = () => new Promise(() => {});
  hangs.answers.openOrders = () => new Promise(() => {});
  const down = Object.assign(new FakeVenue({ id: 'down-spot', market: 'down' }), {
    open: async () => {
      throw new Error('no route');
    },
  });
  const floods = new FakeVenue({ id: 'floods-spot', market: 'floods' });
  timer = setInterval(() => {
    for (let nth = 0; nth < EVENTS; nth++) floods.sink?.order(strange(++told));
  }, PUSH_MS);
  return [hangs, down, floods];
}

answerCommands({
  open: async ({ dataDir, beside }: { dataDir: string; beside: boolean }) => {
    desk = await openDesk({ dataDir, port: 0 }, systemClock, {
      venues: (given) => {
        const own = embedded(given);
        return { all: [...own.all, ...(beside ? neighbours() : [])], paper: own.paper };
      },
    });
  },
  /** Returns times of placements of resting orders, ms; each order is cancelled before the next. */
  latencies: async ({ count }: { count: number }) => {
    const order = {
      exchange: 'paper-spot',
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      quantity: '0.001',
    } as const;
    const last = Number(running().state().prices['paper BTCUSDT']?.last);
    const price = (last * 0.9).toFixed(0);
    const all: number[] = [];
    for (let nth = 0; nth < count; nth++) {
      const from = performance.now();
      const placed = await running().call('orders.place', { ...order, price });
      all.push(performance.now() - from);
      if (!placed.ok) throw new Error(placed.error.message);
      await running().call('orders.cancel', { exchange: order.exchange, id: placed.data.id });
    }
    return all;
  },
  counters: () => ({ told }),
  close: async () => {
    if (timer) clearInterval(timer);
    await running().stop('the bench is over');
    desk = null;
  },
});
