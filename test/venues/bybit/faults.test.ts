/**
 * Faults between an account of Bybit and its exchange: nothing is believed that the exchange has not said,
 * nothing is sent twice.
 */
import { describe, expect, it } from 'vitest';
import { type Dec, dec, str, ZERO } from '../../../src/domain/decimal.ts';
import { BYBIT_CODE_ROWS } from '../../../src/venues/bybit/codes.ts';
import { BYBIT_ABSENCE, BYBIT_SPOT_CAPS } from '../../../src/venues/bybit/forms.ts';
import { Dice } from '../../simulation/dice.ts';
import { bybitRig, type Rig, type RigOptions } from './bybit-rig.ts';

const symbol = 'BTCUSDT';
const LIMIT = { price: '50000', quantity: '0.01', clientId: 'a' } as const;

async function opened(options: RigOptions = {}): Promise<Rig> {
  const rig = bybitRig(options);
  await rig.open();
  return rig;
}

describe('an answer to an order that says nothing of its fate is unknown', () => {
  const body = (retCode: number) => JSON.stringify({ retCode, retMsg: 'odd', result: {}, time: 1 });
  it.each([
    ...[10000, 10016, 429, 170007, 170032, 170146, 170149, 10014, 123456].map(
      (code) => [`code ${code}`, 200, body(code)] as const,
    ),
    ['the id is there already', 200, body(170141)],
    ['a page', 502, '<html>bad gateway</html>'],
    ['a page of a gate, which is no word of the exchange', 403, '<html>Forbidden</html>'],
    ['a page that calls itself a success', 200, '<html>hello</html>'],
    ['too busy', 429, ''],
    ['nothing', 200, ''],
    ['half an answer', 200, '{"retCode":0,"retMsg":"OK","result":{"orderI'],
    ['another form', 200, '{"retCode":0,"retMsg":"OK","result":{"id":"5"}}'],
    ['another order', 200, '{"retCode":0,"retMsg":"OK","result":{"orderId":"5","orderLinkId":"other"}}'],
  ] as const)('%s', async (_, status, text) => {
    const rig = await opened();
    rig.say('/v5/order/create', text, status);
    expect((await rig.submit(LIMIT)).kind).toBe('unknown');
    expect(rig.sent('/v5/order/create')).toHaveLength(0);
  });

  it.each(['request', 'answer'] as const)('%s lost', async (what) => {
    const rig = await opened();
    rig.net.loses = { what, paths: /order\/create$/ };
    expect((await rig.submit(LIMIT)).kind).toBe('unknown');
    const found = await rig.during(rig.venue.query({ clientId: 'a', symbol }));
    expect(found.kind).toBe(what === 'request' ? 'absent' : 'found');
  });
});

describe('absence', () => {
  it('is the silence of every list that the data names, and of nothing less', async () => {
    const rig = await opened();
    rig.forget();
    expect(await rig.during(rig.venue.query({ clientId: 'x', symbol }))).toEqual({ kind: 'absent' });
    expect(rig.requests.map(({ path }) => path.split('?')[0])).toEqual(BYBIT_ABSENCE.lists);
    expect(BYBIT_SPOT_CAPS.settleMs).toBe(BYBIT_ABSENCE.settleMs);
    for (const path of BYBIT_ABSENCE.lists) {
      rig.say(path, '<html>', 502);
      expect((await rig.during(rig.venue.query({ clientId: 'x', symbol }))).kind).toBe('unknown');
      rig.refuse(path, 10016);
      expect((await rig.during(rig.venue.query({ clientId: 'x', symbol }))).kind).toBe('unknown');
    }
  });

  it('is no proof where it has executed and no list of orders has it', async () => {
    const rig = await opened();
    await rig.submit({ type: 'MARKET', quantity: '0.01', clientId: 'a' });
    await rig.clock.advance(1_000);
    const empty = { retCode: 0, retMsg: 'OK', result: { list: [] } };
    rig.say('/v5/order/realtime', empty);
    rig.say('/v5/order/history', empty);
    expect((await rig.during(rig.venue.query({ clientId: 'a', symbol }))).kind).toBe('unknown');
  });

  it('is not told of an answer about another order', async () => {
    const rig = await opened();
    await rig.submit(LIMIT);
    rig.say('/v5/order/realtime', rig.get('/v5/order/realtime', { category: 'spot', symbol }).text);
    expect((await rig.during(rig.venue.query({ clientId: 'b', symbol }))).kind).toBe('absent');
  });

  it('of an order that ended without an execution comes after a day, and means that it has done nothing', async () => {
    const rig = await opened();
    await rig.submit(LIMIT);
    await rig.during(rig.venue.cancel({ clientId: 'a', symbol }));
    rig.emulator.shutdown();
    await rig.venue.close();
    // No process listens meanwhile.
    const later = rig.again();
    await later.clock.advance(60_000);
    expect((await later.during(later.venue.query({ clientId: 'a', symbol }))).kind).toBe('found');
    await later.clock.advance(BYBIT_ABSENCE.keptMs - 60_000);
    expect((await later.during(later.venue.query({ clientId: 'a', symbol }))).kind).toBe('absent');
  });
});

