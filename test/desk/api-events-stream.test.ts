/**
 * The stream of a whole desk: what happens on the exchanges reaches a subscriber in the order of the
 * commits.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeyRegistry } from '../../src/access/key-registry.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { Position } from '../../src/schemas/futures.ts';
import type { ServerMessage } from '../../src/schemas/stream.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { type Store, StoreError } from '../../src/store/store.ts';
import { WsSigner } from '../api/ws/session-rig.ts';
import { StreamClient } from '../api/ws/support.ts';
import {
  clientOf,
  EXCHANGE,
  flat,
  ok,
  openTestDesk,
  place,
  type TestDesk,
  type TestDeskOptions,
  temporaryFolder,
  until,
  writeCandles,
} from './integration/support.ts';

const FUTURES = 'paper-futures';

/** A desk whose market has one price and does not move. */
async function held(options: Partial<TestDeskOptions> = {}): Promise<TestDesk> {
  const feed = writeCandles({ BTCUSDT: flat('50000', 5) });
  const t = await openTestDesk({ feed, hold: true, ...options });
  await t.call('feed.control', { action: 'step' });
  return t;
}

/** An authenticated subscriber with a read key of its own. */
async function subscriber(t: TestDesk, ...channels: string[]): Promise<StreamClient & { keyId: string }> {
  const made = ok(await t.call('keys.generate', { label: `stream ${channels.join(' ')}`, tier: 'read' }));
  const signer = new WsSigner(readFileSync(made.path, 'utf8'));
  const client = await connected(t, signer, channels);
  return Object.assign(client, { keyId: signer.keyId });
}

async function connected(t: TestDesk, signer: WsSigner, channels: readonly string[]): Promise<StreamClient> {
  const client = await StreamClient.open(t.desk.info.wsUrl, signer, () => t.clock.wall());
  await client.authenticate();
  for (const channel of channels) await client.subscribe({ channel });
  return client;
}

/** Waits for a message while the desk's clock runs. */
async function heard(t: TestDesk, client: StreamClient, what: (message: ServerMessage) => boolean) {
  await until(t, async () => {
    await client.settle();
    return client.messages.some(what);
  });
}

const hasStatus = (status: string) => (message: ServerMessage) =>
  message.op === 'update.orders' && message.data.order.status === status;

/** `ORDER_CREATE NEW 0` of every update of an order. */
function steps(client: StreamClient, id: string): string[] {
  return client
    .all('update.orders')
    .filter(({ data }) => data.order.id === id)
    .map(({ data }) => `${data.event} ${data.order.status} ${data.order.executedQty}`);
}

describe('an order on the paper exchange', () => {
  // proves: rule ws-order-create, rule ws-order-update, ws-message update.orders
  it('is told from its creation to its cancellation, each change once', async () => {
    const t = await held();
    const client = await subscriber(t, 'orders');
    const { id } = await place(t, { type: 'LIMIT', side: 'BUY', price: '40000', quantity: '0.1' });
    await heard(t, client, hasStatus('OPENED'));
    await t.call('orders.cancel', { exchange: EXCHANGE, id });
    await heard(t, client, hasStatus('CANCELLED'));
    const told = steps(client, id);
    expect(told[0]).toBe('ORDER_CREATE NEW 0');
    expect(told.filter((step) => step.startsWith('ORDER_CREATE'))).toHaveLength(1);
    expect(told.filter((step) => step === 'ORDER_UPDATE CANCELLED 0')).toHaveLength(1);
    expect(told).toContain('ORDER_UPDATE OPENED 0');
    expect(told.at(-1)).toBe('ORDER_UPDATE CANCELLED 0');
  });

  it('is told as GET /orders has it', async () => {
    const t = await held();
    const client = await subscriber(t, 'orders');
    const api = await clientOf(t);
    for (const price of ['40000', '41000', '42000']) {
      await api.orders.place({
        exchange: EXCHANGE,
        symbol: 'BTCUSDT',
        side: 'BUY',
        type: 'LIMIT',
        price,
        quantity: '0.1',
      });
    }
    await client.settle();
    const last = new Map(client.all('update.orders').map(({ data }) => [data.order.id, data.order]));
    expect([...last.values()]).toEqual(await api.orders.list({ status: 'open' }));
  });

  // proves: rule ws-balance-changes, rule ws-balance-market, ws-message update.balance
  it('that fills at once is told with what it has done to the balances, as GET /portfolio has them', async () => {
    const t = await held();
    const client = await subscriber(t, 'orders', 'balance');
    const { id } = await place(t, { type: 'MARKET', side: 'BUY', quantity: '0.1' });
    await heard(t, client, hasStatus('CLOSED'));
    await heard(t, client, (m) => m.op === 'update.balance' && m.data.changes.BTC !== undefined);
    const told = steps(client, id);
    expect([told[0], told.at(-1)]).toEqual(['ORDER_CREATE NEW 0', 'ORDER_UPDATE CLOSED 0.1']);
    const last: Record<string, object> = {};
    for (const { data } of client.all('update.balance')) {
      expect(data).toMatchObject({ event: 'BALANCE_UPDATE', exchange: EXCHANGE, marketType: 'spot' });
      Object.assign(last, data.changes);
    }
    const { balances = [] } = await (await clientOf(t)).portfolio.get({ exchange: EXCHANGE });
    expect(balances.map(({ asset }) => asset)).toEqual(['BTC', 'USDT']);
    for (const { asset, free, locked, wallet, usd } of balances) {
      expect(last[asset], asset).toEqual({ free, locked, wallet, usd });
    }
  });

  it('that the desk holds itself shows in the balances while it waits', async () => {
    const t = await held();
    const client = await subscriber(t, 'balance');
    const { id } = await place(t, { type: 'STOP_MARKET', side: 'BUY', stopPrice: '60000', quantity: '0.1' });
    const locked = () => client.all('update.balance').at(-1)?.data.changes.USDT?.locked;
    await heard(t, client, () => Number(locked()) > 0);
    await t.call('orders.cancel', { exchange: EXCHANGE, id });
    await heard(t, client, () => locked() === '0');
  });
});

