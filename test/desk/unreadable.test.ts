/**
 * Figures of an exchange that cannot be read: dropped where they arrive, reported once, and they never end
 * the desk.
 */
import { describe, expect, it } from 'vitest';
import { decodeBalance, decodeFill, decodePosition, decodeState } from '../../src/desk/core/decode.ts';
import { GAP_EVERY_MS } from '../../src/desk/core/readable-venue.ts';
import { dec } from '../../src/domain/decimal.ts';
import type { ExchangeFill } from '../../src/domain/exchange.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { SPOT } from '../engine/support/market.ts';
import { positionOf } from './core/link-rig.ts';
import { deskOf, type OtherDesk, OtherVenue, place, stateOf, within } from './other-venue.ts';

async function started(venue = new OtherVenue()): Promise<OtherDesk & { venue: OtherVenue }> {
  const desk = deskOf([venue]);
  await within(desk.clock, 60_000, desk.core.start());
  venue.calls.length = 0;
  return { ...desk, venue };
}

const FILL: ExchangeFill = {
  tradeId: 't1',
  clientId: 'a',
  symbol: 'BTCUSDT',
  side: 'BUY',
  price: '50000',
  qty: '0.01',
  comm: '0.1',
  commAsset: 'USDT',
  maker: true,
  rPnl: null,
  posSide: 'BOTH',
  time: 1,
};

const ALIEN = 'BTC\u202eUSDT';

const unreadLines = ({ core }: OtherDesk) => core.log.filter(({ text }) => text.includes('cannot be read'));
const asked = ({ calls }: OtherVenue, what: string) => calls.filter((call) => call === what).length;
const freeOf = ({ core }: OtherDesk, asset: string) =>
  core.engine.memory.account(SPOT).wallet.balances.get(asset)?.free;

describe('a figure', () => {
  it.each([
    ['1e-7', '0.0000001'],
    ['1.25E+3', '1250'],
    ['-2.5e1', '-25'],
    ['12e-1', '1.2'],
    ['0e5', '0'],
    ['', '0'],
    ['null', '0'],
    ['007.50', '007.50'],
  ])('%o is read as %s', (free, plain) => {
    expect(decodeBalance({ asset: 'A', free, locked: '0' })).toMatchObject({ value: { free: plain } });
  });

  it.each([
    '1e-31',
    '1e99',
    '.5',
    '5.',
    '+1',
    '0x10',
    'NaN',
    '1 000',
    ' 1',
    `1${'0'.repeat(90)}`,
    '1e',
    7,
    {},
  ])('%o is none', (free) => {
    const decoded = decodeBalance({ asset: 'A', free: free as string, locked: '0' });
    expect(decoded).toMatchObject({ ok: false, field: 'balance.free of "A"', value: free });
  });

  it('that is missing is none of a price or a quantity, nothing of a fee or a result', () => {
    expect(decodeFill({ ...FILL, qty: '' })).toMatchObject({ ok: false, field: 'fill.qty' });
    expect(decodeFill({ ...FILL, price: 'null' })).toMatchObject({ ok: false, field: 'fill.price' });
    expect(decodeFill({ ...FILL, comm: '', commAsset: '', rPnl: '' })).toMatchObject({
      value: { comm: '0', commAsset: '', rPnl: null },
    });
  });

  it('beside a word or a number that is none leaves out the whole', () => {
    const state = stateOf({ clientId: 'a', symbol: 'BTCUSDT' });
    expect(decodeState(state)).toEqual({ ok: true, value: state });
    expect(decodeState({ ...state, seq: Number.NaN })).toMatchObject({ field: 'order.seq' });
    expect(decodeState({ ...state, time: '1' as unknown as number })).toMatchObject({ field: 'order.time' });
    expect(decodeState({ ...state, status: 'LIVE' as 'FILLED' })).toMatchObject({ field: 'order.status' });
    expect(decodeState(null as unknown as typeof state)).toMatchObject({ ok: false, field: 'order' });
    const position = { symbol: 'A', side: 'NET', amount: '1' } as unknown as ExchangePosition;
    expect(decodePosition(position)).toMatchObject({ ok: false, field: 'position.side', value: 'NET' });
  });
});

