/**
 * The WebSocket of a whole desk: each message of the specification as it comes, and what each filter lets
 * through.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { WsSigner } from '../../api/ws/session-rig.ts';
import { StreamClient } from '../../api/ws/support.ts';
import { ok } from '../integration/support.ts';
import { type ContractDesk, DECIMAL, FUTURES, openContractDesk, RESTING, SPOT } from './support.ts';

type Body = Record<string, unknown>;

const signer = new WsSigner(21);
const decimal = expect.stringMatching(DECIMAL);
const MARKET = { exchange: SPOT, symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.1' };
const LONG = { ...MARKET, exchange: FUTURES };

let t: ContractDesk;
beforeEach(async () => {
  t = await openContractDesk();
  ok(await t.call('keys.register', { label: 'stream', tier: 'read', publicKey: signer.keyId }));
});

const connected = () => StreamClient.open(t.desk.info.wsUrl, signer, () => t.clock.wall());

/** An authenticated client with these subscriptions. */
async function listening(...args: Body[]): Promise<StreamClient> {
  const client = await connected();
  await client.authenticate();
  for (const one of args) await client.subscribe(one);
  return client;
}

const placed = (body: Body) => t.data('POST', '/v2/orders', body);
const told = (client: StreamClient) =>
  client.all('update.orders').map(({ data }) => `${data.event} ${data.order.status}`);

