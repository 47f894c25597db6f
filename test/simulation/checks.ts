/**
 * The invariants of design/testing.md for a world that has come to rest, and those that hold in memory at
 * every moment.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type Dec, dec, mul, str, ZERO } from '../../src/domain/decimal.ts';
import type { OrderNames } from '../../src/domain/exchange.ts';
import {
  type FillRecord,
  type OrderEvent,
  type OrderRecord,
  type SplitPlan,
  TERMINAL,
} from '../../src/domain/order.ts';
import type { OrderStatus } from '../../src/schemas/order.ts';
import { PaperCore } from '../../src/venues/paper/core.ts';
import { compilePaperOptions } from '../../src/venues/paper/options.ts';
import type { PaperOrderDoc } from '../../src/venues/paper/paper-order.ts';
import type { SimAccount } from './accounts.ts';
import { checkTerms } from './amends.ts';
import { checkBots, waitsForExit } from './bot-checks.ts';
import { type Cuts, checkClients, reduces } from './client-checks.ts';
import { checkFutures } from './futures-checks.ts';
import { checkLedgerRows } from './ledger-checks.ts';
import { checkPnl } from './pnl-checks.ts';
import { checkChange } from './replacements.ts';
import { isOfOthers, isReduction, toldName } from './rough/rough-account.ts';
import type { SimDesk } from './sim-desk.ts';
import { strike } from './sim-faults.ts';
import { type ExchangeTruth, reachable } from './watch.ts';
import type { World } from './world.ts';

export type Violate = (invariant: number, text: string) => void;

/** Everything the engine has stored. */
export interface Stored {
  readonly orders: ReadonlyMap<string, OrderRecord>;
  readonly fills: ReadonlyMap<string, FillRecord[]>;
  readonly events: ReadonlyMap<string, OrderEvent[]>;
  readonly plans: readonly SplitPlan[];
  /** Returns the desk's id of an order by an id that its exchange has for it; empty: none. */
  readonly named: (exchange: string, names: OrderNames) => string;
}

/** Checks that hold at every moment of a running desk. */
export function checkMemory(desk: SimDesk, violate: Violate): void {
  const { memory } = desk.core.engine;
  const locks = new Map<string, Dec>();
  for (const order of memory.orders.values()) {
    // These exchanges never contradict themselves: no ended order is alive, however late and often it is
    // reported (S62).
    if (order.contradiction)
      violate(2, `${order.id} is ${order.status} and counts as alive: ${order.contradiction.proof}`);
    if (order.lock) {
      if (TERMINAL.has(order.status))
        violate(4, `${order.id} is ${order.status} and still locks ${order.lock.amount}`);
      // Accounts may share a wallet.
      const key = `${memory.account(order.exchange).wallet.name} ${order.lock.asset}`;
      locks.set(key, (locks.get(key) ?? ZERO) + dec(order.lock.amount));
    }
    let filled = ZERO;
    for (const fill of memory.fills.get(order.id) ?? []) filled += dec(fill.qty);
    if (filled !== dec(order.executedQty)) {
      violate(3, `${order.id} has fills of ${str(filled)} and executedQty ${order.executedQty}`);
    }
  }
  for (const [id, account] of memory.accounts) {
    for (const [asset, locked] of account.wallet.locks) {
      const sum = locks.get(`${account.wallet.name} ${asset}`) ?? ZERO;
      if (locked !== sum) violate(4, `the engine locks ${str(locked)} ${asset}, its orders ${str(sum)}`);
    }
    for (const [asset, { free, locked }] of account.wallet.balances) {
      if (free < ZERO || locked < ZERO)
        violate(4, `${asset} of ${id}: free ${str(free)}, locked ${str(locked)}`);
    }
  }
}

/** Checks that nothing has been on its way since before `since` (wall time). */
export function checkLiveness(desk: SimDesk, since: number, violate: Violate): void {
  const { memory } = desk.core.engine;
  for (const order of memory.orders.values()) {
    const { submission, cancel, change } = order;
    if (change && order.updatedAt < since)
      violate(11, `the change of ${order.id} is ${change.state} (${order.phase})`);
    if (submission && Math.max(submission.sentAt, submission.unresolved?.since ?? 0) < since) {
      violate(
        11,
        `${order.id} is ${order.phase} since ${submission.sentAt}: ${JSON.stringify(submission.unresolved)}`,
      );
    }
    if (order.phase === 'waiting' && order.updatedAt < since)
      violate(11, `${order.id} waits for its setting since ${order.updatedAt}`);
    if (cancel && order.updatedAt < since)
      violate(11, `the cancel of ${order.id} is ${cancel.state} (${order.phase})`);
  }
  for (const plan of memory.splits.values())
    if (plan.startedAt < since) violate(11, `the plan of ${plan.id} is still ${plan.stage}`);
  for (const [id, waiters] of memory.waiters) {
    const order = memory.orders.get(id);
    if (!order || order.updatedAt < since)
      violate(11, `${waiters.length} requests still wait for ${id} (${order?.status})`);
  }
}