describe('an event that cannot be read', () => {
  it('ends nothing: it is left out, said, and the account is compared anew', async () => {
    const desk = await started();
    desk.venue.sink?.balances([
      { asset: 'XYZ', free: 'soon', locked: '0' },
      { asset: 'USDT', free: '7', locked: '0' },
    ]);
    expect(freeOf(desk, 'USDT')).toBe(dec('7'));
    await desk.clock.settle();
    expect(desk.fatal).toEqual([]);
    expect(freeOf(desk, 'XYZ')).toBeUndefined();
    expect(unreadLines(desk).map(({ text }) => text)).toEqual([
      `${SPOT}: balance.free of "XYZ" is "soon", which cannot be read; it was left out`,
    ]);
    expect(asked(desk.venue, 'openOrders')).toBe(1);
  });

  it('of an order or a fill is found out by the comparison; an exponent is stored as a plain figure', async () => {
    const desk = await started();
    await within(desk.clock, 1_000, place(desk.core));
    const [order] = desk.core.engine.memory.orders.values();
    const clientId = order?.id ?? '';
    desk.venue.sink?.fill({ ...FILL, clientId, qty: '1e-3', comm: '1e-7' });
    desk.venue.sink?.fill({ ...FILL, tradeId: 't2', clientId, qty: '' });
    await desk.clock.settle();
    expect(desk.fatal).toEqual([]);
    expect(desk.store.orderFills(clientId)).toMatchObject([{ qty: '0.001', comm: '0.0000001' }]);
    expect(desk.core.engine.memory.orders.get(clientId)?.executedQty).toBe('0.001');
    expect(asked(desk.venue, 'openOrders')).toBe(1);
  });

  it('of an order of others ends nothing either, whatever of its terms and names is odd', async () => {
    const desk = await started();
    const terms = {
      side: 'BUY',
      type: 'LIMIT',
      price: '50000',
      timeInForce: 'GTC',
      reduceOnly: false,
      closePosition: false,
      positionSide: 'BOTH',
      workingType: 'CONTRACT_PRICE',
    } as const;
    const theirs = { ...stateOf({ clientId: 'web_1', symbol: 'BTCUSDT' }), terms };
    const odd = [
      { terms: { ...terms, price: 'soon' } },
      { venueIds: 'v1' },
      { terms: { ...terms, price: 7 } },
    ];
    for (const one of odd) desk.venue.sink?.order({ ...theirs, ...one } as never);
    await desk.clock.settle();
    expect(desk.fatal).toEqual([]);
    expect(desk.core.engine.memory.orders.size).toBe(0);
    desk.venue.sink?.order({ ...theirs, terms: { ...terms, price: '5.01e4' } });
    await desk.clock.settle();
    expect([...desk.core.engine.memory.orders.values()]).toMatchObject([{ id: 'web_1', price: '50100' }]);
  });

  it('is neither a flood of lines nor a flood of questions, however many come', async () => {
    const desk = await started();
    for (let second = 0; second < 180; second++) {
      for (let n = 0; n < 50; n++)
        desk.venue.sink?.balances([{ asset: 'XYZ', free: 'x'.repeat(10_000), locked: '0' }]);
      await desk.clock.advance(1_000);
    }
    const lines = unreadLines(desk);
    expect(lines.length).toBeLessThanOrEqual(4);
    expect(Math.max(...lines.map(({ text }) => text.length))).toBeLessThan(250);
    expect(lines.at(-1)?.text).toMatch(/and \d+ times before/);
    expect(asked(desk.venue, 'openOrders')).toBeLessThanOrEqual(4);
    await desk.clock.advance(GAP_EVERY_MS);
    const after = asked(desk.venue, 'openOrders');
    await desk.clock.advance(5 * GAP_EVERY_MS);
    expect(asked(desk.venue, 'openOrders')).toBe(after);
  });
});

