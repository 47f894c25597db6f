/**
 * Twenty SIGKILLs at random moments under load: every acknowledged change is there, once, and the money adds
 * up. testing.md, invariants 1 to 4, 7, 9, 11.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { dec, mul, str } from '../../../src/domain/decimal.ts';
import { marketKey } from '../../../src/domain/exchange.ts';
import type { FillRecord } from '../../../src/domain/order.ts';
import type { Order } from '../../../src/schemas/order.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { seedOr } from '../../support/seeds.ts';
import {
  clientOf,
  type DeskProcess,
  EXCHANGE,
  generateKey,
  startDesk,
  temporaryFolder,
  until,
} from '../support/desk-process.ts';
import { OrderLoad, type SentRequest, SYMBOLS } from '../support/order-load.ts';
import { seeded } from '../support/seeded.ts';

/** The seed of all actions; the moments of the kills are in real time. */
const FIXED_SEED = 20_260_106;
const KILLS = 20;
const TERMINAL = new Set(['CLOSED', 'CANCELLED', 'ERROR']);

it(`keeps every promise over ${KILLS} kills`, async () => {
  await run(seeded(seedOr(FIXED_SEED)));
});

async function run(random: () => number): Promise<void> {
  const dataDir = join(temporaryFolder(), 'data');
  let desk = await startDesk(dataDir);
  const key = await generateKey(desk);
  const load = new OrderLoad(random, await pricesOf(desk));
  const memory = new Map<string, Order>();
  for (let kill = 1; kill <= KILLS; kill++) {
    const client = clientOf(desk, key);
    const running = load.run(client);
    await new Promise((resolve) => setTimeout(resolve, 30 + random() * 320));
    await desk.kill('SIGKILL');
    load.stop();
    await running;
    await client.close();
    desk = await startDesk(dataDir);
    const again = clientOf(desk, key);
    await checkPromises(again, load, memory, random);
    await checkMoney(desk, again);
    await again.close();
  }
  const acknowledged = load.sent.filter(({ answer }) => answer?.status === 200);
  expect(acknowledged.length).toBeGreaterThan(KILLS * 20);
  const client = clientOf(desk, key);
  await until(
    'every outcome is known',
    async () => {
      const orders = await client.orders.list({ status: 'recent' });
      return !orders.some(({ specific }) => specific.unresolved || specific.cancelPending);
    },
    15_000,
  );
  await desk.line.call('feed.control', { action: 'pause' });
  await checkMoney(desk, client);
  await checkSplits(client);
  await client.close();
  expect(await desk.kill('SIGTERM')).toBe(0);
  checkAgainstExchange(dataDir);
}

async function pricesOf(desk: DeskProcess): Promise<Record<string, string>> {
  const { client, state } = await desk.attach();
  const prices = await until('every symbol has a price', () => {
    const known = state()?.prices ?? {};
    return SYMBOLS.every((symbol) => known[marketKey('paper', symbol)]) && known;
  });
  client.close();
  return Object.fromEntries(
    SYMBOLS.map((symbol) => [symbol, prices[marketKey('paper', symbol)]?.last ?? '']),
  );
}

/** Checks all acknowledged requests. `memory`: the last seen state of every order. */
async function checkPromises(
  client: Client,
  load: OrderLoad,
  memory: Map<string, Order>,
  random: () => number,
): Promise<void> {
  const listed = await client.orders.list({ status: 'recent' });
  const byId = new Map(listed.map((order) => [order.id, order]));
  expect(byId.size).toBe(listed.length);

  const marks = new Map<string, Order[]>();
  for (const order of listed) {
    if (order.specific.splitFrom !== undefined) continue;
    const mark = `${order.symbol} ${order.origQty}`;
    marks.set(mark, [...(marks.get(mark) ?? []), order]);
  }
  for (const request of load.sent) {
    if (request.kind === 'place') {
      const made = marks.get(request.mark) ?? [];
      expect(made.length, `${request.body} was placed ${made.length} times`).toBeLessThanOrEqual(1);
    }
    if (request.answer?.status === 200) expectKept(request, byId);
  }
  for (const [id, before] of memory) {
    const now = byId.get(id);
    if (!now) throw new Error(`order ${id} is gone`);
    expect(Number(now.executedQty)).toBeGreaterThanOrEqual(Number(before.executedQty));
    if (TERMINAL.has(before.status)) expect(now, `${id} had ended`).toEqual(before);
  }
  for (const order of listed) memory.set(order.id, order);
  await repeat(client, load, random);
}