/** Checks that hold after faults have healed and time has passed. */
export function checkEnd(world: World): void {
  const { violate, desk } = world;
  if (!desk) {
    violate(11, 'the desk is not up at the end');
    return;
  }
  const stored = readStored(world.db);
  checkMemory(desk, violate);
  checkLiveness(desk, world.clock.wall - 1_000, violate);
  if (desk.core.engine.memory.owedFills.size > 0)
    violate(11, `fills are owed: ${[...desk.core.engine.memory.owedFills.keys()]}`);
  for (const account of world.accounts) {
    const { link } = desk.core.engine.memory.account(account.account.id);
    if (!link.up || link.gap) violate(11, `${account.account.id} is down or not compared at the end`);
    const truth = world.watch.exchange(account.account.id);
    checkExchange(world, account, truth, stored, violate);
    if (account.account.kind === 'futures') checkFutures(world, desk, account, truth, stored);
    else checkBalances(world, desk, account, truth, stored, violate);
    checkLedgerRows({
      db: world.db,
      desk,
      account,
      stored,
      violate,
      rough: world.roughs.get(account.account.id)?.exchange ?? null,
      struck: (name) => strike(world.strikes, name),
    });
  }
  checkPnl({ db: world.db, desk, violate, struck: (name) => strike(world.strikes, name) });
  for (const order of stored.orders.values()) {
    checkOrder(world, order, stored, violate);
    const overdue = order.goodTillDate !== undefined && order.goodTillDate <= world.lastTickTime;
    if (overdue && !TERMINAL.has(order.status))
      violate(11, `${order.id} is ${order.status} past its end date`);
  }
  checkSplits(stored, violate, world.watch.changed);
  for (const call of world.clients.unanswered())
    if (!waitsForExit(desk, call.command))
      violate(9, `request ${call.n} (${call.fingerprint}) was never answered`);
  checkMemoryIsStored(desk, stored, violate);
  checkClients(world, stored, violate);
  checkBots(world, desk, stored);
}

