/**
 * Invariants of a world, whatever happened in it (design/testing.md, "Invariants"). Throws a description of
 * what is broken.
 */
import { dec, str, ZERO } from '../../../src/domain/decimal.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { TERMINAL } from '../../../src/domain/order.ts';
import { RANDOM_LENGTH, randomOf } from '../../../src/engine/order-ids.ts';
import type { OrderStatus } from '../../../src/schemas/order.ts';
import { SPOT } from './market.ts';
import { S30 } from './row-store.ts';
import type { World } from './world.ts';

function must(holds: boolean, words: string): void {
  if (!holds) throw new Error(words);
}

/** Checks that hold at any time, with commits pending or not. */
export function checkAlways(world: World): void {
  const { memory } = world.engine;
  const sums = new Map<string, bigint>();
  for (const order of memory.orders.values()) {
    if (order.lock) {
      must(
        !TERMINAL.has(order.status),
        `${order.id} is ${order.status} and still locks ${order.lock.amount}`,
      );
      sums.set(order.lock.asset, (sums.get(order.lock.asset) ?? ZERO) + dec(order.lock.amount));
    }
    let filled = ZERO;
    for (const fill of memory.fills.get(order.id) ?? []) filled += dec(fill.qty);
    must(
      filled === dec(order.executedQty),
      `${order.id}: fills ${str(filled)}, executedQty ${order.executedQty}`,
    );
  }
  for (const [asset, locked] of memory.account(SPOT).wallet.locks) {
    must(locked === (sums.get(asset) ?? ZERO), `${str(locked)} ${asset} is locked, the orders say otherwise`);
  }
  for (const [id, times] of world.submits) must(times === 1, `${id} was sent ${times} times`);
  must(world.exchange.doubled.length === 0, `executed twice: ${world.exchange.doubled.join()}`);
}

/**
 * Ends all faults and lets time pass: half a minute for the resolver, one reconciliation; then every outcome
 * is known.
 */
export function heal(world: World): void {
  world.flush();
  world.calm();
  world.pass(30_000);
  world.reconcile();
  world.pass(30_000);
  world.flush(true);
}

/** Checks that hold after `heal`. */
export function checkHealed(world: World): void {
  checkAlways(world);
  checkAgainstExchange(world);
  checkSettled(world);
  checkStored(world);
  checkHistory(world);
  checkSplits(world);
  checkAnswers(world);
  if (world.breaks === 0) checkStream(world);
}

const AT_EXCHANGE: Readonly<Record<string, OrderStatus>> = {
  PENDING: 'NEW',
  WORKING: 'OPENED',
  FILLED: 'CLOSED',
  CANCELLED: 'CANCELLED',
  REJECTED: 'ERROR',
};

function checkAgainstExchange(world: World): void {
  const { exchange, engine, store } = world;
  for (const [id, there] of exchange.orders) {
    const here = store.orders.get(id);
    if (!here) throw new Error(`the exchange has ${id}, we have no row of it`);
    must(here.status === AT_EXCHANGE[there.status], `${id} is ${there.status} there and ${here.status} here`);
    must(
      here.executedQty === str(there.cum),
      `${id}: ${str(there.cum)} executed there, ${here.executedQty} here`,
    );
    must(store.fillsOf(id).length === there.fills.length, `${id}: not every fill has its one row`);
  }
  const { balances } = engine.memory.account(SPOT).wallet;
  for (const b of exchange.balances()) {
    const here = balances.get(b.asset);
    must(here !== undefined && str(here.free) === b.free, `free ${b.asset}: ${b.free} there`);
    must(here !== undefined && str(here.locked) === b.locked, `locked ${b.asset}: ${b.locked} there`);
  }
}

function checkSettled(world: World): void {
  const { memory } = world.engine;
  let held = 0;
  for (const order of memory.orders.values()) {
    must(order.phase !== 'sending' && order.phase !== 'unresolved', `${order.id} is still ${order.phase}`);
    must(order.cancel === undefined, `${order.id} still has a cancel under way (${order.cancel?.state})`);
    must(
      TERMINAL.has(order.status) === (order.phase === 'done'),
      `${order.id}: ${order.status}, ${order.phase}`,
    );
    if (order.phase === 'held') held += 1;
    if (order.phase === 'live')
      must(world.exchange.orders.has(order.id), `${order.id} is live but not there`);
  }
  if (held === 0) {
    for (const [asset, locked] of memory.account(SPOT).wallet.locks) {
      must(locked === ZERO, `${str(locked)} ${asset} stay locked`);
    }
  }
  must(memory.splits.size === 0, `a split has not come to its end: ${[...memory.splits.keys()].join()}`);
  must(memory.owedFills.size === 0, `fills are still owed: ${[...memory.owedFills.keys()].join()}`);
  must(memory.waiters.size === 0, `requests still wait: ${[...memory.waiters.keys()].join()}`);
  for (const record of memory.idempotency.values())
    must(record.answer !== null, `${record.key} is in progress`);
}

/** Checks that memory and store agree, so that every change was stored. */
function checkStored(world: World): void {
  for (const [id, order] of world.engine.memory.orders) {
    const stored = world.store.orders.get(id);
    const same = JSON.stringify(sorted(stored)) === JSON.stringify(sorted(order));
    must(same, `${id} differs:\n stored ${JSON.stringify(stored)}\n memory ${JSON.stringify(order)}`);
  }
}