describe('an exchange of which now and then something cannot be read', () => {
  const bad = (asset: string) => [{ asset, free: 'soon', locked: '0' }];

  it('is compared at once, and once more after a minute when something came meanwhile; then no more', async () => {
    const desk = await started();
    const compared = () => asked(desk.venue, 'openOrders');
    desk.venue.sink?.balances(bad('A'));
    await desk.clock.settle();
    expect(compared()).toBe(1);
    await desk.clock.advance(1_000);
    desk.venue.sink?.balances(bad('A'));
    await desk.clock.advance(58_999);
    expect(compared()).toBe(1);
    await desk.clock.advance(1);
    expect(compared()).toBe(2);
    await desk.clock.advance(5 * 60_000);
    expect(compared()).toBe(2);
    desk.venue.sink?.balances(bad('A'));
    await desk.clock.settle();
    expect(compared()).toBe(3);
    await within(desk.clock, 10_000, desk.core.stop());
    expect(desk.clock.pendingTimers).toBe(0);
  });

  it('is told of each field once a minute, with how often it was; of a hundred fields', async () => {
    const desk = await started();
    const say = (asset: string) => desk.venue.sink?.balances(bad(asset));
    const lines = () =>
      unreadLines(desk)
        .map(({ text }) => text)
        .filter((text) => text.includes('"A"'));
    for (let n = 0; n < 3; n++) say('A');
    expect(lines()).toHaveLength(1);
    await desk.clock.advance(59_999);
    say('A');
    expect(lines()).toHaveLength(1);
    await desk.clock.advance(1);
    say('A');
    expect(lines()).toHaveLength(2);
    expect(lines()[1]).toContain('cannot be read (and 3 times before)');
    for (let n = 0; n < 99; n++) say(`B${n}`);
    say('A');
    expect(lines()).toHaveLength(2);
    // One more pushes the oldest out: that one counts as never reported.
    say('C');
    say('A');
    expect(lines()).toHaveLength(3);
    expect(lines()[2]).not.toContain('times before');
  });

  it('is compared as a whole all the same, but says that something may differ, and is not asked over and over', async () => {
    const desk = await started();
    desk.venue.onBalances = async () => [{ asset: 'USDT', free: '5', locked: '0' }, ...bad('A')];
    const link = desk.core.links.get(SPOT);
    await within(desk.clock, 60_000, link?.reconcile() ?? Promise.resolve());
    expect([link?.hasGap, link?.reconciled?.whole]).toEqual([false, false]);
    await desk.clock.advance(10 * 60_000);
    expect(asked(desk.venue, 'openOrders')).toBe(1);
    desk.venue.onBalances = async () => [{ asset: 'USDT', free: '6', locked: '0' }];
    await within(desk.clock, 60_000, link?.reconcile() ?? Promise.resolve());
    expect(link?.reconciled).toEqual({ at: desk.clock.wall(), whole: true });
  });

  it('tells its own health, or that it tells none', async () => {
    const plain = await started();
    expect(plain.core.links.get(SPOT)?.venue.health()).toEqual({ clockOffsetMs: null, budgets: [] });
    const health = { clockOffsetMs: 12, budgets: [{ name: 'weight', used: 3, limit: 10 }] } as never;
    const telling = await started(Object.assign(new OtherVenue(), { health: () => health }));
    expect(telling.core.links.get(SPOT)?.venue.health()).toBe(health);
  });

  it('has its latency measured by each answered call, and none before the first', async () => {
    const desk = await started();
    const link = desk.core.links.get(SPOT);
    let told = 0;
    desk.core.onChange(({ kind }) => {
      if (kind === 'accounts') told += 1;
    });
    expect(link?.requests.latencyMs).toBeNull();
    for (const ms of [120, 45]) {
      desk.venue.onSubmit = (order) =>
        new Promise((resolve) =>
          desk.clock.after(ms, () => resolve({ kind: 'accepted', state: stateOf(order) })),
        );
      await within(desk.clock, 1_000, place(desk.core));
      expect(link?.requests.latencyMs).toBe(ms);
    }
    expect(told).toBe(2);
  });
});