/** Invariants 2, 3: every exchange order is the desk's own, executed once, and both sides agree on it. */
function checkExchange(
  world: World,
  account: SimAccount,
  truth: ExchangeTruth,
  stored: Stored,
  violate: Violate,
): void {
  const aliases = world.watch.aliases;
  const exchange = account.account.id;
  const others = new Set<string>();
  const rough = world.roughs.get(account.account.id)?.exchange ?? null;
  for (const doc of truth.orders.values()) {
    const { clientId, symbol } = doc;
    const isOthers = rough !== null && isOfOthers(clientId);
    const id = isOthers
      ? stored.named(exchange, {
          // A client id that many orders share identifies none.
          clientId: isReduction(clientId) ? '' : toldName(clientId),
          symbol,
          venueIds: rough.venueIds(doc),
        })
      : clientId;
    const named = stored.orders.get(aliases.get(id) ?? id);
    const order = named?.exchange === exchange ? named : undefined;
    if (isOthers) others.add(id);
    // The desk need not know an external order that ended without an execution.
    const nobody = isOthers && dec(doc.cum) === ZERO && doc.end > 0;
    if (!order && nobody) continue;
    if (!order) violate(2, `${exchange} has an order ${doc.clientId} that has no row`);
    else if (rough?.hasLostChild(doc) && TERMINAL.has(order.status)) {
      const venueIds = rough.venueIds(doc).slice(-1);
      others.add(stored.named(exchange, { clientId: '', symbol, venueIds }));
      continue;
    }
    // Only the executions can be known of an external order that its exchange has forgotten, that was sized
    // by what it pays, or that was refused at its trigger. One of the desk's own orders may have got lost if
    // it was sent, nothing was reported about it and nothing executed.
    else if (
      !(
        rough &&
        doc.end > 0 &&
        (isOthers ||
        (rough.forgotten.has(clientId) && (order.quoteOrderQty !== undefined || doc.status === 'REJECTED'))
          ? TERMINAL.has(order.status)
          : order.status === 'ERROR' && doc.cum === '0') &&
        sameExecuted(order, doc)
      )
    )
      checkAgreement(order, doc, violate);
    if (isOthers && order && order.external !== true) violate(3, `${id} of others is ours here`);
  }
  let fills = 0;
  for (const list of stored.fills.values()) {
    for (const fill of list) {
      if (fill.exchange !== account.account.id) continue;
      fills += 1;
      const trade = truth.trades.get(rough?.ownTradeId(fill) ?? fill.tradeId);
      if (!trade) violate(3, `fill ${fill.tradeId} of ${fill.orderId} is not a trade of the exchange`);
      else if (
        trade.qty !== fill.qty ||
        trade.price !== fill.price ||
        !sameCommission(rough?.commission(trade) ?? trade, fill)
      ) {
        violate(3, `fill ${fill.tradeId} of ${fill.orderId} differs from the exchange's trade`);
      }
    }
  }
  if (fills !== truth.trades.size)
    violate(3, `${truth.trades.size} trades at the exchange, ${fills} fill rows`);
  for (const order of stored.orders.values()) {
    if (order.exchange !== account.account.id) continue;
    const there = truth.numbersOf.has(order.id) || others.has(order.id);
    if (!there && order.status !== 'ERROR' && order.phase !== 'held' && order.executedQty !== '0') {
      violate(2, `${order.id} is ${order.status} and never was at the exchange`);
    }
    if (!there && (order.phase === 'live' || order.status === 'CLOSED')) {
      violate(3, `${order.id} is ${order.status} here and unknown to the exchange`);
    }
  }
}

const STATUS_OF: Readonly<Record<PaperOrderDoc['status'], readonly OrderStatus[]>> = {
  PENDING: ['NEW'],
  WORKING: ['OPENED'],
  FILLED: ['CLOSED'],
  CANCELLED: ['CANCELLED'],
  REJECTED: ['ERROR'],
};

function sameExecuted(order: OrderRecord, doc: PaperOrderDoc): boolean {
  return dec(order.executedQty) === dec(doc.cum);
}

function checkAgreement(order: OrderRecord, doc: PaperOrderDoc, violate: Violate): void {
  checkTerms(order, doc, violate);
  if (!sameExecuted(order, doc)) {
    violate(
      3,
      `${order.id}: executedQty ${order.executedQty}, the exchange says ${doc.cum} (${order.status}, ${doc.status})`,
    );
  }
  if (!STATUS_OF[doc.status].includes(order.status)) {
    violate(
      3,
      `${order.id} is ${order.status} (${order.phase}), the exchange says ${doc.status} ${doc.text ?? ''}`,
    );
  }
}

function sameCommission(
  a: Pick<FillRecord, 'comm' | 'commAsset'>,
  b: Pick<FillRecord, 'comm' | 'commAsset'>,
): boolean {
  return a.comm === b.comm && a.commAsset === b.commAsset;
}

/**
 * Invariant 4: start + fills - fees = end, from the desk's fill rows; and the engine's balances equal those
 * of the exchange.
 */
