/**
 * Orders as requests, messages as states, codes as outcomes: USD-M futures of Binance, without an exchange.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExchangeOrder, ExchangeOrderState } from '../../../src/domain/exchange.ts';
import { formOf } from '../../../src/domain/order-form.ts';
import { rejectKind } from '../../../src/domain/reject-code.ts';
import { AccountFacts } from '../../../src/venues/binance/futures/account-facts.ts';
import { FUTURES_CODE_ROWS, FUTURES_CODES } from '../../../src/venues/binance/futures/codes.ts';
import { FUTURES_FORMS } from '../../../src/venues/binance/futures/forms.ts';
import { FuturesFills } from '../../../src/venues/binance/futures/futures-fills.ts';
import {
  readAlgo,
  readOrder,
  readPositions,
  readTrades,
} from '../../../src/venues/binance/futures/messages.ts';
import { OrderNamesKept } from '../../../src/venues/binance/futures/order-names.ts';
import type { Questions } from '../../../src/venues/binance/futures/questions.ts';
import { FUTURES_REQUESTS } from '../../../src/venues/binance/futures/requests.ts';
import { HELD_BACK_MS, UserEvents } from '../../../src/venues/binance/futures/user-events.ts';
import { wireOrder } from '../../../src/venues/binance/futures/wire-order.ts';
import { Complaints } from '../../../src/venues/kit/complaints.ts';
import { parseExact } from '../../../src/venues/kit/json.ts';
import { withShared } from '../../support/shared-data.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const ETH = { symbol: 'ETHUSDT', quantity: '0.05', timeInForce: 'GTC', clientId: 'CID1' } as const;

function sent(order: Partial<ExchangeOrder> & Pick<ExchangeOrder, 'side' | 'type'>) {
  const wire = wireOrder({ ...ETH, ...order });
  if (wire.kind !== 'wire') throw new Error(wire.message);
  return { path: wire.form.path, params: wire.parameters };
}

/** Requests of another client for the same intents; `more` has the parameters that this adapter adds. */
const INTENTS: readonly [string, Parameters<typeof sent>[0], Record<string, string>?][] = [
  ['LIMIT BUY GTC', { side: 'BUY', type: 'LIMIT', price: '2000' }],
  ['LIMIT SELL post-only', { side: 'SELL', type: 'LIMIT_MAKER', price: '3000' }],
  ['LIMIT BUY GTD', { side: 'BUY', type: 'LIMIT', price: '2000', goodTillDate: 1_900_000_000_000 }],
  ['MARKET SELL reduceOnly', { side: 'SELL', type: 'MARKET', reduceOnly: true }],
  ['STOP_MARKET SELL MARK_PRICE', { side: 'SELL', type: 'STOP_MARKET', stopPrice: '1900' }],
  [
    'TAKE_PROFIT_MARKET SELL',
    { side: 'SELL', type: 'TAKE_PROFIT_MARKET', stopPrice: '2500' },
    { workingType: 'MARK_PRICE' },
  ],
  [
    'STOP_LIMIT SELL',
    { side: 'SELL', type: 'STOP_LIMIT', price: '1890', stopPrice: '1900', workingType: 'CONTRACT_PRICE' },
    { workingType: 'CONTRACT_PRICE', timeInForce: 'GTC' },
  ],
  [
    'TAKE_PROFIT_LIMIT SELL',
    { side: 'SELL', type: 'TAKE_PROFIT_LIMIT', price: '2490', stopPrice: '2500' },
    { workingType: 'MARK_PRICE', timeInForce: 'GTC' },
  ],
  [
    'STOP_MARKET closePosition',
    { side: 'SELL', type: 'STOP_MARKET', stopPrice: '1900', closePosition: true, quantity: '0' },
    { workingType: 'MARK_PRICE' },
  ],
  ['hedge MARKET SELL closes LONG', { side: 'SELL', type: 'MARKET', positionSide: 'LONG', reduceOnly: true }],
  ['hedge MARKET BUY opens LONG', { side: 'BUY', type: 'MARKET', positionSide: 'LONG' }],
];