describe('what an exchange tells of a symbol that none here can be called', () => {
  const position = (symbol: string) => ({ ...positionOf(symbol, '-2', 6), liquidationPrice: '70000' });
  const aliens = ({ core }: OtherDesk) => core.log.filter(({ text }) => text.includes('no name of a market'));

  it('is left out and said; the comparison is whole, and no gap', async () => {
    const desk = await started();
    desk.venue.onBalances = async () => [
      { asset: 'USDT', free: '5', locked: '0' },
      { asset: ALIEN, free: '1', locked: '0' },
    ];
    desk.venue.onOpenOrders = async () => [stateOf({ clientId: 'web_9', symbol: ALIEN })];
    const link = desk.core.links.get(SPOT);
    await within(desk.clock, 60_000, link?.reconcile() ?? Promise.resolve());
    expect(freeOf(desk, 'USDT')).toBe(dec('5'));
    expect(freeOf(desk, ALIEN)).toBeUndefined();
    expect(link?.reconciled).toEqual({ at: desk.clock.wall(), whole: true });
    expect(aliens(desk)).toHaveLength(2);
    const before = asked(desk.venue, 'openOrders');
    desk.venue.sink?.order(stateOf({ clientId: 'web_9', symbol: ALIEN }));
    desk.venue.sink?.fill({ ...FILL, symbol: ALIEN });
    desk.venue.sink?.balances([{ asset: ALIEN, free: '2', locked: '0' }]);
    await desk.clock.advance(5 * GAP_EVERY_MS);
    expect(asked(desk.venue, 'openOrders')).toBe(before);
    expect([desk.core.engine.memory.orders.size, desk.fatal]).toEqual([0, []]);
  });

  it('hides no position of ours', async () => {
    const venue = new OtherVenue('other-futures', 'futures');
    const futures = venue.futures as NonNullable<typeof venue.futures>;
    Object.assign(futures, { positions: async () => [position('BTCUSDT'), position(ALIEN)] });
    const desk = await started(venue);
    const { futures: known } = desk.core.engine.memory.account('other-futures');
    expect([...(known?.positions.keys() ?? [])]).toEqual(['BTCUSDT BOTH']);
  });
});

describe('an answer that cannot be read', () => {
  it('proves nothing: no order is taken for gone, and the comparison is not whole', async () => {
    const desk = await started();
    await within(desk.clock, 1_000, place(desk.core));
    const [order] = desk.core.engine.memory.orders.values();
    desk.venue.calls.length = 0;
    desk.venue.onOpenOrders = async () => [{ ...stateOf({ clientId: 'x', symbol: 'Y' }), cumQty: '?' }];
    desk.venue.onBalances = async () => [
      { asset: 'USDT', free: '5', locked: '0' },
      { asset: 'XYZ', free: '?', locked: '0' },
    ];
    await within(desk.clock, 60_000, desk.core.links.get(SPOT)?.reconcile() ?? Promise.resolve());
    expect(asked(desk.venue, 'query')).toBe(0);
    expect(order?.status).toBe('OPENED');
    expect(freeOf(desk, 'USDT')).toBe(dec('5'));
    expect(desk.core.links.get(SPOT)?.reconciled?.whole).toBe(false);
    expect(desk.fatal).toEqual([]);
  });

  it('to a send, a cancel or a question is an unknown outcome, which is asked for with back-off', async () => {
    const desk = await started();
    const bad = { ...stateOf({ clientId: 'a', symbol: 'BTCUSDT' }), origQty: 'many' };
    desk.venue.onSubmit = async () => ({ kind: 'accepted', state: bad });
    desk.venue.onQuery = async () => ({ kind: 'found', state: bad, fills: [] });
    const answer = await within(desk.clock, 1_000, place(desk.core));
    expect(JSON.parse(answer.body)).toMatchObject({
      data: { status: 'NEW', specific: { unresolved: true } },
    });
    await desk.clock.advance(60_000);
    expect(desk.fatal).toEqual([]);
    expect(asked(desk.venue, 'submit')).toBe(1);
    expect(asked(desk.venue, 'query')).toBeLessThan(20);
    desk.venue.onQuery = async () => ({ kind: 'found', state: { ...bad, origQty: '0.01' }, fills: [] });
    await desk.clock.advance(20_000);
    expect([...desk.core.engine.memory.orders.values()][0]?.status).toBe('OPENED');
  });
});
