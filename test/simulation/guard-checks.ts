/**
 * What guards must have done, seen from outside: no entry beyond a guard was sent, and no guard refused a
 * close. Spot accounts only, where a BUY is an entry and a SELL a close. One-sided: what cannot be known here
 * passes.
 */
import { dec, mul } from '../../src/domain/decimal.ts';
import { type Guards, isGuardCode } from '../../src/domain/guards.ts';
import { type OrderRecord, TERMINAL } from '../../src/domain/order.ts';
import type { Effect } from '../../src/engine/step.ts';
import type { SimDesk } from './sim-desk.ts';
import { type Strikes, strike } from './sim-faults.ts';

/** Number of this invariant, beside those of design/testing.md. */
const GUARDS = 14;
const SPOT = 'paper-spot';
const MINUTE_MS = 60_000;

export interface GuardWatch {
  readonly guards: Guards;
  /** The wall clock is never set. */
  readonly steady: boolean;
  readonly strikes: Strikes;
  readonly violate: (invariant: number, text: string) => void;
}

/** Checks an effect at the moment of its release. */
export function checkGuarded(watch: GuardWatch, desk: SimDesk, effect: Effect): void {
  if (effect.kind === 'order-event') {
    const { id, exchange, side, type, creator, rejectCode } = effect.order;
    if (exchange !== SPOT || !isGuardCode(rejectCode)) return;
    strike(watch.strikes, 'guard at the send');
    // A person's limit close too far on the losing side may be refused: a part of a split that is placed
    // after the price has moved.
    const isSlip = rejectCode === 'GUARD_PRICE_BAND' && type === 'LIMIT' && creator !== 'BOT';
    if (side === 'SELL' && !isSlip) watch.violate(GUARDS, `the close ${id} was refused: ${rejectCode}`);
    return;
  }
  if (effect.kind === 'answer') {
    const { outcome } = effect.answer;
    if (outcome && !outcome.ok && isGuardCode(outcome.error.reason)) strike(watch.strikes, 'guard');
    return;
  }
  if (effect.kind !== 'submit' || effect.exchange !== SPOT || effect.order.side !== 'BUY') return;
  const { memory } = desk.core.engine;
  const order = memory.orders.get(effect.order.clientId);
  if (order) checkEntry(watch, order, [...memory.orders.values()]);
}

/** `others`: the other orders as known when this one is sent. */
function checkEntry(
  { guards, steady, violate }: GuardWatch,
  order: OrderRecord,
  others: readonly OrderRecord[],
): void {
  const { id, symbol, price, origQty, createdAt } = order;
  const { maxOrderValue, maxOpenOrders, maxOrdersPerMinute, symbols } = guards;
  if (symbols !== null && !symbols.includes(symbol)) violate(GUARDS, `${id} was sent: ${symbol}`);
  if (maxOrderValue !== null && price !== undefined && mul(dec(price), dec(origQty)) > dec(maxOrderValue))
    violate(GUARDS, `${id} was sent: ${origQty} at ${price} beside ${maxOrderValue}`);
  if (!steady || order.firedHere === true) return;
  const before = others.filter(
    (one) => one.exchange === SPOT && (one === order || one.createdAt < createdAt),
  );
  if (maxOpenOrders !== null) {
    const open = before.filter(({ status }) => !TERMINAL.has(status)).length;
    if (open > maxOpenOrders) violate(GUARDS, `${id} was sent as open order ${open}`);
  }
  if (maxOrdersPerMinute === null) return;
  const entries = before.filter(
    (one) =>
      one.side === 'BUY' &&
      !one.external &&
      !one.firedHere &&
      !isGuardCode(one.rejectCode) &&
      one.createdAt > createdAt - MINUTE_MS,
  );
  if (entries.length > maxOrdersPerMinute)
    violate(GUARDS, `${id} was sent as entry ${entries.length} of a minute`);
}