describe('an order as a request', () => {
  it(
    'has the names and values that another client has for it',
    withShared('payloads/request-shapes-ccxt.json', INTENTS.length, (text) => {
      const { rows } = JSON.parse(text) as {
        rows: { venue: string; market: string; intent: string; path: string; params: object }[];
      };
      for (const [intent, order, more = {}] of INTENTS) {
        const row = rows.find((one) => one.intent === intent && one.market === 'futures');
        expect([intent, sent(order)]).toEqual([
          intent,
          { path: row?.path, params: { ...row?.params, ...more } },
        ]);
      }
    }),
  );

  it('that trails has activatePrice and callbackRate in percent, and no trigger', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (tenths) => {
        const trailing = { trailingDelta: tenths * 10, activationPrice: '2500' };
        const { params } = sent({ side: 'SELL', type: 'STOP_MARKET', ...trailing });
        expect(Number(params.callbackRate) * 10).toBeCloseTo(tenths, 9);
        expect(params.callbackRate).toMatch(/^\d{1,2}(\.\d)?$/);
        expect(params).toMatchObject({ activatePrice: '2500', type: 'TRAILING_STOP_MARKET' });
        expect(params).not.toHaveProperty('triggerPrice');
      }),
      { numRuns: 50 },
    );
  });

  it('has no parameter that its request does not know', () => {
    for (const [, order] of INTENTS) {
      const wire = wireOrder({ ...ETH, ...order });
      if (wire.kind === 'wire')
        for (const name of Object.keys(wire.parameters)) expect(wire.form.parameters).toContain(name);
    }
  });
});

describe('what the exchange does by itself', () => {
  const asked = (
    asked: Parameters<typeof formOf>[1],
    order: Parameters<typeof formOf>[2]['order'],
    waiting = 0,
  ) =>
    formOf(FUTURES_FORMS, asked, {
      order,
      instrument: { symbol: 'ETHUSDT' },
      now: 0,
      waiting: () => waiting,
    }).form;

  it('is a callback of 0.1 to 20 percent in tenths, an end date more than ten minutes ahead, 200 triggers', () => {
    const stop = (trailingDelta?: number) =>
      ({ type: 'STOP_MARKET', ...(trailingDelta && { trailingDelta }) }) as const;
    expect([9, 10, 15, 2_000, 2_010].map((bps) => asked('trailing', stop(bps)))).toEqual([
      'held',
      'native',
      'held',
      'native',
      'held',
    ]);
    expect([199, 200].map((count) => asked('type', stop(), count))).toEqual(['native', 'held']);
    const ends = (type: 'LIMIT' | 'STOP_LIMIT' | 'LIMIT_MAKER', goodTillDate: number) =>
      asked('end date', { type, goodTillDate });
    expect([ends('LIMIT', 600_000), ends('LIMIT', 700_000), ends('LIMIT', 700_500)]).toEqual([
      'held',
      'native',
      'held',
    ]);
    expect([ends('STOP_LIMIT', 700_000), ends('LIMIT_MAKER', 700_000)]).toEqual(['held', 'held']);
    expect([asked('iceberg', stop()), asked('quote amount', stop())]).toEqual(['refused', 'refused']);
  });
});

describe('a code', () => {
  it('that is in no row, or says that nobody knows, is unknown for a send', () => {
    for (const code of ['-1000', '-1001', '-1006', '-1007', '-9999', '-2011', '-2013'])
      expect(FUTURES_CODES.meaning('submit', { code, message: 'x' }).kind).toBe('unknown');
  });

  it('never ends a run for what passes, and names its source', () => {
    for (const { code, reason, source } of FUTURES_CODE_ROWS) {
      expect(source).not.toBe('');
      if (['-1003', '-1008', '-1015', '-1021', '-4118', '-4400', '-5028'].includes(code))
        expect([code, rejectKind(reason)]).toEqual([code, 'passing']);
    }
  });
});

describe('requests', () => {
  it('have each a source, a weight and a path of their own', () => {
    const names = FUTURES_REQUESTS.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
    for (const form of FUTURES_REQUESTS) {
      expect(form.source).not.toBe('');
      expect(form.costs({}, 'me').length > 0 || form.weight === 'none').toBe(true);
    }
  });
});

describe('whole numbers beyond a double', () => {
  it('keep all their digits, and everything else is what JSON says', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.jsonValue(), (id, rest) => {
        const read = parseExact(`{"i":${id},"rest":${JSON.stringify(rest)}}`) as {
          i: unknown;
          rest: unknown;
        };
        expect(String(read.i)).toBe(String(id));
        if (!/\d{16}/.test(JSON.stringify(rest))) expect(read.rest).toEqual(JSON.parse(JSON.stringify(rest)));
      }),
      { numRuns: 200 },
    );
    expect(parseExact('{"a":0.1234567890123456,"b":"12345678901234567890"}')).toEqual({
      a: 0.1234567890123456,
      b: '12345678901234567890',
    });
  });
});

