/**
 * The requests of a panic, one by one: what is asked together, what had ended before it was asked, and that
 * one account or one lost answer stands in the way of no other.
 */
import { describe, expect, it } from 'vitest';
import { itemTable, type PanicItem, type PanicPart } from '../../../src/console/panic/panic.ts';
import { closesAgain, panicRequest, panicRequests } from '../../../src/console/panic/panic-request.ts';
import { remotePanic } from '../../../src/console/panic/remote-panic.ts';
import type { BotView, FuturesView, Method } from '../../../src/desk/console/protocol.ts';
import { ok, refuse } from '../../../src/domain/errors.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import { someBots } from '../support/some-bots.ts';
import { position } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const [DIP, FIBO] = ['b7f3k2m9q10', 'b8a2c4e6g80'] as const;
const PAPER = 'paper-futures';
const ACME = 'acme-main';

function item(part: PanicPart, id: string, change: Partial<PanicItem> = {}): PanicItem {
  return { part, id, name: `${part} ${id}`, state: 'waiting', text: '', ...change };
}

/** Runs one request; `answer` gives what the desk answers to each call. */
async function asked(
  part: PanicPart,
  items: readonly PanicItem[],
  bots: Readonly<Record<string, BotView>>,
  answer: (method: Method, params: object) => unknown,
) {
  const calls: [Method, object][] = [];
  const ask = async (method: Method, params: object) => {
    calls.push([method, params]);
    return answer(method, params);
  };
  const state = { bots, orders: {}, futures: {} };
  const outcomes = await panicRequest({ ask: ask as never, state, parts: [part] }, part, items);
  return { calls, outcomes: Object.fromEntries([...outcomes].map(([key, came]) => [key, came.text])) };
}

describe('what bots hold', () => {
  const items = ['gone', DIP, FIBO].map((id) => item('holdings', id));

  it('is sold by stopping them at once; what had ended is not asked for, and is done', async () => {
    const { calls, outcomes } = await asked('holdings', items, someBots(), () =>
      ok([
        { id: DIP, success: true },
        { id: FIBO, success: false, error: { code: 'CONFLICT', message: 'it has no price' } },
      ]),
    );
    expect(calls).toEqual([
      [
        'bots.batch',
        {
          op: 'stop',
          runs: [
            [DIP, 'run7f3k2m9'],
            [FIBO, 'run8a2c4e6'],
          ],
          way: { cleanup: 'cancelAllOrders', action: 'stop_and_sell', force: true },
        },
      ],
    ]);
    expect(outcomes).toEqual({
      'holdings gone': 'had ended',
      [`holdings ${DIP}`]: 'stopped, its sale at market is on its way',
      [`holdings ${FIBO}`]: 'it has no price',
    });
  });

  it('is asked for of nobody where all had ended', async () => {
    const { calls, outcomes } = await asked('holdings', items, {}, () => null);
    expect(calls).toEqual([]);
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['had ended']));
  });
});

it('a bot that is to start again is kept from it beside those that run, each with its own outcome', async () => {
  const bots = someBots();
  const due = (id: string) => ({ ...(bots[DIP] as BotView), id, runId: undefined, restartAt: NOON });
  const items = ['one', DIP, 'two', FIBO].map((id) => item('bots', id));
  const { calls, outcomes } = await asked(
    'bots',
    items,
    { ...bots, one: due('one'), two: due('two') },
    (method, params) => {
      if (method === 'bots.batch') return ok([{ id: DIP, success: true }]);
      return 'id' in params && params.id === 'one' ? refuse('CONFLICT', 'not now') : ok({});
    },
  );
  expect(calls).toEqual([
    ['bots.patch', { id: 'one', change: { restart: false } }],
    ['bots.patch', { id: 'two', change: { restart: false } }],
    [
      'bots.batch',
      {
        op: 'stop',
        runs: [
          [DIP, 'run7f3k2m9'],
          [FIBO, 'run8a2c4e6'],
        ],
        way: { cleanup: 'leaveAllOrders', force: true },
      },
    ],
  ]);
  expect(outcomes).toEqual({
    'bots one': 'not now',
    'bots two': 'does not start again',
    [`bots ${DIP}`]: 'stopped',
    // Of this one the desk has said nothing.
    [`bots ${FIBO}`]: 'no answer',
  });
});

