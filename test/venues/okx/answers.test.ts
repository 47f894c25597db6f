/**
 * What answers of OKX about an account lead to: what they say of budgets and of the clock, lists in pages,
 * the ledger, and the words for what is wrong.
 */
import { describe, expect, it } from 'vitest';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import type { CallResult } from '../../../src/venues/kit/caller.ts';
import type { WireAnswer } from '../../../src/venues/kit/net.ts';
import { refusalOf, verdictOf } from '../../../src/venues/okx/dialect.ts';
import { codedTrouble, troubleOf } from '../../../src/venues/okx/trouble.ts';
import { Rig, type RigOptions } from './rig.ts';

const answer = (data: readonly unknown[], code = '0', status = 200, headers = {}): WireAnswer => ({
  kind: 'answer',
  status,
  headers,
  body: JSON.stringify({ code, msg: 'words', data }),
});
const page = (status: number, headers = {}): WireAnswer => ({
  kind: 'answer',
  status,
  headers,
  body: '<html>',
});
const LOST: WireAnswer = { kind: 'lost', cause: 'no answer' };
const LIMIT = { quantity: '0.01', price: '59000' } as const;
const PLACE = '/api/v5/trade/order';
const queryOf = (path: string) => Object.fromEntries(new URL(path, 'https://x').searchParams);

describe('a refusal for lack of budget', () => {
  const row = (sCode: string) => ({ ordId: '', clOrdId: '', sCode, sMsg: 'busy' });
  /** How long orders of the symbol and of another one wait after the first was answered so, ms. */
  const waits = async (given: WireAnswer) => {
    const rig = await new Rig().open();
    await rig.pass(5_000);
    rig.net.answers.set(PLACE, ({ method }) => (method === 'POST' ? given : null));
    await rig.submit(LIMIT);
    rig.net.answers.clear();
    const from = rig.clock.monotonic();
    const later = (symbol: string) =>
      rig.venue.submit(rig.order({ ...LIMIT, symbol })).then(() => rig.clock.monotonic() - from);
    return rig.result(Promise.all([later('BTCUSDT'), later('ETHUSDT')]));
  };

  it.each<[string, WireAnswer, own: number, other: number]>([
    ['that names no time: one window, of all orders of the sub-account', answer([], '50011'), 2_000, 2_000],
    ['of the sub-account', answer([], '50061', 429), 2_000, 2_000],
    ['of operations', answer([], '50040'), 2_000, 2_000],
    ['in its row alone', answer([row('50011')], '1'), 2_000, 2_000],
    ['that names its time', answer([], '50011', 429, { 'retry-after': '7' }), 7_000, 7_000],
    ['that names none that can be read', answer([], '50011', 429, { 'retry-after': 'soon' }), 2_000, 2_000],
    ['by a gateway stops everything', page(429), 10_000, 10_000],
    ['by a gateway that names its time', page(429, { 'retry-after': '30' }), 30_000, 30_000],
    ['of another kind stops nothing', answer([], '50013', 429), 0, 0],
    ['by a page under another status stops nothing', page(502), 0, 0],
    ['that is none stops nothing', answer([row('51008')], '1'), 0, 0],
  ])('%s', async (_, given, own, other) => {
    const told = await waits(given);
    for (const [n, ms] of [own, other].entries()) {
      expect(told[n]).toBeLessThanOrEqual(ms + 100);
      expect(told[n]).toBeGreaterThanOrEqual(Math.max(0, ms - 100));
    }
  });

  it('of a question stops no order', async () => {
    const rig = await new Rig().open();
    rig.net.answers.set('/api/v5/account/balance', () => answer([], '50011'));
    await rig.result(rig.venue.balances());
    expect(rig.venue.canSend?.('entry', 'BTCUSDT')).toBeNull();
  });
});

it('what a user may ask is shared by both accounts of a key', async () => {
  const exchange = new Rig().exchange;
  const addresses = new Addresses(exchange.clock);
  const spot = await new Rig({ kind: 'spot', addresses }, exchange).open();
  const swap = await new Rig({ kind: 'swap', addresses }, exchange).open();
  await spot.pass(3_000);
  let answered = 0;
  for (let n = 0; n < 8; n++)
    for (const { venue } of [spot, swap]) void venue.balances().then(() => answered++);
  await spot.pass(1_900);
  // Ten in two seconds.
  expect(answered).toBe(10);
  await spot.pass(3_000);
  expect(answered).toBe(16);
});