function eventsRig(learns: (names: OrderNamesKept) => boolean = () => true) {
  const clock = new VirtualClock();
  const names = new OrderNamesKept();
  const reports: string[] = [];
  const orders: ExchangeOrderState[] = [];
  const fills: { tradeId: string; clientId: string; liquidation?: boolean }[] = [];
  const stream: string[] = [];
  const realised: string[] = [];
  const report = (text: string) => reports.push(text);
  const events = new UserEvents({
    clock,
    names,
    report,
    facts: new AccountFacts(),
    complaints: new Complaints({ clock, report }),
    keyEnded: () => stream.push('key ended'),
    learn: async () => learns(names),
    firesLate: () => stream.push('late'),
    endUnknown: (algoId, symbol) => stream.push(`how has ${algoId} of ${symbol} ended`),
    isForeignSetting: () => true,
  });
  events.listen({
    order: (state) => orders.push(state),
    fill: (fill) => fills.push(fill),
    balances: () => {},
    positions: (all) => realised.push(...all.map(({ realizedPnl }) => realizedPnl)),
    ledger: () => stream.push('ledger'),
    stream: (state) => stream.push(state),
  });
  return { clock, events, orders, fills, reports, stream, names, realised };
}

/** An order of the matching engine, half executed. */
const made = (more: object = {}) => ({
  e: 'ORDER_TRADE_UPDATE',
  E: 20,
  T: 20,
  o: {
    s: 'BTCUSDT',
    c: 'made-there',
    S: 'SELL',
    o: 'MARKET',
    f: 'GTC',
    q: '2',
    p: '0',
    sp: '0',
    x: 'TRADE',
    X: 'PARTIALLY_FILLED',
    i: 77,
    l: '1',
    z: '1',
    L: '9',
    N: 'USDT',
    n: '0.1',
    T: 20,
    t: 5,
    m: false,
    R: false,
    wt: 'CONTRACT_PRICE',
    ot: 'MARKET',
    ps: 'BOTH',
    cp: false,
    rp: '0',
    ...more,
  },
});
const algo = (X: string, ai = '', more: object = {}) => ({
  e: 'ALGO_UPDATE',
  E: 10,
  T: 10,
  o: {
    caid: 'bf-1',
    aid: 4,
    at: 'CONDITIONAL',
    o: 'STOP_MARKET',
    s: 'BTCUSDT',
    S: 'SELL',
    ps: 'BOTH',
    f: 'GTC',
    q: '2',
    X,
    ai,
    tp: '8',
    p: '0',
    wt: 'MARK_PRICE',
    cp: false,
    R: true,
    ...more,
  },
});