describe('too many requests', () => {
  it('refuse an order and never a cancel, which waits for its turn', async () => {
    const rig = await opened();
    await rig.submit(LIMIT);
    rig.refuse('/v5/order/create', 10006, 'Too many visits!');
    expect(await rig.submit({ ...LIMIT, clientId: 'b' })).toMatchObject({
      kind: 'rejected',
      reason: 'RATE_LIMITED',
    });
    rig.refuse('/v5/order/cancel', 10006, 'Too many visits!');
    const at = rig.clock.monotonic();
    expect(await rig.during(rig.venue.cancel({ clientId: 'a', symbol }))).toMatchObject({ kind: 'done' });
    expect(rig.clock.monotonic() - at).toBeGreaterThanOrEqual(900);
  });

  it('of the address stop it for ten minutes', async () => {
    const rig = await opened();
    rig.say('/v5/order/create', '403, access too frequent', 403);
    expect(await rig.submit(LIMIT)).toMatchObject({ kind: 'rejected', reason: 'RATE_LIMITED' });
    expect(rig.venue.canSend?.('entry', symbol)?.retryAfterMs).toBeGreaterThan(590_000);
  });

  it('are never sent: what is over the limit of a second waits', async () => {
    const rig = await opened({ kind: 'futures' });
    const all = Array.from({ length: 25 }, (_, n) =>
      rig.venue.submit({
        ...LIMIT,
        clientId: `o${n}`,
        symbol,
        side: 'BUY',
        type: 'LIMIT',
        timeInForce: 'GTC',
        quantity: '0.001',
      }),
    );
    const outcomes = await rig.during(Promise.all(all));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
  });
});

describe('the line', () => {
  it('that breaks is there again, and is compared; another takes its place before it is old', async () => {
    const rig = await opened();
    rig.net.cut('cut');
    await rig.clock.advance(2_000);
    expect(rig.told.stream).toEqual(['up', 'down', 'up']);
    expect(await rig.submit(LIMIT)).toMatchObject({ kind: 'accepted' });
    expect(rig.told.orders.at(-1)).toMatchObject({ clientId: 'a' });
  });

  it('lives by pings, and is given up where nothing is heard', async () => {
    const rig = await opened();
    await rig.clock.advance(10 * 60_000);
    expect(rig.told.stream).toEqual(['up']);
    rig.net.faults = { messageLost: 1 };
    await rig.clock.advance(60_000);
    expect(rig.told.stream.at(-1)).toBe('down');
    rig.net.faults = {};
    await rig.clock.advance(60_000);
    expect(rig.told.stream.at(-1)).toBe('up');
  });

  it.each([
    ['no JSON', 'x'],
    ['another form', '{"topic":"order.spot","creationTime":1,"data":5}'],
    [
      'a word that nobody knows',
      '{"topic":"order.spot","creationTime":1,"data":[{"orderId":"1","symbol":"BTCUSDT","side":"Buy","orderType":"Limit","orderStatus":"Odd","qty":"1","cumExecQty":"0","updatedTime":"1"}]}',
    ],
    ['a wallet without figures', '{"topic":"wallet","creationTime":1,"data":[{"coin":[{"coin":"BTC"}]}]}'],
  ])('leads to a comparison where a message is %s', async (_, text) => {
    const rig = await opened();
    rig.forget();
    rig.net.hearing.at(-1)?.message(text);
    expect(rig.told.stream).toEqual(['gap']);
    expect([rig.told.orders, rig.told.balances]).toEqual([[], []]);
    expect(rig.told.reports).toHaveLength(1);
  });

  it('says once what is of no topic that it knows, and goes on', async () => {
    const rig = await opened();
    rig.forget();
    for (let n = 0; n < 3; n++) rig.net.hearing.at(-1)?.message('{"topic":"greeks","data":[]}');
    expect(rig.told.stream).toEqual([]);
    expect(rig.told.reports).toHaveLength(1);
  });

  it('that loses its login is tried anew', async () => {
    const rig = await opened();
    rig.net.hearing.at(-1)?.message('{"op":"auth","success":false,"ret_msg":"Params Error"}');
    await rig.clock.advance(3_000);
    expect(rig.told.stream).toEqual(['up', 'down', 'up']);
  });
});

