/**
 * The effect of orders and fills on an account from the moment they become known: what an exchange locks for
 * an order that it has accepted, what an execution takes and brings, what the end of an order releases (R9).
 * On futures, where margins are computed, an execution moves the wallet and its position. Pure apart from the
 * account's memory.
 */
import { type Dec, dec, maxDec, minDec, mul, str, ZERO } from '../domain/decimal.ts';
import type { ExchangeFill, ExchangeOrderState } from '../domain/exchange.ts';
import { type OrderRecord, TERMINAL } from '../domain/order.ts';
import { positionKey } from '../domain/position.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import type { Movement } from './pending-movements.ts';
import { partsOf } from './wallet.ts';

/** The source and the time of a message. */
export interface Heard {
  /** The exchange's time of it. */
  readonly time?: number | undefined;
  /** The message is a response, not an event. */
  readonly answered?: boolean;
}

/** Books that the order is sent: balances reported so far do not include it. */
export function bookSent(memory: EngineMemory, order: OrderRecord): void {
  const { untold, versions } = memory.account(order.exchange).wallet;
  versions.heard += 1;
  untold.sentAt.set(order.id, versions.heard);
}

/** Books that a cancel is sent: balances reported so far do not include what it releases. */
export function bookCancelSent(memory: EngineMemory, order: OrderRecord): void {
  const { untold, versions } = memory.account(order.exchange).wallet;
  versions.heard += 1;
  untold.cancelSentAt.set(order.id, versions.heard);
}

/** Books an order that the store has as accepted by its exchange: the reported balances include it. */
export function bookLoaded(memory: EngineMemory, order: OrderRecord): void {
  const account = memory.account(order.exchange);
  if (account.futures || order.phase !== 'live' || order.liquidation || order.untold) return;
  const instrument = account.instruments.get(order.symbol);
  if (!instrument) return;
  const rest = dec(order.origQty) - dec(order.executedQty);
  if (order.side === 'SELL')
    account.wallet.untold.locked.set(order.id, { asset: instrument.base, amount: rest });
  else if (order.price !== undefined) {
    account.wallet.untold.locked.set(order.id, {
      asset: instrument.quote,
      amount: mul(dec(order.price), rest),
    });
  }
}

/** Books that the exchange has accepted the order: the engine's lock for it is now the exchange's. */
export function bookAccepted(memory: EngineMemory, order: OrderRecord, heard: Heard): void {
  const account = memory.account(order.exchange);
  if (account.futures || !order.lock) return;
  const { asset } = order.lock;
  const amount = dec(order.lock.amount);
  account.wallet.untold.locked.set(order.id, { asset, amount });
  move(account, order, 'accepted', heard, asset, [-amount, amount]);
}

/** Books a new quantity or price: its rest locks that much more or less. `version`: of the change. */
export function bookAmended(memory: EngineMemory, order: OrderRecord, version: number, heard: Heard): void {
  const account = memory.account(order.exchange);
  const there = account.wallet.untold.locked.get(order.id);
  if (!there) return;
  const rest = maxDec(dec(order.origQty) - dec(order.executedQty), ZERO);
  const amount = order.side === 'SELL' || order.price === undefined ? rest : mul(dec(order.price), rest);
  const more = amount - there.amount;
  there.amount = amount;
  move(account, order, `amended ${version}`, heard, there.asset, [-more, more]);
}

/** Books an execution. */
export function bookFill(memory: EngineMemory, order: OrderRecord, fill: ExchangeFill, heard: Heard): void {
  const account = memory.account(order.exchange);
  const instrument = account.instruments.get(order.symbol);
  if (!instrument) return;
  const { base, quote } = instrument;
  const qty = dec(fill.qty);
  const price = dec(fill.price);
  const at = { ...heard, time: fill.time };
  const key = fillKey(fill);
  if (account.futures) {
    const paid = fill.commAsset === quote ? dec(fill.comm) : ZERO;
    move(account, order, key, at, quote, [dec(fill.rPnl ?? '0') - paid]);
    if (fill.commAsset !== quote) move(account, order, `${key} fee`, at, fill.commAsset, [-dec(fill.comm)]);
    const signed = fill.side === 'BUY' ? qty : -qty;
    const { symbol } = order;
    const movement = movementOf(account, order, key, at, [signed]);
    account.wallet.untold.position(positionKey(symbol, fill.posSide)).move({ ...movement, symbol, price });
    return;
  }
  const buys = fill.side === 'BUY';
  const [gives, gets] = buys ? [quote, base] : [base, quote];
  const [paid, received] = buys ? [mul(qty, price), qty] : [qty, mul(qty, price)];
  const there = account.wallet.untold.locked.get(order.id);
  // At its limit, or at a better price: then the difference becomes free.
  const share = buys && order.price !== undefined ? mul(qty, dec(order.price)) : paid;
  const unlocked = there ? minDec(share, there.amount) : ZERO;
  if (there) there.amount -= unlocked;
  const sums = new Map<string, [Dec, Dec]>([
    [gives, [unlocked - paid, -unlocked]],
    [gets, [received, ZERO]],
  ]);
  const charged = sums.get(fill.commAsset) ?? [ZERO, ZERO];
  charged[0] -= dec(fill.comm);
  sums.set(fill.commAsset, charged);
  for (const [asset, by] of sums) move(account, order, key, at, asset, by);
}