/** Checks that an acknowledged order is there as requested. */
function expectKept(request: SentRequest, byId: ReadonlyMap<string, Order>): void {
  const { data } = JSON.parse(request.answer?.text ?? '');
  for (const told of (Array.isArray(data) ? data : [data]) as Order[]) {
    const now = byId.get(told.id);
    if (!now) throw new Error(`acknowledged order ${told.id} is gone (${request.body ?? request.path})`);
    for (const field of ['exchange', 'symbol', 'side', 'type', 'price', 'stopPrice', 'origQty'] as const)
      expect(now[field], `${told.id} ${field}`).toBe(told[field]);
    expect(now.specific.timeInForce).toBe(told.specific.timeInForce);
    expect(now.specific.goodTillDate).toBe(told.specific.goodTillDate);
    expect(now.trailing?.delta).toBe(told.trailing?.delta);
    expect(now.orderTime).toBe(told.orderTime);
    if (TERMINAL.has(told.status)) {
      expect(now.status, told.id).toBe(told.status);
      expect(now.executedQty, told.id).toBe(told.executedQty);
    }
  }
  if (request.kind !== 'place') return;
  const asked = JSON.parse(request.body ?? '');
  const kept = byId.get(data.id);
  expect(kept).toMatchObject({
    symbol: asked.symbol,
    side: asked.side,
    type: asked.type,
    origQty: asked.quantity,
  });
  expect(kept?.price).toBe(asked.price);
  expect(kept?.stopPrice).toBe(asked.stopPrice ?? null);
  expect(kept?.trailing?.delta).toBe(asked.trailingDelta);
}

/**
 * Repeats of answered requests give the same bytes; unanswered ones are sent again and take effect at most
 * once.
 */
async function repeat(client: Client, load: OrderLoad, random: () => number): Promise<void> {
  const keyed = load.sent.filter(({ key }) => key !== undefined);
  const answered = keyed.filter(({ answer }) => answer !== null && cached(answer.status));
  const some = [...answered.slice(-25), ...answered.filter(() => random() < 10 / answered.length)];
  await Promise.all(
    some.map(async ({ method, path, body, key, answer }) => {
      const again = await client.raw(method, path, { body, idempotencyKey: key });
      expect(again.text, `${method} ${path} ${body}`).toBe(answer?.text);
      expect(again.status).toBe(answer?.status);
      expect(again.headers['x-idempotent-replayed']).toBe('true');
    }),
  );
  await Promise.all(
    keyed.filter(({ answer }) => answer === null).map((request) => resend(client, load, request)),
  );
}

async function resend(client: Client, load: OrderLoad, request: SentRequest): Promise<void> {
  expect(await load.send(client, request), 'the desk answers').toBe(true);
  // In progress: its outcome is still being looked up; the next round repeats it.
  if (request.answer?.status === 409 && request.answer.text.includes('IDEMPOTENCY_CONFLICT'))
    request.answer = null;
}

function cached(status: number): boolean {
  return status === 200 || status === 400 || status === 404 || status === 409;
}