describe('the messages of the server', () => {
  // proves: ws-message challenge, ws-message auth, ws-message pong, ws-message subscribed
  // proves: ws-message unsubscribed, ws-message error, rule ws-ts, rule ws-id-echo, rule ws-json-op
  // proves: rule ws-challenge, rule ws-auth-reply, ws-op auth, ws-op ping, ws-op subscribe, ws-op unsubscribe
  // proves: rule ws-error-fields, S15, S31, rule version-in-path
  it('have op, ts and their fields, replies the id of the question', async () => {
    expect(t.desk.info.wsUrl).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/api\/v2\/ws$/);
    const client = await connected();
    const ts = t.clock.wall();
    client.send({ op: 'subscribe', id: 'early', args: { channel: 'orders' } });
    client.send({ op: 'auth', id: 'a', args: signer.args(client.challenge, ts) });
    client.send({ op: 'ping', id: 'p' }).send({ op: 'ping' });
    const args = { channel: 'orders', exchange: SPOT };
    client.send({ op: 'subscribe', id: 's', args });
    client.send({ op: 'unsubscribe', id: 'u', args });
    client.send({ op: 'subscribe', id: 'x', args: { channel: 'candles' } });
    await client.settle();
    expect(client.messages.slice(0, -1)).toEqual([
      { op: 'challenge', ts, data: { challenge: expect.stringMatching(/^[0-9a-f]{32,}$/) } },
      {
        op: 'error',
        id: 'early',
        ts,
        data: { code: 'AUTH_REQUIRED', message: expect.any(String), op: 'subscribe' },
      },
      { op: 'auth', id: 'a', ts, data: { authenticated: true, userId: 'owner' } },
      { op: 'pong', id: 'p', ts },
      { op: 'pong', ts },
      { op: 'subscribed', id: 's', ts, channel: 'orders' },
      { op: 'unsubscribed', id: 'u', ts, channel: 'orders' },
      {
        op: 'error',
        id: 'x',
        ts,
        data: { code: 'INVALID_ARGS', message: expect.any(String), op: 'subscribe' },
      },
    ]);
  });

  // proves: ws-message update.orders, rule ws-order-create, rule ws-order-update, rule every-change-is-told
  // proves: rule ws-update-ops, ws-channel orders, state none to NEW, state NEW to OPENED
  // proves: state OPENED to CLOSED, state open to CANCELLED, S13, S30, rule no-fill-events
  it('tell of an order once that it is made, and of each later change', async () => {
    const client = await listening({ channel: 'orders' });
    const order = await placed({ ...RESTING, price: '59000', quantity: '0.2' });
    await client.settle();
    expect(client.all('update.orders')[0]).toEqual({
      op: 'update.orders',
      ts: t.clock.wall(),
      channel: 'orders',
      data: { event: 'ORDER_CREATE', order: { ...order, status: 'NEW', isWorking: false } },
    });
    await t.moveTo('59000');
    const gone = await placed(RESTING);
    await t.data('DELETE', `/v2/orders/${gone.id}?exchange=${SPOT}`);
    await placed(MARKET);
    await t.ask('POST', '/v2/orders', { ...RESTING, type: 'LIMIT_MAKER', price: '59500' });
    await client.settle();
    expect(told(client)).toEqual([
      'ORDER_CREATE NEW',
      'ORDER_UPDATE OPENED',
      'ORDER_UPDATE CLOSED',
      'ORDER_CREATE NEW',
      'ORDER_UPDATE OPENED',
      'ORDER_UPDATE CANCELLED',
      'ORDER_CREATE NEW',
      'ORDER_UPDATE OPENED',
      'ORDER_UPDATE CLOSED',
      'ORDER_CREATE NEW',
      'ORDER_UPDATE ERROR',
    ]);
    const filled = client.all('update.orders')[2]?.data.order;
    expect(filled).toMatchObject({ id: order.id, executedQty: '0.2', fillPrice: '59000' });
    expect(new Set(client.messages.map(({ op }) => op))).toEqual(
      new Set(['challenge', 'auth', 'subscribed', 'pong', 'update.orders']),
    );
  });

  // proves: state OPENED to CANCELLED by split
  it('tell of a split as one order that goes and others that come', async () => {
    const { id } = await placed({ ...RESTING, quantity: '0.1' });
    const client = await listening({ channel: 'orders' });
    await t.data('POST', `/v2/orders/${id}/split`, { exchange: SPOT, prices: ['49000', '48000'] });
    await client.settle();
    expect(told(client).sort()).toEqual([
      'ORDER_CREATE NEW',
      'ORDER_CREATE NEW',
      'ORDER_UPDATE CANCELLED',
      'ORDER_UPDATE OPENED',
      'ORDER_UPDATE OPENED',
    ]);
  });

  // proves: ws-message update.balance, rule ws-balance-changes, rule ws-balance-market, ws-channel balance
  // proves: rule ws-balance-total, rule ws-update-ops, S13, S14
  it('tell of balances in one shape for spot and futures, the latter with totals', async () => {
    const client = await listening({ channel: 'balance' });
    await placed({ ...RESTING, price: '59000', quantity: '0.1' });
    await placed(LONG);
    await client.settle();
    const updates = client.all('update.balance');
    const of = (exchange: string) => updates.filter(({ data }) => data.exchange === exchange).at(-1);
    expect(of(SPOT)).toEqual({
      op: 'update.balance',
      ts: t.clock.wall(),
      channel: 'balance',
      data: {
        event: 'BALANCE_UPDATE',
        exchange: SPOT,
        marketType: 'spot',
        changes: {
          USDT: { free: '94100', wallet: '100000', locked: '5900', usd: '100000.00' },
        },
      },
    });
    const amount = { free: decimal, wallet: decimal, locked: decimal, usd: decimal };
    expect(of(FUTURES)?.data).toEqual({
      event: 'BALANCE_UPDATE',
      exchange: FUTURES,
      marketType: 'futures',
      changes: { USDT: amount },
      total: {
        ts: t.clock.wall(),
        mmr: decimal,
        imr: decimal,
        upnl: decimal,
        crossUpnl: decimal,
        crossWallet: decimal,
      },
    });
    expect(of(FUTURES)?.data.changes.USDT?.wallet).toBe(
      (await t.data('GET', `/v2/portfolio?exchange=${FUTURES}`)).balances[0].wallet,
    );
  });

  // proves: ws-message update.positions, rule ws-position-changes, ws-channel positions, rule ws-update-ops, S14
  it('tell of positions what has changed, without a market type', async () => {
    const client = await listening({ channel: 'positions' });
    await placed(LONG);
    await client.settle();
    const [first] = client.all('update.positions');
    const [position] = Object.values<Body>(await t.data('GET', '/v2/portfolio/positions'));
    expect(first).toEqual({
      op: 'update.positions',
      ts: t.clock.wall(),
      channel: 'positions',
      data: { event: 'POSITION_UPDATE', exchange: FUTURES, changes: { BTCUSDT: position } },
    });
    await placed(LONG);
    await client.settle();
    const change = client.all('update.positions').at(-1)?.data.changes.BTCUSDT ?? {};
    expect(change).toMatchObject({ symbol: 'BTCUSDT', side: 'BOTH', amount: '0.2' });
    expect(change).not.toHaveProperty('leverage');
    expect(Object.keys(change).length).toBeLessThan(Object.keys(position ?? {}).length);
    await placed(MARKET);
    await client.settle();
    expect(client.all('update.positions').every(({ data }) => data.exchange === FUTURES)).toBe(true);
  });
});