describe('one request', () => {
  it('has up to twenty bots, and one position', () => {
    const many = (part: PanicPart) => Array.from({ length: 45 }, (_, at) => item(part, `${at}`));
    const sizes = (part: PanicPart) => panicRequests(part, many(part), null).map(({ length }) => length);
    expect([sizes('bots'), sizes('holdings')]).toEqual([
      [20, 20, 5],
      [20, 20, 5],
    ]);
    expect(sizes('positions')).toEqual(Array.from({ length: 45 }, () => 1));
    // Nothing is known of these orders any more.
    expect(sizes('orders')).toEqual([45]);
  });

  it('has the orders of one symbol of an account whole, and those of others as far as there is room', () => {
    const counts = [
      ['paper-spot', 'AUSDT', 30],
      [ACME, 'AUSDT', 30],
      ['paper-spot', 'BUSDT', 20],
      ['paper-spot', 'CUSDT', 510],
      ['paper-spot', 'DUSDT', 40],
      ['paper-spot', 'EUSDT', 1],
    ] as const;
    const all = counts.flatMap(([exchange, symbol, count]) =>
      Array.from({ length: count }, (_, at) => order(`${exchange} ${symbol} ${at}`, { exchange, symbol })),
    );
    const orders = Object.fromEntries(all.map((one) => [one.id, one]));
    // In no order of their symbols, as they were placed.
    const waiting = all
      .map((one) => item('orders', one.id))
      .sort((a, b) => Number(a.id.split(' ')[2]) - Number(b.id.split(' ')[2]));
    const requests = panicRequests('orders', waiting, { bots: {}, orders, futures: {} });
    const found = requests.map((items) => {
      const symbols = new Set(items.map(({ id }) => `${orders[id]?.exchange} ${orders[id]?.symbol}`));
      return `${items.length}: ${[...symbols].join(', ')}`;
    });
    expect(found).toEqual([
      '30: paper-spot AUSDT',
      `50: ${ACME} AUSDT, paper-spot BUSDT`,
      '500: paper-spot CUSDT',
      '50: paper-spot CUSDT, paper-spot DUSDT',
      '1: paper-spot EUSDT',
    ]);
    expect(requests.flat()).toHaveLength(all.length);
  });
});

describe('closes that were refused on two accounts', () => {
  const view = (...positions: ReturnType<typeof position>[]): FuturesView => ({
    hedgeMode: false,
    leverage: {},
    positions,
  });
  const acme = position('BTCUSDT', { exchange: ACME, key: 'acme btc' });
  const eth = position('ETHUSDT', { key: 'paper eth', amount: '-4' });
  const sol = position('SOLUSDT', { key: 'paper sol' });
  const failed = { state: 'failed', text: 'no', refused: true } as const;
  const items = [acme, eth, sol].map(({ key }) => item('positions', key, failed));

  async function again(then: Readonly<Record<string, FuturesView>>) {
    const calls: [Method, object][] = [];
    const both: Readonly<Record<string, FuturesView>> = { [ACME]: view(acme), [PAPER]: view(eth, sol) };
    const ask = async (method: Method, params: object) => {
      calls.push([method, params]);
      const futures = calls.some(([one]) => one === 'exchange.reconcile') ? then : both;
      if (method === 'panic.targets') return { bots: {}, orders: {}, futures, next: null };
      if (method === 'exchange.reconcile') return ok({});
      return ok({ status: 'CLOSED', executedQty: '1', origQty: '1' } as OrderView);
    };
    const outcomes = await closesAgain({ ask: ask as never }, items);
    return {
      outcomes: Object.fromEntries([...outcomes].map(([key, { text }]) => [key, text])),
      compared: calls.filter(([method]) => method === 'exchange.reconcile').map(([, params]) => params),
      placed: calls.filter(([method]) => method === 'orders.place').map(([, params]) => params),
    };
  }

  it('are tried again after each account was compared once', async () => {
    const { outcomes, compared, placed } = await again({ [ACME]: view(acme), [PAPER]: view(eth) });
    expect(compared).toEqual([{ exchange: ACME }, { exchange: PAPER }]);
    expect(placed).toMatchObject([
      { exchange: ACME, symbol: 'BTCUSDT', side: 'SELL', closePosition: true },
      { exchange: PAPER, symbol: 'ETHUSDT', side: 'BUY', closePosition: true },
    ]);
    expect(outcomes).toEqual({
      'positions acme btc': 'closed',
      'positions paper eth': 'closed',
      'positions paper sol': 'had been closed',
    });
  });

  it('stay refused where their account is not read any more, and those of the other are tried', async () => {
    const { outcomes, placed } = await again({ [PAPER]: view(eth, sol) });
    expect(placed).toMatchObject([{ symbol: 'ETHUSDT' }, { symbol: 'SOLUSDT' }]);
    expect(Object.keys(outcomes)).toEqual(['positions paper eth', 'positions paper sol']);
  });
});