describe('events', () => {
  it('of what a trigger has made are of the order that waited, though they come first', async () => {
    const { events, orders, fills, clock } = eventsRig();
    const tell = (event: object) => events.message(JSON.stringify(event));
    tell(algo('NEW'));
    tell(algo('TRIGGERING'));
    tell(made());
    tell(made({ x: 'TRADE', X: 'FILLED', z: '2', t: 6 }));
    expect(orders.map(({ clientId }) => clientId)).toEqual(['bf-1', 'bf-1']);
    tell(algo('TRIGGERED', '77'));
    expect(fills.map(({ tradeId, clientId }) => `${tradeId} ${clientId}`)).toEqual(['5 bf-1', '6 bf-1']);
    expect(orders.at(-1)).toMatchObject({ clientId: 'bf-1', venueIds: ['a4', '77'], status: 'FILLED' });
    await clock.advance(2 * HELD_BACK_MS);
    expect(fills).toHaveLength(2);
  });

  it('of a stranger beside a waiting order are told after a moment, in their order', async () => {
    const { events, orders, fills, clock } = eventsRig();
    events.message(JSON.stringify(algo('NEW')));
    events.message(JSON.stringify(made()));
    events.message(JSON.stringify(made({ X: 'FILLED', z: '2', t: 6 })));
    expect(fills).toHaveLength(0);
    await clock.advance(HELD_BACK_MS);
    expect(fills.map(({ tradeId, clientId }) => `${tradeId} ${clientId}`)).toEqual([
      '5 made-there',
      '6 made-there',
    ]);
    expect(orders.slice(1).map(({ status }) => status)).toEqual(['WORKING', 'FILLED']);
  });

  it('of what nobody has told of are of the order that waited where a question tells so, though its event is late', async () => {
    let answers = false;
    const { events, orders, fills, clock } = eventsRig((names) => {
      if (answers) names.algo('BTCUSDT', '4', 'bf-1', '77');
      return answers;
    });
    events.message(JSON.stringify(algo('NEW')));
    events.message(JSON.stringify(made()));
    await clock.advance(2.5 * HELD_BACK_MS);
    expect(fills).toEqual([]);
    answers = true;
    await clock.advance(HELD_BACK_MS);
    expect(fills.map(({ tradeId, clientId }) => `${tradeId} ${clientId}`)).toEqual(['5 bf-1']);
    expect(orders.at(-1)).toMatchObject({ clientId: 'bf-1', venueIds: ['a4', '77'] });
  });

  it('of what nobody can say whose it is lead to a comparison', async () => {
    const { events, fills, stream, clock } = eventsRig(() => false);
    events.message(JSON.stringify(algo('NEW')));
    events.message(JSON.stringify(made()));
    await clock.advance(20 * HELD_BACK_MS);
    expect([fills, stream]).toEqual([[], ['gap']]);
  });

  it('say how a finished one ended by what was executed, and why a refused one was', () => {
    const { events, orders } = eventsRig();
    for (const [word, more] of [
      ['FINISHED', { aq: '2' }],
      ['FINISHED', { aq: '0' }],
      ['CANCELED', { rm: 'Reduce Only reject' }],
      ['EXPIRED', {}],
      ['REJECTED', { rm: 'Margin is insufficient' }],
    ] as const)
      events.message(JSON.stringify(algo(word, word === 'FINISHED' ? '77' : '', more)));
    expect(orders.map(({ status, text, reason }) => [status, text, reason])).toEqual([
      ['FILLED', undefined, undefined],
      ['CANCELLED', 'cancelled', undefined],
      ['CANCELLED', 'Reduce Only reject', undefined],
      ['CANCELLED', 'expired', undefined],
      ['REJECTED', 'Margin is insufficient', 'BALANCE'],
    ]);
  });

  it('leave open how one that closes a position has ended, which has no quantity of its own, and ask for it', () => {
    const { events, orders, stream } = eventsRig();
    const tell = (more: object) =>
      events.message(JSON.stringify(algo('FINISHED', '77', { q: '0', cp: true, ...more })));
    tell({ aq: '1' });
    expect([orders.at(-1)?.status, orders.at(-1)?.cumQty, stream]).toEqual([
      'WORKING',
      '1',
      ['how has 4 of BTCUSDT ended'],
    ]);
    tell({ aq: '0' });
    expect([orders.at(-1)?.status, stream.length]).toEqual(['CANCELLED', 1]);
  });

  it.each([
    ['ORDER', []],
    ['MARGIN_TRANSFER', []],
    ['MARGIN_TYPE_CHANGE', []],
    ['DEPOSIT', ['ledger']],
    ['WITHDRAW', ['ledger']],
    ['FUNDING_FEE', ['ledger']],
    ['INSURANCE_CLEAR', ['ledger']],
    ['what nobody knows yet', ['ledger']],
  ])('of a wallet that was moved by %s lead to %o', (m, told) => {
    const { events, stream } = eventsRig();
    events.message(
      JSON.stringify({ e: 'ACCOUNT_UPDATE', E: 1, T: 1, a: { m, B: [{ a: 'USDT', wb: '5' }] } }),
    );
    expect(stream).toEqual(told);
  });

  it('of a trigger that was met are waited for four seconds, no longer', async () => {
    for (const isMade of [true, false]) {
      const { events, stream, clock } = eventsRig();
      for (const word of ['NEW', 'TRIGGERING']) events.message(JSON.stringify(algo(word)));
      await clock.advance(3_999);
      if (isMade) events.message(JSON.stringify(algo('TRIGGERED', '77')));
      expect(stream).toEqual([]);
      await clock.advance(1);
      expect(stream).toEqual(isMade ? [] : ['late']);
    }
  });

  it('of executions tell what a position has realised, losses as well', () => {
    const { events, realised } = eventsRig();
    const position = (pa: string) => {
      const P = [{ s: 'BTCUSDT', pa, ep: '1', up: '0', mt: 'cross', iw: '0', ps: 'BOTH' }];
      events.message(JSON.stringify({ e: 'ACCOUNT_UPDATE', E: 1, T: 1, a: { m: 'ORDER', P } }));
    };
    position('3');
    for (const rp of ['5', '-7']) {
      events.message(JSON.stringify(made({ i: 90, t: 100 + Number(rp), rp })));
      position('2');
    }
    expect(realised).toEqual(['0', '5', '-2']);
  });

  it('that are held back are let go where they become too many', () => {
    const { events, orders } = eventsRig();
    events.message(JSON.stringify(algo('NEW')));
    for (let i = 0; i < 1_001; i++) {
      expect(orders).toHaveLength(1);
      events.message(JSON.stringify(made({ i: 100 + i })));
    }
    expect(orders).toHaveLength(1_002);
  });

  it('of coin-M futures, and thinner ones of an execution that comes anyway, are left out', () => {
    const { events, orders, stream, reports } = eventsRig();
    events.message(JSON.stringify({ ...made(), st: 2 }));
    events.message(JSON.stringify({ e: 'TRADE_LITE', E: 1, T: 1, s: 'BTCUSDT', i: 77 }));
    expect([orders, stream, reports]).toEqual([[], [], []]);
  });

  it(
    'that were recorded are read, each of them, and none of them twice as a fill',
    withShared('payloads/binance.json', 28, (text) => {
      const { usdm } = parseExact(text) as { usdm: Record<string, Record<string, { data?: object }>> };
      for (const group of ['user_stream', 'user_stream_edge'])
        for (const [name, payload] of Object.entries(usdm[group] ?? {})) {
          if (typeof payload === 'string') continue;
          const { events, fills, stream, reports, orders } = eventsRig();
          events.message(JSON.stringify(payload.data ?? payload));
          expect([name, stream, reports]).toEqual([name, [], []]);
          if (
            /adl|calculated$|settlement|delivery|insurance|liquidation$|trade_|order_update_trade/.test(name)
          )
            expect([name, fills.length]).toEqual([name, name.includes('lite') ? 0 : 1]);
          if (name.includes('order_update')) expect([name, orders.length]).toEqual([name, 1]);
        }
    }),
  );
});