/** Checks per asset: free + locked = wallet, and start + fills - fees = wallet, to the last digit. */
async function checkMoney(desk: DeskProcess, client: Client): Promise<void> {
  let last = '';
  await until('the money adds up', async () => {
    await desk.line.call('feed.control', { action: 'pause' });
    const fills = await allFills(desk);
    const { balances = [] } = await client.portfolio.get({ exchange: EXCHANGE, full: true });
    const expected = new Map<string, bigint>([['USDT', dec('100000')]]);
    const add = (asset: string, amount: bigint) => expected.set(asset, (expected.get(asset) ?? 0n) + amount);
    for (const fill of fills) {
      const sign = fill.side === 'BUY' ? 1n : -1n;
      add(fill.symbol.slice(0, -4), sign * dec(fill.qty));
      add('USDT', -sign * mul(dec(fill.price), dec(fill.qty)));
      add(fill.commAsset, -dec(fill.comm));
    }
    last = '';
    for (const { asset, free, locked, wallet } of balances) {
      expect(str(dec(free) + dec(locked)), asset).toBe(wallet);
      const right = str(expected.get(asset) ?? 0n);
      if (wallet !== right) last = `${asset}: wallet ${wallet}, fills give ${right}`;
    }
    return last === '';
  }).catch((error) => {
    throw new Error(`${error.message} (${last})`);
  });
  await desk.line.call('feed.control', { action: 'play' });
}

async function allFills(desk: DeskProcess): Promise<FillRecord[]> {
  const lists = await Promise.all(
    SYMBOLS.map((symbol) => desk.line.call('trades.list', { exchange: EXCHANGE, symbol, limit: 10_000 })),
  );
  const fills = lists.flat();
  expect(new Set(fills.map(({ tradeId }) => tradeId)).size).toBe(fills.length);
  return fills;
}

/** Checks that the parts of a split, whatever their states, and the filled part add up to the original. */
async function checkSplits(client: Client): Promise<void> {
  const orders = await client.orders.list({ status: 'recent' });
  const children = Map.groupBy(orders, ({ specific }) => String(specific.splitFrom ?? ''));
  children.delete('');
  expect(children.size).toBeGreaterThan(0);
  for (const [id, parts] of children) {
    const original = orders.find((order) => order.id === id);
    const sum = parts.reduce((total, { origQty }) => total + dec(origQty), dec(original?.executedQty ?? '0'));
    expect(str(sum), `split of ${id}`).toBe(original?.origQty);
    expect(original?.status).toBe('CANCELLED');
  }
}

/**
 * Compares the exchange's own books with the desk's: the same open orders, the same fills, no order twice.
 */
function checkAgainstExchange(dataDir: string): void {
  const store = openSqliteStore(join(dataDir, 'outcry.db'));
  try {
    const { orders } = store.load(0);
    const paper = store.loadPaper();
    const table = (name: string) => {
      const found = [...paper].find(([table]) => table.includes(name));
      if (!found) throw new Error(`the exchange has no table ${name}: ${[...paper.keys()]}`);
      return [...found[1].values()] as { clientId: string; end?: number; tradeId: string; qty: string }[];
    };
    const there = table('order');
    expect(new Set(there.map(({ clientId }) => clientId)).size).toBe(there.length);
    const ours = new Map(orders.map((order) => [order.id, order]));
    for (const { clientId } of there) expect(ours.has(clientId), `${clientId} is unknown to us`).toBe(true);
    const openThere = there.filter(({ end }) => !end).map(({ clientId }) => clientId);
    const openHere = orders.filter((o) => !TERMINAL.has(o.status) && o.phase === 'live').map(({ id }) => id);
    expect(openHere.sort()).toEqual(openThere.sort());
    const fillsHere = orders
      .flatMap(({ id }) => store.orderFills(id))
      .map((f) => `${f.orderId} ${f.tradeId} ${f.qty}`);
    const fillsThere = table('trade').map((f) => `${f.clientId} ${f.tradeId} ${f.qty}`);
    expect(fillsHere.sort()).toEqual(fillsThere.sort());
  } finally {
    store.close();
  }
}