describe('a panic without a copy of the state', () => {
  /** A desk that tells its orders in pages of one, and obeys. */
  function paging(count: number) {
    const open = Array.from({ length: count }, (_, at) => order(`o${at}`));
    const calls: [Method, object][] = [];
    const desk = {
      cancel: (ids: readonly string[]) => ids.map((id) => ({ id, outcome: ok(order(id, ENDED)) }) as unknown),
      open,
      calls,
      call: async (method: Method, params: object): Promise<unknown> => {
        calls.push([method, params]);
        if (method === 'panic.targets') {
          const { after } = params as { after?: string };
          const at = after === undefined ? 0 : open.findIndex(({ id }) => id === after) + 1;
          const next = at + 1 < open.length ? (open[at]?.id ?? null) : null;
          const orders = Object.fromEntries(open.slice(at, at + 1).map((one) => [one.id, one]));
          return { bots: {}, orders, futures: {}, next };
        }
        if (method !== 'orders.cancelAll') return ok(null);
        const { ids } = params as { ids: readonly string[] };
        const answer = desk.cancel(ids);
        for (const id of ids)
          open.splice(
            open.findIndex((one) => one.id === id),
            1,
          );
        return answer;
      },
    };
    return desk;
  }
  const ENDED = { status: 'CANCELLED' } as const;
  const sent = (desk: ReturnType<typeof paging>) =>
    desk.calls.filter(([method]) => method === 'orders.cancelAll').map(([, params]) => params);

  it('reads every page, tells of each request, and does what has come meanwhile', async () => {
    const desk = paging(3);
    const cancel = desk.cancel;
    let late = false;
    desk.cancel = (ids) => {
      if (!late) desk.open.push(order('late'));
      late = true;
      return cancel(ids);
    };
    const told: string[][] = [];
    const run = await remotePanic(desk as never, ['orders'], (_, items) =>
      told.push(items.map(({ id, state }) => `${id} ${state}`)),
    );
    expect(sent(desk)).toEqual([{ ids: ['o0', 'o1', 'o2'] }, { ids: ['late'] }]);
    expect(told).toEqual([['o0 done', 'o1 done', 'o2 done'], ['late done']]);
    expect(run).toMatchObject({ running: false, parts: ['orders'] });
    expect(desk.calls.at(-1)).toEqual(['desk.panic', { phase: 'end', all: 4, done: 4, failed: 0 }]);
  });

  it('looks three times more for what has come, though there was nothing at first', async () => {
    const desk = paging(0);
    const { call } = desk;
    let looks = 0;
    desk.call = async (method, params) => {
      const answer = await call(method, params);
      if (method === 'panic.targets') desk.open.push(order(`late ${looks++}`));
      return answer;
    };
    const run = await remotePanic(desk as never, ['orders'], () => {});
    expect(sent(desk)).toEqual([{ ids: ['late 0'] }, { ids: ['late 1'] }, { ids: ['late 2'] }]);
    expect(run.items.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
  });

  it('counts a lost request as failed, tries it no more by itself, and goes on', async () => {
    const desk = paging(1);
    const cancel = desk.cancel;
    let tries = 0;
    desk.cancel = (ids) => {
      tries += 1;
      if (tries > 1) return cancel(ids);
      desk.open.push(order('other'));
      throw new Error('the line was cut');
    };
    desk.open.push(order('o9'));
    const run = await remotePanic(desk as never, ['orders'], () => {});
    expect(run.items.map(({ id, text }) => `${id}: ${text}`)).toEqual([
      'o0: no answer',
      'o9: no answer',
      'other: cancelled',
    ]);
    expect(sent(desk)).toEqual([{ ids: ['o0', 'o9'] }, { ids: ['other'] }]);
  });
});

it('what has failed is shown first, then what is under way, then what waits; each in the order of its finding', () => {
  const states = ['done', 'waiting', 'failed', 'working', 'done', 'failed', 'waiting'] as const;
  const items = states.map((state, at) => item('orders', `${at}`, { state, name: `${at}` }));
  const { rows } = itemTable({ parts: ['orders'], items, running: true });
  expect(rows.map(([, name]) => name?.text)).toEqual(['2', '5', '3', '1', '6', '0', '4']);
});