it.each([
  ['50102', true],
  ['50112', true],
  ['50036', true],
  ['50037', true],
  ['50011', false],
  ['51008', false],
])('a refusal by code %s has the clock of the exchange measured at once: %s', async (code, isMeasured) => {
  for (const given of [answer([], code), answer([{ sCode: code, sMsg: 'x', ordId: '', clOrdId: '' }], '1')]) {
    const rig = await new Rig().open();
    await rig.pass(100);
    const times = () => rig.requests.filter(({ path }) => path.includes('/public/time')).length;
    const before = times();
    rig.net.answers.set(PLACE, ({ method }) => (method === 'POST' ? given : null));
    await rig.submit(LIMIT);
    await rig.pass(100);
    expect(times() - before).toBe(isMeasured ? 1 : 0);
  }
});

describe('the words for what is wrong', () => {
  const called = (status: number, text: string): CallResult => ({ kind: 'answer', status, text });
  it.each<[CallResult, string | RegExp]>([
    [{ kind: 'lost', cause: 'it was lost' }, 'it was lost'],
    [{ kind: 'unsent', cause: 'it was not sent' }, 'it was not sent'],
    [called(200, '{"code":"51000","msg":"odd"}'), 'odd (51000)'],
    [
      called(401, '{"code":"50119","msg":"no key"}'),
      /^the API key is not known there any more.*: no key \(50119\)$/,
    ],
    [
      called(200, '{"code":"1","msg":"all","data":[{"sCode":"50030","sMsg":"row"}]}'),
      /give it the right.*: row \(50030\)$/,
    ],
    [called(429, '{"code":"50011","msg":null}'), '(50011)'],
    [called(429, ''), /HTTP 429.*wait a little/],
    [called(429, '<html>'), /HTTP 429.*wait a little/],
    [called(403, '<html>'), /not served to this address \(HTTP 403\)/],
    [called(451, ''), /not served to this address \(HTTP 451\)/],
    [called(502, ' \n<html>'), /a page of HTML came instead of an answer \(HTTP 502\)/],
    [called(200, 'x<html>'), 'the answer cannot be read (HTTP 200)'],
    [called(200, '{"code":"0","data":[]}'), 'the answer cannot be read (HTTP 200)'],
  ])('%o are plain', (given, words) => {
    if (typeof words === 'string') expect(troubleOf(given)).toBe(words);
    else expect(troubleOf(given)).toMatch(words);
  });

  it('are cut and made visible, whoever sends them', () => {
    const words = codedTrouble('9'.repeat(50), `a\u001b[31m${'b'.repeat(300)}`);
    expect(words.length).toBeLessThan(190);
    expect(words).not.toContain('\u001b');
    expect(words.endsWith(`(${'9'.repeat(20)})`)).toBe(true);
  });

  it('come from the rows that have a code, the first of which decides', () => {
    const of = (data: unknown) => verdictOf(` ${JSON.stringify({ code: '1', msg: 'all', data })}`);
    const rows = [7, null, 'x', {}, { sCode: 5 }, { sCode: '51008', sMsg: 9 }, { sCode: '0', sMsg: 'ok' }];
    expect(of(rows)).toEqual({
      ...{ code: '1', message: 'all' },
      rows: [
        { code: '51008', message: '' },
        { code: '0', message: 'ok' },
      ],
    });
    const refusal = (data: unknown) => {
      const verdict = of(data);
      return verdict && refusalOf(verdict);
    };
    expect([refusal(rows), refusal([{ sCode: '0' }]), refusal('x'), refusal([])]).toEqual([
      { code: '51008', message: '' },
      null,
      { code: '1', message: 'all' },
      { code: '1', message: 'all' },
    ]);
  });
});