function checkBalances(
  world: World,
  desk: SimDesk,
  { account, instruments, startBalances }: SimAccount,
  truth: ExchangeTruth,
  stored: Stored,
  violate: Violate,
): void {
  const wallet = new Map(Object.entries(startBalances).map(([asset, amount]) => [asset, dec(amount)]));
  const add = (asset: string, amount: Dec) => wallet.set(asset, (wallet.get(asset) ?? ZERO) + amount);
  for (const fill of [...stored.fills.values()].flat()) {
    const instrument = instruments.find(({ symbol }) => symbol === fill.symbol);
    if (fill.exchange !== account.id || !instrument) continue;
    const sign = fill.side === 'BUY' ? 1n : -1n;
    add(instrument.base, sign * dec(fill.qty));
    add(instrument.quote, -sign * mul(dec(fill.qty), dec(fill.price)));
    add(fill.commAsset, -dec(fill.comm));
  }
  // Deposits and withdrawals by others are reported by the exchange alone.
  const rough = world.roughs.get(account.id)?.exchange;
  for (const [asset, amount] of rough?.transfers() ?? []) add(asset, amount);
  const memory = desk.core.engine.memory.account(account.id);
  for (const [asset, amount] of wallet) {
    const there = truth.balances.get(asset) ?? { free: '0', locked: '0' };
    const sum = dec(there.free) + dec(there.locked);
    if (sum !== amount)
      violate(4, `${asset}: start and fills make ${str(amount)}, the exchange has ${str(sum)}`);
    const here = memory.wallet.balances.get(asset) ?? { free: ZERO, locked: ZERO };
    if (here.free !== dec(there.free) || here.locked !== dec(there.locked)) {
      violate(
        4,
        `${asset}: the engine believes ${str(here.free)} + ${str(here.locked)}, the exchange has ${there.free} + ${there.locked}`,
      );
    }
  }
  const options = compilePaperOptions();
  const tables = [...truth.balances].map(([asset, b]) => [asset, { asset, ...b }] as const);
  const documents = new Map<string, ReadonlyMap<string, unknown>>([
    ['spot.order', truth.orders],
    ['spot.balance', new Map(tables)],
  ]);
  const core = new PaperCore({ kind: 'spot', instruments, options }, documents);
  try {
    core.audit();
  } catch (error) {
    violate(4, `the exchange's books: ${error instanceof Error ? error.message : error}`);
  }
}

/** Invariants 3, 5, 6 for one order. */
export function checkOrder(
  world: Pick<World, 'watch'>,
  order: OrderRecord,
  stored: Stored,
  violate: Violate,
): void {
  const fills = stored.fills.get(order.id) ?? [];
  let quantity = ZERO;
  let quote = ZERO;
  for (const fill of fills) {
    quantity += dec(fill.qty);
    quote += mul(dec(fill.qty), dec(fill.price));
  }
  if (quantity !== dec(order.executedQty) || quote !== dec(order.quoteQty)) {
    violate(3, `${order.id}: ${fills.length} fills of ${str(quantity)}, executedQty ${order.executedQty}`);
  }
  if (quantity > dec(order.origQty)) violate(5, `${order.id} executed ${str(quantity)} of ${order.origQty}`);
  const path = pathOf(stored.events.get(order.id) ?? [], order, violate);
  for (const [n, told] of world.watch.told.entries()) {
    const seen = told.get(order.id);
    if (!seen) continue;
    const text = seen.path.join(' ');
    const whole = path.join(' ');
    if (!whole.includes(text))
      violate(6, `${order.id} went ${whole}; the subscriber of start ${n} was told ${text}`);
    const unbroken = n === world.watch.told.length - 1;
    if (unbroken && !whole.endsWith(text))
      violate(6, `${order.id} went ${whole}; the last subscriber was told ${text} only`);
    if (unbroken && seen.executedQty !== order.executedQty) {
      violate(
        6,
        `${order.id} executed ${order.executedQty}; the last subscriber was told ${seen.executedQty}`,
      );
    }
  }
}

/** The statuses that an order passed through, by its events. */
function pathOf(events: readonly OrderEvent[], order: OrderRecord, violate: Violate): OrderStatus[] {
  const path: OrderStatus[] = [];
  for (const { status } of events) if (path.at(-1) !== status) path.push(status);
  const bad = path.find((status, i) => i > 0 && !reachable(path[i - 1] as OrderStatus, status));
  if (bad || path[0] !== 'NEW' || path.at(-1) !== order.status) {
    violate(6, `${order.id} is ${order.status}; its events say ${path.join(' ')}`);
  }
  const ends = events.filter(({ kind }) => ['closed', 'cancelled', 'rejected', 'expired'].includes(kind));
  if (ends.length !== (TERMINAL.has(order.status) ? 1 : 0)) {
    violate(6, `${order.id} is ${order.status} and has ${ends.length} events of its end`);
  }
  const count = (wanted: (event: OrderEvent) => boolean) => events.filter(wanted).length;
  if (count(({ kind }) => kind === 'created') !== 1)
    violate(6, `${order.id} was created more or less than once`);
  const opened = count(({ kind, status }) => kind === 'accepted' && status === 'OPENED');
  if (opened !== (path.includes('OPENED') ? 1 : 0)) violate(6, `${order.id} was opened ${opened} times`);
  const sent = count(({ kind }) => kind === 'sent');
  if (sent > 1) violate(2, `${order.id} was sent ${sent} times`);
  return path;
}

