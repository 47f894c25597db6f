/** A spot account of Binance against the emulator: the sent requests, and the reading of the responses. */
import { describe, expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import type { ExchangeOrder } from '../../../src/domain/exchange.ts';
import { TEST_ED25519_KEY, TEST_ED25519_PRIVATE_PEM } from '../../emulators/binance/keys.ts';
import { SpotCase, secretsOf } from './spot-support.ts';

const LIMIT: Partial<ExchangeOrder> = { quantity: '0.01', price: '59000' };

describe('a spot account', () => {
  it('opens, places an order, is filled, cancels another, and knows its balances', async () => {
    const c = await new SpotCase().open();
    expect(c.stream).toEqual(['up']);
    expect(c.venue.instruments().map(({ symbol }) => symbol)).toContain('BTCUSDT');
    const placed = await c.submit(LIMIT);
    expect(placed).toMatchObject({ kind: 'accepted', state: { status: 'WORKING', cumQty: '0' } });
    await c.print('58999');
    expect(c.fills).toMatchObject([{ qty: '0.01', price: '59000', maker: true, commAsset: 'BTC' }]);
    expect(c.states.at(-1)).toMatchObject({ status: 'FILLED', clientId: 'bs-test-1', cumQty: '0.01' });
    await c.submit({ quantity: '0.02', price: '50000' });
    const cancelled = await c.result(c.venue.cancel({ clientId: 'bs-test-2', symbol: 'BTCUSDT' }));
    expect(cancelled).toMatchObject({ kind: 'done', state: { status: 'CANCELLED', clientId: 'bs-test-2' } });
    const balances = await c.result(c.venue.balances());
    expect(balances?.find(({ asset }) => asset === 'USDT')).toMatchObject({ free: '99410', locked: '0' });
    expect(await c.result(c.venue.openOrders())).toEqual([]);
  });

  it('names a symbol that is there and cannot be read, in the first list too', async () => {
    const c = new SpotCase();
    const request = c.net.request.bind(c.net);
    c.net.request = async (asked) => {
      const answer = await request(asked);
      if (!('body' in answer) || !asked.path.includes('/exchangeInfo')) return answer;
      const list = JSON.parse(answer.body) as { symbols: { symbol: string; status: string }[] };
      const symbols = list.symbols.map((one) => (one.symbol === 'ADAUSDT' ? { ...one, status: 'ODD' } : one));
      return { ...answer, body: JSON.stringify({ ...list, symbols }) };
    };
    await c.open();
    expect(c.venue.instruments().map(({ symbol }) => symbol)).not.toContain('ADAUSDT');
    expect(c.venue.unreadSymbols?.()).toEqual(['ADAUSDT']);
  });

  it('signs with an Ed25519 key, requests and the subscription alike', async () => {
    const secrets = secretsOf(TEST_ED25519_KEY.apiKey, TEST_ED25519_PRIVATE_PEM);
    const c = await new SpotCase({ secrets }).open();
    expect(await c.submit(LIMIT)).toMatchObject({ kind: 'accepted' });
    await c.print('58000');
    expect(c.fills).toHaveLength(1);
  });

  it.each<[string, Partial<ExchangeOrder>, status: string, type: string]>([
    ['LIMIT', { type: 'LIMIT', ...LIMIT }, 'WORKING', 'LIMIT'],
    ['LIMIT that is IOC', { type: 'LIMIT', ...LIMIT, timeInForce: 'IOC' }, 'CANCELLED', 'LIMIT'],
    ['LIMIT that is FOK', { type: 'LIMIT', ...LIMIT, timeInForce: 'FOK' }, 'CANCELLED', 'LIMIT'],
    ['LIMIT_MAKER', { type: 'LIMIT_MAKER', ...LIMIT }, 'WORKING', 'LIMIT_MAKER'],
    ['iceberg', { type: 'LIMIT', ...LIMIT, icebergQty: '0.002' }, 'WORKING', 'LIMIT'],
    ['MARKET', { type: 'MARKET', quantity: '0.01' }, 'FILLED', 'MARKET'],
    ['MARKET for an amount', { type: 'MARKET', quoteOrderQty: '600' }, 'FILLED', 'MARKET'],
    [
      'STOP_LIMIT',
      { type: 'STOP_LIMIT', quantity: '0.01', price: '62000', stopPrice: '61000' },
      'PENDING',
      'STOP_LIMIT',
    ],
    [
      'TAKE_PROFIT_LIMIT',
      { type: 'TAKE_PROFIT_LIMIT', quantity: '0.01', price: '59000', stopPrice: '58000' },
      'PENDING',
      'TAKE_PROFIT_LIMIT',
    ],
    [
      'STOP_MARKET where it is listed',
      { symbol: 'ADAUSDT', type: 'STOP_MARKET', quantity: '100', stopPrice: '0.5' },
      'PENDING',
      'STOP_MARKET',
    ],
    [
      'TAKE_PROFIT_MARKET where it is listed',
      { symbol: 'ADAUSDT', type: 'TAKE_PROFIT_MARKET', quantity: '100', stopPrice: '0.3' },
      'PENDING',
      'TAKE_PROFIT_MARKET',
    ],
    [
      'trailing stop where STOP_LOSS is listed',
      { symbol: 'ADAUSDT', type: 'STOP_MARKET', side: 'SELL', quantity: '100', trailingDelta: 250 },
      'PENDING',
      'STOP_MARKET',
    ],
  ])('places %s, and answers, events and questions say the same of it', async (_, order, status, type) => {
    const c = await new SpotCase().open();
    const placed = await c.submit(order);
    if (placed.kind !== 'accepted') throw new Error(JSON.stringify(placed));
    expect(placed.state).toMatchObject({ status, terms: { type } });
    await c.clock.advance(100);
    const { clientId, symbol } = placed.state;
    const found = await c.result(c.venue.query({ clientId, symbol }));
    if (found.kind !== 'found') throw new Error(JSON.stringify(found));
    expect(found.state).toMatchObject({ status, terms: placed.state.terms });
    expect(c.states.at(-1)).toMatchObject({ status, terms: placed.state.terms });
    expect(c.states.at(-1)?.seq).toBe(found.state.seq);
    const byId = ({ tradeId }: { tradeId: string }, other: { tradeId: string }) =>
      tradeId < other.tradeId ? -1 : 1;
    expect(found.fills.toSorted(byId)).toEqual(c.fills.toSorted(byId));
    expect(c.reports).toEqual([]);
  });

  it('fires a stop at the exchange, and its execution is of the order that waited', async () => {
    const c = await new SpotCase().open();
    await c.submit({ type: 'STOP_LIMIT', quantity: '0.01', price: '62000', stopPrice: '61000' });
    expect(c.states.at(-1)?.status).toBe('PENDING');
    await c.print('61500');
    expect(c.fills).toMatchObject([{ clientId: 'bs-test-1', maker: false }]);
    expect(c.states.at(-1)).toMatchObject({ clientId: 'bs-test-1', status: 'FILLED' });
  });

  it.each<[string, Partial<ExchangeOrder>, reason: string]>([
    ['more than there is', { quantity: '50', price: '59000' }, 'BALANCE'],
    ['less than the least value', { quantity: '0.00001', price: '59000' }, 'NOTIONAL'],
    ['off the step', { quantity: '0.000015', price: '59000' }, 'LOT_SIZE'],
    ['off the tick', { quantity: '0.01', price: '59000.001' }, 'PRICE_FILTER'],
    ['far from the market', { quantity: '0.01', price: '10000' }, 'PERCENT_PRICE'],
    [
      'a stop that is passed',
      { type: 'STOP_LIMIT', quantity: '0.01', price: '59000', stopPrice: '58000' },
      'STOP_PASSED',
    ],
    ['post-only that would take', { type: 'LIMIT_MAKER', quantity: '0.01', price: '61000' }, 'POST_ONLY'],
    ['a symbol that is not there', { symbol: 'NOPEUSDT', ...LIMIT }, 'SYMBOL_UNKNOWN'],
    [
      'a type that the symbol does not list',
      { type: 'STOP_MARKET', quantity: '0.01', stopPrice: '61000' },
      'UNSUPPORTED',
    ],
    [
      'too many parts of an iceberg',
      { quantity: '0.01', price: '59000', icebergQty: '0.00001' },
      'MAX_ORDERS',
    ],
    ['an end date', { ...LIMIT, goodTillDate: Date.UTC(2027, 0) }, 'UNSUPPORTED'],
    ['a limit without a price', { quantity: '0.01' }, 'UNSUPPORTED'],
  ])('says why an order is refused: %s', async (_, order, reason) => {
    const c = await new SpotCase().open();
    expect(await c.submit(order)).toMatchObject({ kind: 'rejected', reason });
    expect(await c.result(c.venue.openOrders())).toEqual([]);
  });

  it('does not take an id that is in use for a refusal: the order that has it may be this one, delivered twice', async () => {
    const c = await new SpotCase().open();
    await c.submit({ ...LIMIT, clientId: 'bs-same' });
    expect(await c.submit({ ...LIMIT, clientId: 'bs-same' })).toMatchObject({ kind: 'unknown' });
    expect(await c.result(c.venue.query({ symbol: 'BTCUSDT', clientId: 'bs-same' }))).toMatchObject({
      kind: 'found',
      state: { status: 'WORKING' },
    });
  });

  it('speaks of symbols in any letters', async () => {
    const c = await new SpotCase().open();
    const symbol = '币安人生USDT';
    expect(await c.submit({ symbol, quantity: '100', price: '0.11' })).toMatchObject({ kind: 'accepted' });
    await c.print('0.1', symbol);
    expect(c.fills).toMatchObject([{ symbol, price: '0.11' }]);
    expect(await c.result(c.venue.fills({ symbol, after: null, since: 0 }))).toMatchObject({
      fills: [{ symbol }],
    });
  });

  it('knows which account it is, what its key may do and what it pays', async () => {
    const c = await new SpotCase().open();
    expect(await c.result(c.venue.identity?.() ?? Promise.resolve(null))).toEqual({
      id: expect.stringMatching(/^\d+$/),
    });
    expect(await c.result(c.venue.permissions?.() ?? Promise.resolve(null))).toEqual({
      trade: true,
      withdraw: false,
      transfer: false,
      addresses: [],
      expiresAt: null,
    });
    expect(await c.result(c.venue.feeRates?.() ?? Promise.resolve(null))).toEqual({
      maker: '0.001',
      taker: '0.001',
    });
  });

  it('cannot say what its key may do, nor convert, where there is no money', () => {
    for (const environment of ['testnet', 'demo'] as const) {
      const { venue } = new SpotCase({ environment });
      expect([venue.permissions, venue.conversion]).toEqual([undefined, undefined]);
    }
  });

  it('converts small balances into BNB, once in six hours', async () => {
    const c = await new SpotCase({
      settings: { spotBalances: { USDT: '1000', DOGE: '20', ADA: '10' } },
    }).open();
    const { conversion } = c.venue;
    if (!conversion) throw new Error('it converts nothing');
    const list = await c.result(conversion.list());
    expect(list?.assets.map(({ asset, toAsset }) => `${asset} ${toAsset}`).sort()).toEqual([
      'ADA BNB',
      'DOGE BNB',
    ]);
    expect(await c.result(conversion.convert(['DOGE'], 'USDT'))).toMatchObject({ kind: 'rejected' });
    expect(conversion.waitMs()).toBe(0);
    const done = await c.result(conversion.convert(['DOGE', 'ADA']));
    expect(done).toMatchObject({ kind: 'done', dust: { toAsset: 'BNB', converted: [{}, {}] } });
    expect(conversion.waitMs()).toBeGreaterThan(5 * 3_600_000);
    const balances = await c.result(c.venue.balances());
    // A balance that is gone is reported as zero, though the exchange leaves it out.
    expect(
      balances
        ?.filter(({ free }) => free !== '0')
        .map(({ asset }) => asset)
        .sort(),
    ).toEqual(['BNB', 'USDT']);
    expect(balances).toContainEqual(expect.objectContaining({ asset: 'ADA', free: '0', locked: '0' }));
  });

  it('tells money that comes in as balances and as an entry of the ledger, once', async () => {
    const c = await new SpotCase().open();
    const first = await c.result(
      c.venue.ledger?.({ after: null, since: 0, limit: 10 }) ?? Promise.resolve(null),
    );
    c.emulator.spot.transfer('main', 'USDT', dec('250.5'));
    await c.clock.advance(50);
    expect(c.balances.at(-1)).toMatchObject({ asset: 'USDT', free: '100250.5' });
    expect(c.moved).toBe(1);
    const page = await c.result(
      c.venue.ledger?.({ after: first?.next ?? null, since: 0, limit: 10 }) ?? Promise.resolve(null),
    );
    expect(page?.rows).toMatchObject([{ asset: 'USDT', amount: '250.5', kind: 'transfer' }]);
    const again = c.venue.ledger?.({ after: page?.next ?? null, since: 0, limit: 10 });
    expect(await c.result(again ?? Promise.resolve(null))).toMatchObject({ rows: [], more: false });
  });

  it('reads executions from where they are known, page by page', async () => {
    const c = await new SpotCase().open();
    for (let i = 0; i < 3; i += 1) await c.submit({ type: 'MARKET', quantity: '0.001' });
    await c.clock.advance(100);
    const all = await c.result(c.venue.fills({ symbol: 'BTCUSDT', after: null, since: 0 }));
    expect(all?.fills.map(({ tradeId }) => tradeId)).toEqual(c.fills.map(({ tradeId }) => tradeId));
    expect(all?.more).toBe(false);
    await c.submit({ type: 'MARKET', quantity: '0.001' });
    const more = await c.result(c.venue.fills({ symbol: 'BTCUSDT', after: all?.next ?? null, since: 0 }));
    expect(more?.fills.map(({ tradeId }) => tradeId)).toEqual([c.fills.at(-1)?.tradeId]);
    const none = await c.result(c.venue.fills({ symbol: 'BTCUSDT', after: more?.next ?? null, since: 0 }));
    expect(none).toEqual({ fills: [], next: more?.next, more: false });
    expect(await c.result(c.venue.fills({ symbol: 'ETHUSDT', after: null, since: 0 }))).toEqual({
      fills: [],
      next: null,
      more: false,
    });
  });

  it('takes less of an order in its place, and nothing else', async () => {
    const c = await new SpotCase().open();
    await c.submit({ ...LIMIT, clientId: 'bs-a' });
    const ref = { clientId: 'bs-a', symbol: 'BTCUSDT' };
    const amend = (change: { quantity?: string; price?: string }) => {
      const asked = c.venue.amend?.(ref, change);
      if (!asked) throw new Error('it amends nothing');
      return c.result(asked);
    };
    expect(await amend({ quantity: '0.004' })).toMatchObject({
      kind: 'done',
      state: { clientId: 'bs-a', origQty: '0.004', status: 'WORKING' },
    });
    await c.clock.advance(20);
    expect(c.states.at(-1)).toMatchObject({ clientId: 'bs-a', origQty: '0.004' });
    expect(await amend({ quantity: '0.02' })).toMatchObject({ kind: 'rejected' });
    expect(await amend({ price: '58000' })).toMatchObject({ kind: 'rejected', reason: 'UNSUPPORTED' });
    await c.print('58000');
    expect(c.fills).toMatchObject([{ clientId: 'bs-a', qty: '0.004' }]);
    expect(await amend({ quantity: '0.002' })).toMatchObject({ kind: 'gone', state: { status: 'FILLED' } });
  });

  it('cancels all of a symbol with one request, and none is no matter', async () => {
    const c = await new SpotCase().open();
    await c.submit(LIMIT);
    await c.submit({ type: 'STOP_LIMIT', quantity: '0.01', price: '62000', stopPrice: '61000' });
    await c.submit({ symbol: 'ETHUSDT', quantity: '1', price: '2000' });
    const sent = c.requests.length;
    const all = c.venue.cancelAll?.('BTCUSDT');
    expect(await c.result(all ?? Promise.resolve(null))).toMatchObject({
      kind: 'done',
      states: [{ clientId: 'bs-test-1', status: 'CANCELLED' }, { clientId: 'bs-test-2' }],
    });
    expect(c.requests.length - sent).toBe(1);
    expect(await c.result(c.venue.openOrders())).toMatchObject([{ clientId: 'bs-test-3' }]);
    const none = c.venue.cancelAll?.('BTCUSDT');
    expect(await c.result(none ?? Promise.resolve(null))).toEqual({ kind: 'done', states: [] });
  });

  it('finds how an order has ended that is gone, and that one was never there', async () => {
    const c = await new SpotCase().open();
    await c.submit(LIMIT);
    await c.print('58000');
    const gone = await c.result(c.venue.cancel({ clientId: 'bs-test-1', symbol: 'BTCUSDT' }));
    expect(gone).toMatchObject({ kind: 'gone', state: { status: 'FILLED', cumQty: '0.01' } });
    const nobody = { clientId: 'bs-never', symbol: 'BTCUSDT' };
    expect(await c.result(c.venue.cancel(nobody))).toEqual({ kind: 'gone', state: null });
    expect(await c.result(c.venue.query(nobody))).toEqual({ kind: 'absent' });
  });

  it('tells orders of others with their own ids, and what they are', async () => {
    const c = await new SpotCase().open();
    const params = {
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'LIMIT',
      timeInForce: 'GTC',
      quantity: '0.1',
      price: '70000',
    };
    const { body } = c.ask('POST', '/api/v3/order', { ...params, newClientOrderId: 'web_1' });
    await c.clock.advance(20);
    expect(c.states.at(-1)).toMatchObject({
      clientId: 'web_1',
      venueIds: [String(body.orderId)],
      status: 'WORKING',
      terms: { side: 'SELL', type: 'LIMIT', price: '70000', timeInForce: 'GTC' },
    });
    c.ask('DELETE', '/api/v3/order', {
      symbol: 'BTCUSDT',
      origClientOrderId: 'web_1',
      newClientOrderId: 'web_2',
    });
    await c.clock.advance(20);
    expect(c.states.at(-1)).toMatchObject({ clientId: 'web_1', status: 'CANCELLED' });
  });
});