describe('a position on the paper exchange', () => {
  // proves: rule ws-position-changes, ws-message update.positions, rule ws-balance-total
  it('is told by its changes, which put together are what GET /portfolio/positions has', async () => {
    const t = await held();
    const client = await subscriber(t, 'positions', 'balance');
    const trade = (side: 'BUY' | 'SELL', quantity: string) =>
      place(t, { exchange: FUTURES, type: 'MARKET', side, quantity });
    /** The state of a client that applies the changes. */
    const folded = () => {
      const positions: Record<string, Partial<Position>> = {};
      for (const { data } of client.all('update.positions')) {
        expect(data).toMatchObject({ event: 'POSITION_UPDATE', exchange: FUTURES });
        expect(data).not.toHaveProperty('marketType');
        for (const [symbol, change] of Object.entries(data.changes)) {
          positions[symbol] = { ...positions[symbol], ...change };
        }
      }
      return positions;
    };
    const amount = (wanted: string) => () => folded().BTCUSDT?.amount === wanted;
    const api = await clientOf(t);
    await trade('BUY', '0.5');
    await heard(t, client, amount('0.5'));
    expect(Object.values(await api.portfolio.positions({ exchange: FUTURES }))).toEqual([folded().BTCUSDT]);
    await trade('SELL', '0.2');
    await heard(t, client, amount('0.3'));
    expect(Object.values(await api.portfolio.positions({ exchange: FUTURES }))).toEqual([folded().BTCUSDT]);
    expect(client.all('update.positions').at(-1)?.data.changes.BTCUSDT).not.toHaveProperty('entryPrice');
    await trade('SELL', '0.3');
    await heard(t, client, amount('0'));
    const { data } = client.all('update.balance').at(-1) ?? {};
    expect(data).toMatchObject({
      exchange: FUTURES,
      marketType: 'futures',
      total: { mmr: '0', imr: '0', upnl: '0' },
    });
    expect(data?.total?.crossWallet).toBe(data?.changes.USDT?.wallet);
  });
});

describe('a commit that fails', () => {
  it('is told to nobody; what is stored later is', async () => {
    let fails = false;
    let rows: readonly Row[] = [];
    const openStore = (file: string): Store => {
      const opened = openSqliteStore(file, {
        beforeCommit: () => {
          const isOrder = rows.some((row) => row.kind === 'order' && row.order.status === 'NEW');
          if (!fails || !isOrder) return;
          fails = false;
          throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
        },
      });
      const commit = opened.commit.bind(opened);
      opened.commit = (given) => {
        rows = given;
        commit(given);
      };
      return opened;
    };
    const t = await held({ ports: { openStore } });
    const client = await subscriber(t, 'orders', 'balance');
    fails = true;
    const order = { type: 'LIMIT', side: 'BUY', price: '40000', quantity: '0.1' } as const;
    await expect(place(t, order)).rejects.toThrow('SERVICE_UNAVAILABLE');
    await client.settle();
    expect(client.all('update.orders')).toEqual([]);
    const { id } = await place(t, order);
    await heard(t, client, hasStatus('OPENED'));
    expect(steps(client, id)).toEqual(['ORDER_CREATE NEW 0', 'ORDER_UPDATE OPENED 0']);
    expect(client.all('update.balance').at(-1)?.data.changes.USDT?.locked).toBe('4000');
  });
});

describe('a key revoked at a console', () => {
  // proves: ws-close 4003, ws-error KEY_REVOKED
  it('closes its sockets, which the console is told', async () => {
    const t = await held();
    const client = await subscriber(t, 'orders');
    const other = await subscriber(t, 'balance');
    const { closedSockets } = ok(await t.call('keys.revoke', { id: client.keyId }));
    expect(closedSockets).toBe(1);
    expect(await client.end()).toEqual({ code: 4003, reason: 'KEY_REVOKED' });
    await other.settle();
  });
});

describe('two users of a desk', () => {
  // proves: rule ws-per-user
  it('are told each of their own', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const id = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url');
    mkdirSync(dataDir, { mode: 0o700, recursive: true });
    const store = openSqliteStore(join(dataDir, 'outcry.db'));
    store.commit(
      ok(new KeyRegistry().register({ label: 'theirs', tier: 'read', user: 'second' }, id, 1)).rows,
    );
    store.close();
    const accounts = [
      { id: EXCHANGE, name: 'Paper spot', kind: 'spot', user: 'second' },
      { id: FUTURES, name: 'Paper futures', kind: 'futures' },
    ] as const;
    const t = await held({ dataDir, ports: { accounts } });
    const mine = await subscriber(t, 'orders', 'balance', 'positions');
    const signer = new WsSigner(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
    const theirs = await connected(t, signer, ['orders', 'balance', 'positions']);
    await place(t, { exchange: FUTURES, type: 'MARKET', side: 'BUY', quantity: '0.5' });
    await heard(t, mine, (message) => message.op === 'update.positions');
    await theirs.settle();
    expect(mine.all('update.orders').length).toBeGreaterThan(0);
    expect(theirs.messages.filter(({ op }) => op.startsWith('update.'))).toEqual([]);
  });
});