describe('a list', () => {
  const order = (n: number, more: object = {}) => ({
    ...{ instId: 'BTC-USDT', instType: 'SPOT', ordId: String(n), clOrdId: `c${n}`, side: 'buy' },
    ...{ ordType: 'limit', state: 'live', px: '5', sz: '1', accFillSz: '0', cTime: '1', uTime: '1', ...more },
  });
  const listed = async (count: number, options: RigOptions = {}, more: object = {}) => {
    const rig = await new Rig(options).open();
    const asked: Record<string, string>[] = [];
    rig.net.answers.set('/api/v5/trade/orders-pending', ({ path }) => {
      const query = queryOf(path);
      asked.push(query);
      const last = Number(query.after ?? count + 1);
      return answer(Array.from({ length: Math.min(100, last - 1) }, (_, n) => order(last - 1 - n, more)));
    });
    return { rig, asked, open: await rig.result(rig.venue.openOrders()) };
  };

  it.each([
    [0, [undefined]],
    [99, [undefined]],
    [100, [undefined, '1']],
    [101, [undefined, '2']],
    [250, [undefined, '151', '51']],
  ])('of %d open orders is read to its end, each page after the last row', async (count, afters) => {
    const { asked, open } = await listed(count);
    expect(asked.map(({ after }) => after)).toEqual(afters);
    expect(asked.every(({ limit, instType }) => limit === '100' && instType === undefined)).toBe(true);
    expect(open?.map(({ clientId }) => clientId)).toEqual(
      Array.from({ length: count }, (_, n) => `c${count - n}`),
    );
  });

  it('without an end, with a page that fails, or with an order that cannot be read is not known', async () => {
    const { rig, open } = await listed(3);
    expect(open).toHaveLength(3);
    let pages = 0;
    rig.net.answers.set('/api/v5/trade/orders-pending', () => {
      pages += 1;
      return answer(Array.from({ length: 100 }, (_, n) => order(n + 1)));
    });
    expect(await rig.result(rig.venue.openOrders())).toBeNull();
    expect(pages).toBe(60);
    pages = 0;
    rig.net.answers.set('/api/v5/trade/orders-pending', () => {
      pages += 1;
      return pages === 2 ? LOST : answer(Array.from({ length: 100 }, (_, n) => order(n + 1)));
    });
    expect(await rig.result(rig.venue.openOrders())).toBeNull();
    rig.net.answers.set('/api/v5/trade/orders-pending', () =>
      answer([order(1), order(2, { state: 'dancing' })]),
    );
    expect(await rig.result(rig.venue.openOrders())).toBeNull();
    expect(rig.reports.at(-1)).toMatch(/open orders: one of them is of a kind that is not known/);
    rig.net.answers.set('/api/v5/trade/orders-pending', () =>
      answer([order(1), order(2, { instId: 'X-Y' })]),
    );
    expect(await rig.result(rig.venue.openOrders())).toHaveLength(1);
  });

  it('of conditional orders is asked for by kind, each in pages, and one kind that fails makes all unknown', async () => {
    for (const [kind, instId, instType] of [
      ['spot', 'BTC-USDT', undefined],
      ['swap', 'BTC-USDT-SWAP', 'SWAP'],
    ] as const) {
      const rig = await new Rig({ kind }).open();
      const asked: string[] = [];
      let fails = '';
      rig.net.answers.set('/api/v5/trade/orders-algo-pending', ({ path }) => {
        const query = queryOf(path);
        asked.push(`${query.ordType} ${query.after ?? ''}`);
        expect(query.instType).toBe(instType);
        if (query.ordType === fails) return LOST;
        const algo = (n: number) => ({
          ...{
            instId,
            algoId: String(n),
            algoClOrdId: `a${n}`,
            ordType: 'trigger',
            state: 'live',
            side: 'buy',
          },
          ...{ sz: '1', triggerPx: '5', ordPx: '-1', cTime: '1' },
        });
        if (query.ordType !== 'trigger') return answer([{ ...algo(500), instId: 'X-Y' }]);
        const last = Number(query.after ?? 121);
        return answer(Array.from({ length: Math.min(100, last - 1) }, (_, n) => algo(last - 1 - n)));
      });
      expect(await rig.result(rig.venue.openOrders())).toHaveLength(120);
      expect(asked).toEqual(['conditional,oco ', 'trigger ', 'trigger 21', 'move_order_stop ']);
      for (fails of ['conditional,oco', 'trigger', 'move_order_stop'])
        expect(await rig.result(rig.venue.openOrders())).toBeNull();
    }
  });

  it('of what waits is read before that of orders: what is triggered in between is in both, not in neither', async () => {
    const rig = await new Rig().open();
    await rig.submit({ clientId: 'stop', type: 'STOP_MARKET', quantity: '0.01', stopPrice: '61000' });
    await rig.pass(1_000);
    rig.requests.length = 0;
    expect(await rig.result(rig.venue.openOrders())).toMatchObject([{ clientId: 'stop' }]);
    const lists = rig.requests.map(({ path }) => path.split('?')[0]?.split('/').at(-1));
    expect(lists).toEqual([...Array.from({ length: 3 }, () => 'orders-algo-pending'), 'orders-pending']);
  });

  it('of executions and of the ledger is asked for where it is kept, without what others tell', async () => {
    const rig = await new Rig().open();
    const now = rig.emulator.now();
    const HOUR = 3_600_000;
    const asked: string[] = [];
    const fill = (n: number, more: object = {}) => ({
      ...{ instId: 'BTC-USDT', tradeId: String(n), ordId: '7', clOrdId: 'x', billId: String(n), fillPx: '5' },
      ...{ fillSz: '1', side: 'buy', ts: String(now - 1_000), subType: '1', ...more },
    });
    let order: WireAnswer = answer([], '51603');
    rig.net.answers.set(PLACE, ({ method, path }) => {
      if (method === 'GET') asked.push(path);
      return method === 'GET' ? order : null;
    });
    const rows = [
      fill(6, { subType: '118' }),
      fill(5, { subType: '119' }),
      fill(4, { subType: '237' }),
      fill(3),
      fill(2),
    ];
    for (const path of ['/api/v5/trade/fills', '/api/v5/trade/fills-history'])
      rig.net.answers.set(path, (request) => {
        asked.push(request.path.split('?')[0]?.split('/').at(-1) ?? '');
        return answer(asked.includes('none') ? [] : rows);
      });
    const fills = (hours: number) =>
      rig.result(rig.venue.fills({ symbol: 'BTCUSDT', after: null, since: now - hours * HOUR }));
    const told = await fills(1);
    // The id in the execution counts where the exchange has forgotten the order; it is asked for once.
    expect(told?.fills.map(({ tradeId, clientId }) => [tradeId, clientId])).toEqual([
      ['2', 'x'],
      ['3', 'x'],
    ]);
    expect(asked.splice(0)).toEqual(['fills', `${PLACE}?instId=BTC-USDT&ordId=7`]);
    expect(await rig.result(rig.venue.fills({ symbol: 'NOPEUSDT', after: null, since: 0 }))).toBeNull();
    asked.push('none');
    await fills(69);
    await fills(71);
    expect(asked.splice(0).slice(1)).toEqual(['fills', 'fills-history']);
    order = LOST;
    const next = await rig.again().open();
    next.net.answers.set(PLACE, () => LOST);
    next.net.answers.set('/api/v5/trade/fills', () => answer(rows));
    const again = next.venue.fills({ symbol: 'BTCUSDT', after: null, since: now - HOUR });
    expect(await next.result(again)).toBeNull();
    next.net.answers.set('/api/v5/trade/fills', () => LOST);
    expect(await next.result(next.venue.fills({ symbol: 'BTCUSDT', after: null, since: now }))).toBeNull();
  });

  it('of executions is read in pages, whose orders are not asked for where their names are known', async () => {
    const rig = await new Rig().open();
    rig.net.faults = { messageLost: 1 };
    await rig.submit({ clientId: 'known', type: 'MARKET', quantity: '0.001' });
    const own = 'os-0123456789abcdefghijkl';
    const asked: string[] = [];
    const now = rig.emulator.now();
    rig.net.answers.set(PLACE, ({ path }) => {
      asked.push(path);
      return null;
    });
    const [known] = rig.exchange.get('/api/v5/trade/fills').body.data as { ordId: string }[];
    rig.net.answers.set('/api/v5/trade/fills', ({ path }) => {
      const { after = '151' } = queryOf(path);
      const fill = (n: number) => ({
        ...{
          instId: 'BTC-USDT',
          tradeId: String(n),
          billId: String(n),
          fillPx: '5',
          fillSz: '1',
          side: 'buy',
        },
        ...{ ts: String(now - 10_000 + n) },
        ...(n % 2 === 0
          ? { ordId: known?.ordId ?? '', clOrdId: 'known' }
          : { ordId: '77', clOrdId: own.replace('-', '') }),
      });
      return answer(
        Array.from({ length: Math.min(100, Number(after) - 1) }, (_, n) => fill(Number(after) - 1 - n)),
      );
    });
    const page = await rig.result(rig.venue.fills({ symbol: 'BTCUSDT', after: null, since: now - 60_000 }));
    expect(page?.fills.map(({ tradeId }) => Number(tradeId))).toEqual(
      Array.from({ length: 150 }, (_, n) => n + 1),
    );
    expect(page?.fills.slice(0, 2).map(({ clientId }) => clientId)).toEqual([own, 'known']);
    expect(asked).toEqual([]);
  });
});