/** The events that pass each filter, out of an order and a balance on each account and a position. */
const FILTERS: [filter: Body, orders: string[], others: string[]][] = [
  [{ channel: 'orders' }, [SPOT, FUTURES], []],
  [{ channel: 'orders', exchange: SPOT }, [SPOT], []],
  [{ channel: 'orders', exchange: FUTURES, symbol: 'BTCUSDT' }, [FUTURES], []],
  [{ channel: 'orders', exchange: SPOT, symbol: 'ETHUSDT' }, [], []],
  [{ channel: 'orders', symbol: 'BTCUSDT' }, [], []],
  [{ channel: 'orders', exchange: 'binance-spot' }, [], []],
  [{ channel: 'balance' }, [], [SPOT, FUTURES]],
  [{ channel: 'balance', exchange: FUTURES }, [], [FUTURES]],
  [{ channel: 'balance', exchange: SPOT, symbol: 'BTCUSDT' }, [], []],
  [{ channel: 'balance', symbol: 'BTCUSDT' }, [], []],
  [{ channel: 'positions' }, [], [FUTURES]],
  [{ channel: 'positions', exchange: FUTURES }, [], [FUTURES]],
  [{ channel: 'positions', exchange: SPOT }, [], []],
  [{ channel: 'positions', exchange: FUTURES, symbol: 'BTCUSDT' }, [], []],
  [{ channel: 'botStatus' }, [], []],
  [{ channel: 'botStatus', exchange: SPOT }, [], []],
];

describe('a subscription', () => {
  // proves: rule ws-filter-exchange, rule ws-filter-symbol, rule ws-filter-bot-status, S45
  // proves: ws-channel orders, ws-channel balance, ws-channel positions, ws-channel botStatus
  it.each(FILTERS)(
    'to %o is acknowledged and hears of orders on %j, of the rest on %j',
    async (filter, orders, others) => {
      const client = await listening(filter);
      await placed(MARKET);
      await placed(LONG);
      await client.settle();
      const exchanges = (list: { data: { exchange: string } }[]) => list.map(({ data }) => data.exchange);
      const ofOrders = client.all('update.orders').map(({ data }) => data.order.exchange);
      const rest = [...exchanges(client.all('update.balance')), ...exchanges(client.all('update.positions'))];
      expect([...new Set(ofOrders)].sort()).toEqual([...orders].sort());
      expect([...new Set(rest)].sort()).toEqual([...others].sort());
    },
  );

  // proves: rule ws-one-socket
  it('is one of several on one socket, which carries every channel', async () => {
    const channels = ['orders', 'balance', 'positions', 'botStatus'];
    const client = await listening(...channels.map((channel) => ({ channel })));
    await placed(LONG);
    await client.settle();
    for (const op of ['update.orders', 'update.balance', 'update.positions'] as const) {
      expect(client.all(op).length, op).toBeGreaterThan(0);
    }
  });

  // proves: rule ws-not-persisted, rule ws-challenge-single-use, rule ws-reconnect
  it('ends with its connection: the next one has a challenge of its own and hears of nothing', async () => {
    const first = await listening({ channel: 'orders' });
    first.ws.terminate();
    await first.end();
    const second = await listening();
    expect(second.challenge).not.toBe(first.challenge);
    await placed(MARKET);
    await second.settle();
    expect(second.all('update.orders')).toEqual([]);
    await second.send({ op: 'subscribe', args: { channel: 'orders' } }).settle();
    await placed(MARKET);
    await second.settle();
    expect(second.all('update.orders').length).toBeGreaterThan(0);
  });

  // proves: rule ws-no-public-channels, rule ws-subscribe-needs-key, ws-error AUTH_REQUIRED, rule no-market-data
  it('is for keys only, and to no channel of the market', async () => {
    const stranger = await connected();
    for (const channel of ['orders', 'balance', 'positions', 'botStatus', 'ticker', 'book']) {
      stranger.send({ op: 'subscribe', args: { channel } });
    }
    await stranger.settle();
    expect(stranger.all('error').map(({ data }) => data.code)).toEqual(Array(6).fill('AUTH_REQUIRED'));
    const client = await listening();
    for (const channel of ['ticker', 'book', 'candles', 'trades', 'ORDERS', '']) {
      client.send({ op: 'subscribe', args: { channel } });
    }
    await client.settle();
    expect(client.all('error').map(({ data }) => data.code)).toEqual(Array(6).fill('INVALID_ARGS'));
  });

  // proves: rule ws-unknown-op, D38
  it('apart, what nobody knows is ignored after auth and refused before', async () => {
    const client = await connected();
    client.send({ op: 'dance', id: '1' });
    await client.settle();
    expect(client.all('error')).toMatchObject([{ id: '1', data: { code: 'INVALID_ARGS' } }]);
    const other = await listening();
    const before = other.messages.length;
    other.send({ op: 'dance', id: '1' }).send({ op: 'unsubscribe all' });
    await other.settle();
    expect(other.messages.slice(before).map(({ op }) => op)).toEqual(['pong']);
  });
});