describe('what an exchange sends beyond all bounds', () => {
  it.each([
    ['a list that leads in a circle', { list: [], nextPageCursor: 'a' }],
    ['an order of a kind that nobody knows', { list: [{ orderId: '1', orderStatus: 'Odd' }] }],
  ])('%s ends', async (_, result) => {
    const rig = await opened();
    rig.say('/v5/order/realtime', { retCode: 0, retMsg: 'OK', result });
    const open = await rig.during(rig.venue.openOrders());
    expect(open === null || open.length === 0).toBe(true);
  });

  it('a list whose last page repeats its place is read to that page', async () => {
    const rig = await opened();
    const row = (orderId: string) => ({
      ...{ orderId, symbol, side: 'Buy', orderType: 'Limit', orderStatus: 'New', price: '1', qty: '1' },
      ...{ cumExecQty: '0', timeInForce: 'GTC', updatedTime: '1' },
    });
    for (const id of ['1', '2'])
      rig.say('/v5/order/realtime', {
        ...{ retCode: 0, retMsg: 'OK', time: 1 },
        result: { list: [row(id)], nextPageCursor: 'a' },
      });
    const open = await rig.during(rig.venue.openOrders());
    expect(open?.map(({ venueIds }) => venueIds)).toEqual([['1'], ['2']]);
  });

  it('is said without its controls, and once', async () => {
    const rig = await opened();
    for (let n = 0; n < 3; n++) {
      rig.say('/v5/account/wallet-balance', '{"retCode":0,"result":{"list":"\\u001b[2J"}}');
      expect(await rig.during(rig.venue.balances())).toBeNull();
    }
    expect(rig.told.reports).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    expect(rig.told.reports[0]).not.toMatch(/[\x00-\x1f]/);
  });
});

it('has a source for every code, and takes none for a refusal that the documents leave open', () => {
  for (const { source } of BYBIT_CODE_ROWS) expect(source).not.toBe('');
  const codes = new Set(BYBIT_CODE_ROWS.map(({ code }) => code));
  for (const open of [
    '10000',
    '10016',
    '10429',
    '429',
    '170001',
    '170007',
    '170032',
    '170146',
    '170147',
    '170149',
  ])
    expect(codes.has(open)).toBe(false);
});

/** Orders, cancels and changes under faults of every kind: the final reports equal the exchange's state. */
describe.each(['spot', 'futures'] as const)('under faults %s ends with what the exchange has', (kind) => {
  const runs = Number(process.env.OUTCRY_RUNS ?? 3);
  it.each(Array.from({ length: runs }, (_, seed) => seed + 1))('seed %i', async (seed) => {
    const dice = new Dice(seed, `bybit ${kind}`);
    const rig = await opened({ kind, settings: { matchMs: dice.int(0, 80), lagMs: dice.int(0, 300) } });
    rig.net.faults = {
      delayMs: [1, 60],
      requestLost: 0.04,
      answerLost: 0.06,
      htmlPage: 0.03,
      executedUnknown: 0.04,
      lateReject: 0.05,
      duplicate: 0.1,
      swapped: 0.1,
      messageLost: 0.02,
      cutEveryMs: 8_000,
    };
    const ids: string[] = [];
    const accepted = new Set<string>();
    for (let n = 0; n < 25; n++) {
      const clientId = `f${n}`;
      const side = dice.chance(0.5) ? 'BUY' : 'SELL';
      const isMarket = dice.chance(0.3);
      const price = String(60_000 + (side === 'BUY' ? -1 : 1) * dice.int(0, 300));
      const order = isMarket ? ({ type: 'MARKET' } as const) : ({ type: 'LIMIT', price } as const);
      const outcome = await rig.submit({ ...order, side, quantity: '0.002', clientId });
      ids.push(clientId);
      if (outcome.kind === 'accepted') accepted.add(clientId);
      // A refusal is certain: the order never rests.
      if (outcome.kind === 'rejected') {
        const found = await settled(rig, clientId);
        expect(found === null || (found.status === 'REJECTED' && found.cumQty === '0')).toBe(true);
      }
      if (dice.chance(0.4)) await rig.during(rig.venue.cancel({ clientId: dice.pick(ids), symbol }));
      if (dice.chance(0.4)) await rig.print(String(60_000 + dice.int(-350, 350)), '0.003');
    }
    rig.net.faults = {};
    await rig.clock.advance(40_000);
    expect(rig.told.stream.at(-1)).not.toBe('down');
    const executed = new Map<string, Dec>();
    const since = rig.emulator.now() - 3_600_000;
    const page = await rig.during(rig.venue.fills({ symbol, after: null, since }));
    for (const { clientId, qty } of page?.fills ?? [])
      executed.set(clientId, (executed.get(clientId) ?? ZERO) + dec(qty));
    const open = new Set((await rig.during(rig.venue.openOrders()))?.map(({ clientId }) => clientId));
    for (const clientId of ids) {
      const state = await settled(rig, clientId);
      if (state === null) {
        // The order never existed, which is allowed after a refusal or an unknown outcome.
        expect([clientId, executed.has(clientId), accepted.has(clientId)]).toEqual([clientId, false, false]);
        continue;
      }
      expect([clientId, state.cumQty]).toEqual([clientId, str(executed.get(clientId) ?? ZERO)]);
      expect(open.has(clientId)).toBe(state.status === 'WORKING');
    }
    // Nothing was ever sent twice.
    const sent = rig.sent('/v5/order/create').map(({ orderLinkId }) => orderLinkId);
    expect(sent.toSorted()).toEqual([...new Set(sent)].toSorted());
  });
});

async function settled(rig: Rig, clientId: string) {
  for (let tries = 0; tries < 30; tries++) {
    const found = await rig.during(rig.venue.query({ clientId, symbol }));
    if (found.kind === 'found') return found.state;
    if (found.kind === 'absent' && tries > 3) return null;
    await rig.clock.advance(500);
  }
  throw new Error(`${clientId} could not be asked about`);
}