function sorted(order: OrderRecord | undefined): unknown {
  if (!order) return undefined;
  const plain = JSON.parse(JSON.stringify(order)) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(plain).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const ENDINGS: ReadonlySet<string> = new Set(['closed', 'cancelled', 'rejected']);

/**
 * Checks that every status change is exactly one event row, and that the rows follow the transitions of S30.
 */
function checkHistory(world: World): void {
  for (const [id, order] of world.store.orders) {
    const events = world.store.eventsOf(id);
    must(events.filter((e) => e.kind === 'created').length === 1, `${id} was created more than once`);
    const opened = events.filter((e) => e.kind === 'accepted' && e.status === 'OPENED').length;
    const way = path(events.map((e) => e.status));
    must(opened === (way.includes('OPENED') ? 1 : 0), `${id} was opened ${opened} times`);
    const ended = events.filter((e) => ENDINGS.has(e.kind)).length;
    must(ended === (TERMINAL.has(order.status) ? 1 : 0), `${id} is ${order.status} and ended ${ended} times`);
    checkWay(id, way, order.status);
    const fills = events.filter((e) => e.kind === 'fill').length;
    must(fills === world.store.fillsOf(id).length, `${id}: ${fills} fill events`);
  }
}

function path(statuses: readonly OrderStatus[]): OrderStatus[] {
  const way: OrderStatus[] = ['NEW'];
  for (const status of statuses) if (status !== way.at(-1)) way.push(status);
  return way;
}

function checkWay(id: string, way: readonly OrderStatus[], end: OrderStatus): void {
  way.forEach((status, i) => {
    const from = way[i - 1];
    if (from) must(S30[from].includes(status), `${id} went ${way.join(' -> ')}`);
  });
  must(way.at(-1) === end, `${id} is ${end}, its history says ${way.join(' -> ')}`);
}

/**
 * Checks what an unbroken subscriber saw: one ORDER_CREATE, then one ORDER_UPDATE for each status change, in
 * order.
 */
function checkStream(world: World): void {
  const seen = new Map<string, OrderStatus[]>();
  const executed = new Map<string, bigint>();
  for (const { event, order } of world.published) {
    const known = seen.get(order.id);
    must((event === 'ORDER_CREATE') === (known === undefined), `${order.id}: ${event} at the wrong place`);
    seen.set(order.id, [...(known ?? []), order.status]);
    const now = dec(order.executedQty);
    must(now >= (executed.get(order.id) ?? ZERO), `${order.id}: executedQty fell to ${order.executedQty}`);
    executed.set(order.id, now);
  }
  for (const [id, order] of world.store.orders) {
    const statuses = seen.get(id) ?? [];
    checkWay(id, path(statuses), order.status);
    const told = executed.get(id) ?? ZERO;
    must(told === dec(order.executedQty), `${id}: the stream told ${str(told)} of ${order.executedQty}`);
    if (TERMINAL.has(order.status) && world.store.fillsOf(id).length === 0) {
      const last = statuses.filter((s) => s === order.status).length;
      must(last === 1, `${id}: ${last} updates with ${order.status}`);
    }
  }
}

/** Checks that the children, refused ones included, and the earlier fills add up to the original. */
function checkSplits(world: World): void {
  for (const plan of world.store.splits.values()) {
    const parent = world.store.orders.get(plan.id);
    if (!parent) throw new Error(`split of ${plan.id}, which is not stored`);
    const children = [...world.store.orders.values()].filter((o) => o.splitFrom === plan.id);
    if (children.length === 0) continue;
    must(
      children.length === plan.prices.length,
      `${plan.id}: ${children.length} of ${plan.prices.length} parts`,
    );
    let sum = dec(parent.executedQty);
    for (const child of children) sum += dec(child.origQty);
    must(sum === dec(parent.origQty), `${plan.id}: parts and fills make ${str(sum)} of ${parent.origQty}`);
  }
}

/** Checks for one answer to each command; for an idempotency key one effect, and always the same bytes. */
function checkAnswers(world: World): void {
  const first = new Map<string, { fingerprint: string; body: string; status: number }>();
  const made = new Map<string, Set<string>>();
  const byEntropy = new Map<string, string>();
  for (const id of world.store.orders.keys()) byEntropy.set(randomOf(id), id);
  for (const sent of world.commands) {
    const { answers, context, token } = sent;
    must(answers.length <= 1, `command ${token} got ${answers.length} answers`);
    if (sent.epoch === world.epoch) must(answers.length === 1, `command ${token} got no answer`);
    const undone = answers[0]?.status !== 503 || !byEntropy.has(sent.entropy.slice(-RANDOM_LENGTH));
    must(undone, `command ${token} was told 503 and was carried out`);
    const { idempotency } = context;
    if (!idempotency) continue;
    const order = byEntropy.get(sent.entropy.slice(-RANDOM_LENGTH));
    if (order && sent.command.type === 'place') {
      const ids = made.get(idempotency.key) ?? new Set();
      made.set(idempotency.key, ids.add(order));
      must(ids.size === 1, `key ${idempotency.key} made ${[...ids].join()}`);
    }
  }
  const answered = world.commands.filter((c) => c.answeredAt !== undefined && c.context.idempotency);
  answered.sort((a, b) => (a.answeredAt ?? 0) - (b.answeredAt ?? 0) || a.token - b.token);
  for (const { context, answers } of answered) {
    const answer = answers[0];
    if (!context.idempotency || !answer || answer.status >= 500) continue;
    const { key, fingerprint } = context.idempotency;
    if (answer.body.includes('IDEMPOTENCY_CONFLICT')) {
      must(answer.status === 409, 'a conflict is a 409');
      continue;
    }
    const known = first.get(key);
    if (!known) first.set(key, { fingerprint, body: answer.body, status: answer.status });
    else {
      must(known.fingerprint === fingerprint, `key ${key} was used for two requests`);
      must(
        known.body === answer.body && known.status === answer.status,
        `key ${key} was answered in two ways`,
      );
    }
  }
}
