/**
 * Requests to the exchange when a terminal cancels many orders: one request per symbol, where no open
 * order of the symbol is to stay.
 */
import { describe, expect, it } from 'vitest';
import { panic } from '../../../src/cli/panic.ts';
import { createSessionHub } from '../../../src/desk/console/session-hub.ts';
import { connectDirect } from '../../../src/desk/hosting/transports/direct.ts';
import { LEVELS, openBots } from './bots-rig.ts';
import { EXCHANGE, flat, holding, openTestDesk, place, type TestDesk, writeCandles } from './support.ts';

const EACH = 60;

/** How often each request was made since the desk began. */
interface Asked {
  readonly all: string[];
  readonly one: string[];
}

function counted(asked: Asked): Parameters<typeof openTestDesk>[0]['ports'] {
  return {
    venues: holding((venue) => {
      const { cancel, cancelAll } = venue;
      venue.cancel = (ref) => {
        asked.one.push(`${ref.symbol}`);
        return cancel.call(venue, ref);
      };
      venue.cancelAll = (symbol) => {
        asked.all.push(symbol);
        return cancelAll?.call(venue, symbol) ?? Promise.reject(new Error('it has this request'));
      };
    }),
  };
}

async function desk(): Promise<{ t: TestDesk; asked: Asked }> {
  const asked: Asked = { all: [], one: [] };
  const feed = writeCandles({ BTCUSDT: flat('60000', 60), BNBUSDT: flat('600', 60) });
  const t = await openTestDesk({ feed, hold: true, ports: counted(asked) });
  for (let n = 0; n < 4; n++) await t.call('feed.control', { action: 'step' });
  for (let n = 0; n < EACH; n++) {
    await place(t, { side: 'BUY', type: 'LIMIT', price: String(50_000 - n), quantity: '0.001' });
    await place(t, {
      symbol: 'BNBUSDT',
      side: 'BUY',
      type: 'LIMIT',
      price: String(500 - n),
      quantity: '0.1',
    });
  }
  return { t, asked };
}

const open = (t: TestDesk) =>
  Object.values(t.desk.state().orders).filter(({ status }) => status === 'NEW' || status === 'OPENED');

async function panicked(t: TestDesk): Promise<string> {
  let out = '';
  const hub = createSessionHub({ desk: t.desk, clock: t.clock, report: () => {} });
  const shell = {
    out: (text: string) => {
      out += text;
    },
    err: () => {},
    ask: null,
    secret: null,
    connect: () => connectDirect(hub.accept, t.clock, { state: false }),
  };
  const done = panic({ yes: true }, shell);
  await t.clock.settle();
  expect(await done).toBe(0);
  return out;
}

describe('a panic', () => {
  it(`cancels ${2 * EACH} orders of two symbols with two requests, and says what became of each`, async () => {
    const { t, asked } = await desk();
    const out = await panicked(t);
    expect(open(t)).toEqual([]);
    expect(asked).toEqual({ all: ['BTCUSDT', 'BNBUSDT'], one: [] });
    expect(out.match(/^done {2}/gm)).toHaveLength(2 * EACH);
  });

  it('stops a bot with one request for what it has on a symbol', async () => {
    const asked: Asked = { all: [], one: [] };
    const r = await openBots(['100'], { ports: counted(asked) ?? {} });
    await r.minutes(1);
    await r.started(LEVELS);
    await r.minutes(1);
    expect(open(r.t).length).toBeGreaterThan(1);
    await panicked(r.t);
    expect(open(r.t)).toEqual([]);
    expect(asked).toEqual({ all: ['BTCUSDT'], one: [] });
  });
});

describe('cancelling all that is shown', () => {
  it('takes in nothing that was not chosen: a stop that is kept makes them single requests', async () => {
    const { t, asked } = await desk();
    await place(t, { side: 'BUY', type: 'MARKET', quantity: '0.001' });
    const stop = await place(t, {
      side: 'SELL',
      type: 'STOP_LIMIT',
      stopPrice: '55000',
      price: '54900',
      quantity: '0.0009',
    });
    const ids = open(t).flatMap(({ id }) => (id === stop.id ? [] : [id]));
    const results = await t.call('orders.cancelAll', { ids });
    expect(results.every(({ outcome }) => outcome.ok && outcome.data.status === 'CANCELLED')).toBe(true);
    expect(open(t).map(({ id }) => id)).toEqual([stop.id]);
    expect(asked.all).toEqual(['BNBUSDT']);
    expect(asked.one).toHaveLength(EACH);
  });

  it('answers each order when the request is lost: asked for, then cancelled one by one', async () => {
    const { t, asked } = await desk();
    await t.call('paper.fault', { exchange: EXCHANGE, fault: 'loseRequest', on: 'cancel', times: 2 });
    const cancelling = t.call('orders.cancelAll', {});
    await t.clock.advance(120_000);
    expect(await cancelling).toHaveLength(2 * EACH);
    expect(open(t)).toEqual([]);
    expect(asked.all.toSorted()).toEqual(['BNBUSDT', 'BTCUSDT']);
    expect(asked.one).toHaveLength(2 * EACH);
  });
});