/**
 * Notes that the exchange's event stream has reported the order: what a response had reported before now has
 * its place in the stream.
 */
export function bookTold(
  memory: EngineMemory,
  order: OrderRecord,
  what: { tradeId: string } | ExchangeOrderState,
): void {
  const { balances, positions } = memory.account(order.exchange).wallet.untold;
  const keys = ['accepted'];
  if ('tradeId' in what) keys.push(fillKey(what), `${fillKey(what)} fee`);
  else {
    keys.push(`amended ${what.seq}`);
    if (what.status !== 'PENDING' && what.status !== 'WORKING') keys.push('ended');
  }
  for (const untold of balances.values()) untold.confirm(order.id, keys);
  for (const untold of positions.values()) untold.confirm(order.id, keys);
}

function fillKey({ tradeId }: { tradeId: string }): string {
  return `fill ${tradeId}`;
}

/** Books that the order has ended at the exchange: what was still locked for it is free. */
export function bookEnded(memory: EngineMemory, order: OrderRecord, heard: Heard): void {
  const account = memory.account(order.exchange);
  const { untold } = account.wallet;
  const there = untold.locked.get(order.id);
  const cancelSentAt = untold.cancelSentAt.get(order.id);
  untold.locked.delete(order.id);
  // The rest was released by the cancel, so not before that was sent.
  if (cancelSentAt !== undefined) untold.sentAt.set(order.id, cancelSentAt);
  if (there && there.amount !== ZERO)
    move(account, order, 'ended', heard, there.asset, [there.amount, -there.amount]);
  untold.sentAt.delete(order.id);
  untold.cancelSentAt.delete(order.id);
}

/**
 * Returns whether the engine keeps its lock. On futures a resting order needs its margin. An order that fills
 * at once has none until its fill is reported: the engine's lock stays, less what has been executed.
 */
export function keepsLock(memory: EngineMemory, order: OrderRecord): boolean {
  const { futures } = memory.account(order.exchange);
  if (!futures || TERMINAL.has(order.status)) return false;
  const waits = order.stopPrice !== undefined || order.trailing !== undefined;
  if (waits && !order.firedHere) return false;
  return order.price === undefined || order.timeInForce === 'IOC' || order.timeInForce === 'FOK';
}

/** Lowers such a lock to the unfilled part. */
export function shrinkLock(memory: EngineMemory, order: OrderRecord, qty: Dec): void {
  const { lock } = order;
  if (!lock || order.phase !== 'live' || !keepsLock(memory, order)) return;
  const rest = dec(order.origQty) - dec(order.executedQty);
  const before = rest + qty;
  const amount = before <= ZERO ? ZERO : (dec(lock.amount) * maxDec(rest, ZERO)) / before;
  memory.releaseLock(order);
  memory.setLock(order, lock.asset, str(amount));
}

function move(
  account: AccountMemory,
  order: OrderRecord,
  key: string,
  heard: Heard,
  asset: string,
  by: readonly Dec[],
): void {
  if (by.every((part) => part === ZERO)) return;
  const balance = account.wallet.untold.balance(asset, partsOf(account.wallet));
  balance.move(movementOf(account, order, key, heard, by));
}

function movementOf(
  { wallet: { untold, versions } }: AccountMemory,
  order: OrderRecord,
  key: string,
  { time, answered = false }: Heard,
  by: readonly Dec[],
): Movement {
  versions.heard += 1;
  const sentAt = untold.sentAt.get(order.id);
  return { order: order.id, key, by, time, at: versions.heard, sentAt, answered };
}