describe('answers', () => {
  it(
    'that were recorded are read',
    withShared('payloads/binance.json', 9, (text) => {
      const { usdm } = JSON.parse(text) as { usdm: Record<string, Record<string, unknown>> };
      const read = (reader: (text: string) => { ok: boolean }, group: string, name: string) =>
        expect([name, reader(JSON.stringify(usdm[group]?.[name])).ok]).toEqual([name, true]);
      for (const name of ['newOrder', 'cancelOrder', 'queryOrder', 'modifyOrder', 'queryCurrentOpenOrder'])
        read(readOrder, 'rest_trade', name);
      for (const name of ['newAlgoOrder', 'queryAlgoOrder']) read(readAlgo, 'rest_trade', name);
      read(readTrades, 'rest_trade', 'accountTradeList');
      read(readTrades, 'rest_positions_real', 'http_futures_account_trades');
      read(readPositions, 'rest_trade', 'positionInformationV3');
    }),
  );
});

describe('executions of months', () => {
  const DAY = 24 * 3_600_000;
  const NOW = 1_790_000_000_000;

  it('are told each once, a week a question, whatever lies between them', async () => {
    const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 20 * DAY })), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(gaps, async (all) => {
        let time = NOW - 85 * DAY;
        const trades = all.flatMap((gap, at) => {
          time += gap;
          return time > NOW ? [] : [{ id: 100 + at, orderId: 7, time }];
        });
        const ask = async (_form: object, q: Record<string, string>) => {
          if (q.orderId !== undefined) return [];
          const [from, to] = [Number(q.startTime), Number(q.endTime)];
          if (q.startTime !== undefined) expect(to - from).toBeLessThan(7 * DAY);
          return trades
            .filter((one) => (q.fromId ? one.id >= Number(q.fromId) : one.time >= from && one.time <= to))
            .slice(0, Number(q.limit))
            .map((one) => ({ ...TRADE, ...one }));
        };
        const fills = new FuturesFills({
          questions: { value: ask } as unknown as Questions,
          names: new OrderNamesKept(),
          now: () => NOW,
          learn: async () => true,
        });
        const told: string[] = [];
        let after: string | null = null;
        for (let pages = 0; ; pages++) {
          const page = await fills.page({ symbol: 'BTCUSDT', after, since: NOW - 86 * DAY });
          if (!page || pages > 100) throw new Error('it does not end');
          told.push(...page.fills.map(({ tradeId }) => tradeId));
          after = page.next;
          if (!page.more) break;
        }
        expect(told).toEqual(trades.map(({ id }) => String(id)));
      }),
      { numRuns: 60 },
    );
  });
});

const TRADE = {
  symbol: 'BTCUSDT',
  side: 'BUY',
  price: '1',
  qty: '1',
  commission: '0',
  commissionAsset: 'USDT',
  maker: true,
} as const;