/** Fields that each part has in common with the split order. */
const KEPT_BY_PARTS = [
  ...(['user', 'exchange', 'symbol', 'side', 'type', 'positionSide', 'timeInForce', 'goodTillDate'] as const),
  ...(['reduceOnly', 'closePosition', 'workingType', 'isContract', 'metadata'] as const),
] satisfies readonly (keyof OrderRecord)[];

/**
 * Invariant 7. `cutsExits`: the exchange makes each part that reduces a position no larger than the position;
 * `cutsStops`: a stop sells what there is.
 */
export function checkSplits(
  stored: Stored,
  violate: Violate,
  changed: ReadonlySet<string>,
  { cutsExits = false, cutsStops = false }: Cuts = {},
): void {
  for (const plan of stored.plans) {
    if (plan.stage !== 'done') violate(11, `the plan of ${plan.id} is ${plan.stage}`);
    if (plan.change) {
      checkChange(plan, stored, violate, cutsStops);
      continue;
    }
    const parent = stored.orders.get(plan.id);
    const children = plan.children.map((id) => stored.orders.get(id)).filter((child) => child !== undefined);
    if (!parent) violate(7, `the order ${plan.id} of a split is gone`);
    else if (children.length > 0 && !children.some(({ id }) => changed.has(id))) {
      let sum = dec(parent.executedQty);
      for (const child of children) {
        sum += dec(child.origQty);
        for (const field of KEPT_BY_PARTS)
          if (child[field] !== parent[field])
            violate(
              7,
              `${field} of ${child.id} is ${child[field]}, of the split ${plan.id} ${parent[field]}`,
            );
      }
      const whole = dec(parent.origQty);
      if (sum > whole || (sum < whole && !(cutsExits && reduces(parent))))
        violate(7, `split of ${plan.id}: ${str(sum)} of ${parent.origQty}`);
      if (children.length !== plan.children.length)
        violate(7, `split of ${plan.id}: ${children.length} of ${plan.children.length} parts`);
    }
  }
}

/** Checks that memory equals what a start would load. */
export function checkMemoryIsStored(desk: SimDesk, stored: Stored, violate: Violate): void {
  for (const order of desk.core.engine.memory.orders.values()) {
    const row = stored.orders.get(order.id);
    if (JSON.stringify(row) !== JSON.stringify(order)) {
      violate(1, `${order.id} in memory ${JSON.stringify(order)}, stored ${JSON.stringify(row)}`);
    }
  }
  for (const order of stored.orders.values()) {
    if (!TERMINAL.has(order.status) && !desk.core.engine.memory.orders.has(order.id)) {
      violate(1, `${order.id} is ${order.status} and not in memory`);
    }
  }
}

export function readStored(db: DatabaseSync): Stored {
  const named = db.prepare(
    `SELECT order_id FROM wire_ids WHERE exchange = ? AND wire_id = ? AND symbol IN (?, '')`,
  );
  const docs = <T>(sql: string): T[] =>
    (db.prepare(sql).all() as { doc: string }[]).map(({ doc }) => JSON.parse(doc) as T);
  return {
    orders: new Map(
      docs<OrderRecord>('SELECT doc FROM orders ORDER BY seq').map((order) => [order.id, order]),
    ),
    fills: grouped(docs<FillRecord>('SELECT doc FROM fills ORDER BY seq')),
    events: grouped(docs<OrderEvent>('SELECT doc FROM events ORDER BY seq')),
    plans: docs<SplitPlan>('SELECT doc FROM splits ORDER BY id'),
    named(exchange, { clientId, symbol, venueIds = [] }) {
      for (const name of [...venueIds, clientId]) {
        const row = named.get(exchange, name, symbol) as { order_id: string } | undefined;
        if (row) return row.order_id;
      }
      return clientId;
    },
  };
}

function grouped<T extends { readonly orderId: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const list = groups.get(item.orderId);
    if (list) list.push(item);
    else groups.set(item.orderId, [item]);
  }
  return groups;
}

/** The database as text, a line per row. */
export function dumpOf(db: DatabaseSync, only?: string): string[] {
  const tables = only ? [only] : ['orders', 'fills', 'events', 'splits', 'idempotency', 'paper', 'meta'];
  return tables.flatMap((table) =>
    db
      .prepare(`SELECT * FROM ${table}`)
      .all()
      .map((row) => `${table} ${JSON.stringify(row)}`),
  );
}