describe('the ledger', () => {
  const told = async (markets: readonly ('spot' | 'swap')[], bills: readonly object[]) => {
    const rig = await new Rig({ kind: markets[0] ?? 'spot', markets }).open();
    rig.net.answers.set('/api/v5/account/bills', () => answer(bills));
    const ask = rig.venue.ledger?.({ after: null, since: rig.emulator.now() - 1_000_000, limit: 100 });
    return { rig, page: await rig.result(ask ?? Promise.reject()) };
  };

  it('has each bill by its kind, with its instrument, and none of nothing', async () => {
    const kinds = {
      ...{ '1': 'transfer', '3': 'settlement', '7': 'interest', '8': 'funding', '10': 'insurance' },
      ...{ '11': 'conversion', '12': 'transfer', '27': 'conversion', '28': 'conversion', '29': 'conversion' },
      ...{ '30': 'conversion', '34': 'settlement', '381': 'interest', '4': 'other', '999': 'other' },
    };
    const now = Date.UTC(2026, 10, 25, 12);
    const bills = Object.keys(kinds).map((type, n) => ({
      ...{
        billId: String(100 + n),
        type,
        ts: String(now - 50_000 + n),
        balChg: n % 2 === 0 ? '-1.50' : '2.5',
      },
      ...{ ccy: n < 3 ? 'BTC' : 'USDT', instId: type === '8' ? 'ETH-USDC-SWAP' : '', instType: '' },
    }));
    const none = { ...{ billId: '99', type: '1', ts: String(now - 60_000), balChg: '0.00', ccy: 'USDT' } };
    const { page: read } = await told(['spot'], [...bills, none].reverse());
    expect(read?.rows).toEqual(
      Object.values(kinds).map((kind, n) => ({
        ...{ id: String(100 + n), time: now - 50_000 + n, asset: n < 3 ? 'BTC' : 'USDT' },
        ...{ amount: n % 2 === 0 ? '-1.5' : '2.5', kind },
        ...(kind === 'funding' ? { symbol: 'ETHUSDC' } : {}),
      })),
    );
    expect(read).not.toHaveProperty('traded');
  });

  it('names what was traded, and has of it only what no account here tells', async () => {
    const now = Date.UTC(2026, 10, 25, 12);
    const bill = (billId: number, type: string, instId: string, instType: string) => ({
      ...{
        billId: String(billId),
        type,
        ts: String(now - 50_000 + billId),
        balChg: '1',
        ccy: 'USDT',
        instId,
        instType,
      },
    });
    const bills = [
      bill(1, '2', 'BTC-USDT', 'SPOT'),
      bill(2, '2', 'BTC-USDT', 'MARGIN'),
      bill(3, '5', 'BTC-USDT-SWAP', 'SWAP'),
      bill(4, '9', 'ETH-USDC-SWAP', 'SWAP'),
      bill(5, '2', 'BTC-USD-SWAP', 'SWAP'),
      bill(6, '2', 'SOL-USDT-SWAP', 'FUTURES'),
      bill(7, '2', '', 'SPOT'),
      bill(8, '8', 'XRP-USDT-SWAP', 'SWAP'),
    ].reverse();
    for (const [markets, ids] of [
      [['spot'], '3 4 5 6 8'],
      [['swap'], '1 2 5 6 7 8'],
      [['spot', 'swap'], '5 6 8'],
    ] as const) {
      const { page: read } = await told(markets, bills);
      expect(read?.rows.map(({ id }) => id).join(' ')).toBe(ids);
      expect(read?.traded).toEqual(['BTCUSDT', 'ETHUSDC', 'BTCUSD', 'SOLUSDT']);
    }
  });

  it('is read in pages, recent or not by its beginning, and is not known where one fails', async () => {
    const rig = await new Rig().open();
    const now = rig.emulator.now();
    const asked: string[] = [];
    let fails = false;
    for (const list of ['bills', 'bills-archive'])
      rig.net.answers.set(`/api/v5/account/${list}`, ({ path }) => {
        const { after = '', limit } = queryOf(path);
        asked.push(`${list} ${limit} ${after}`);
        if (fails && after !== '') return LOST;
        const last = Number(after || 121);
        const bill = (n: number) => ({
          ...{ billId: String(n), type: '1', balChg: '1', ccy: 'A', ts: String(now - 500_000 + n) },
        });
        return answer(Array.from({ length: Math.min(100, last - 1) }, (_, n) => bill(last - 1 - n)));
      });
    const ask = (hours: number) =>
      rig.result(
        rig.venue.ledger?.({ after: null, since: now - hours * 3_600_000, limit: 500 }) ?? Promise.reject(),
      );
    expect((await ask(165))?.rows.map(({ id }) => Number(id))).toEqual(
      Array.from({ length: 120 }, (_, n) => n + 1),
    );
    expect(asked.splice(0)).toEqual(['bills 100 ', 'bills 100 21']);
    expect((await ask(167))?.rows).toHaveLength(120);
    expect(asked).toEqual(['bills-archive 100 ', 'bills-archive 100 21']);
    fails = true;
    expect(await ask(1)).toBeNull();
  });
});
