/**
 * Amendments that the clients of a world ask for, and the checks of their results: never more is executed
 * than an acknowledged amendment leaves, no amendment reaches an exchange before it was stored, and at rest
 * both sides agree.
 */
import { type Dec, dec, maxDec, str } from '../../src/domain/decimal.ts';
import type { Amendment, OrderRecord } from '../../src/domain/order.ts';
import type { Side } from '../../src/schemas/order.ts';
import type { PaperOrderDoc } from '../../src/venues/paper/paper-order.ts';
import type { Stored, Violate } from './checks.ts';
import type { Dice } from './dice.ts';
import type { Body, Call } from './history.ts';
import { SYMBOLS } from './market.ts';

/** A random amendment, mostly of an order that can rest. */
export function randomChange(
  dice: Dice,
  { symbol, side }: { readonly symbol: string; readonly side: Side },
  last: number,
  marketTime: number,
): Amendment {
  const s = SYMBOLS.find((one) => one.symbol === symbol) ?? SYMBOLS[0];
  const away = (from: number, to: number) => (side === 'BUY' ? -1 : 1) * dice.between(from, to);
  const price = (off: number) => (last * (1 + off)).toFixed(s?.priceDigits ?? 2);
  const all: Amendment = {
    price: price(away(-0.001, 0.006)),
    quantity: (dice.between(20, dice.chance(0.2) ? 15_000 : 1_500) / last).toFixed(s?.quantityDigits ?? 3),
    stopPrice: price(-away(-0.001, 0.004)),
    goodTillDate: Math.floor(marketTime) + dice.int(500, 60_000),
  };
  const { price: at, quantity, stopPrice, goodTillDate } = all;
  switch (dice.weighted({ price: 40, quantity: 30, both: 20, stop: 7, date: 3 })) {
    case 'price':
      return at === undefined ? {} : { price: at };
    case 'quantity':
      return quantity === undefined ? {} : { quantity };
    case 'both':
      return { ...(at === undefined ? {} : { price: at }), ...(quantity === undefined ? {} : { quantity }) };
    case 'stop':
      return stopPrice === undefined ? {} : { stopPrice };
    case 'date':
      return goodTillDate === undefined ? {} : { goodTillDate };
  }
}

interface Answered {
  readonly id: string;
  readonly price?: string;
  readonly stopPrice?: string | null;
  readonly origQty: string;
  readonly executedQty: string;
  readonly status: string;
  readonly specific: { readonly amendPending?: boolean; readonly replaces?: string };
}

/** Checks one answer: it must say what was asked, or that nobody knows yet. */
export function judgeChange(call: Call, violate: Violate): void {
  if (call.command.type !== 'amend' || call.state !== 'ok') return;
  const order = (JSON.parse(call.body) as Body).data as Answered;
  if (order.specific.amendPending || order.status !== 'OPENED') return;
  const { price, quantity } = call.command;
  const isSame = (there: string, asked: string) =>
    // The executed quantity before the replacement is not part of the new order.
    order.specific.replaces === undefined ? dec(there) === dec(asked) : dec(there) <= dec(asked);
  const isSo =
    (price === undefined || (order.price !== undefined && dec(order.price) === dec(price))) &&
    (quantity === undefined || isSame(order.origQty, quantity));
  // Others may have amended it since, and the exchange makes an order smaller that only closes.
  if (!isSo)
    violate(
      1,
      `request ${call.n} asked ${order.id} to be ${price} x ${quantity}, acknowledged is ${call.body}`,
    );
}

/**
 * Invariant 5: after the last acknowledged amendment no more is executed than it left, unless a later one
 * asked for more.
 */
export function checkChanges(calls: readonly Call[], stored: Stored, violate: Violate): void {
  const last = new Map<string, { readonly call: Call; readonly order: Answered } | null>();
  for (const call of calls) {
    if (call.command.type !== 'amend') continue;
    if (call.command.quantity === undefined) continue;
    const order = call.state === 'ok' ? ((JSON.parse(call.body) as Body).data as Answered) : null;
    // A pending amendment may have failed or may be unknown: both outcomes are allowed.
    const isSure = order !== null && !order.specific.amendPending;
    if (isSure) last.set(order.id, { call, order });
    else if (call.state !== 'refused') last.set(call.command.id, null);
  }
  for (const [id, known] of last) {
    const order = stored.orders.get(id);
    if (!known || !order || known.call.command.type !== 'amend') continue;
    const most: Dec = maxDec(dec(known.call.command.quantity ?? '0'), dec(known.order.executedQty));
    if (dec(order.executedQty) > most)
      violate(
        5,
        `${id} executed ${order.executedQty}; its last change, request ${known.call.n}, left ${str(most)}`,
      );
  }
}

/**
 * Invariant 1: a refused amendment was not made. `priceOf`: the order's price at its exchange; null: it is
 * not there.
 */
export function checkRefusedChanges(
  calls: readonly Call[],
  priceOf: (id: string) => string | null,
  violate: Violate,
): void {
  const asked = calls.flatMap((call) => (call.command.type === 'amend' ? [{ call, ...call.command }] : []));
  for (const { call, id, price } of asked) {
    if (price === undefined || call.status !== 400) continue;
    const there = priceOf(id);
    if (there === null || dec(there) !== dec(price)) continue;
    const others = asked.filter((one) => one.id === id && one.call !== call && one.price === price);
    if (others.length === 0)
      violate(1, `request ${call.n} was refused, and ${id} is at ${price} at its exchange`);
  }
}

/** Invariant 3: an order that is open on both sides has the same terms on both sides. */
export function checkTerms(order: OrderRecord, doc: PaperOrderDoc, violate: Violate): void {
  if (order.phase !== 'live' || doc.status !== 'WORKING' || order.quoteOrderQty !== undefined) return;
  if (order.closePosition || order.external) return;
  const price = doc.price === null || dec(order.price ?? '0') === dec(doc.price);
  const same = price && dec(order.origQty) === dec(doc.qty);
  if (!same)
    violate(
      3,
      `${order.id} is ${order.origQty} at ${order.price}, the exchange has ${doc.qty} at ${doc.price}`,
    );
}
