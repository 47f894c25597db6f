/** Compares the clients' log of requests with the stored rows at the end: invariants 1, 2 and 9. */
import { type Dec, dec } from '../../src/domain/decimal.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { RANDOM_LENGTH, randomOf } from '../../src/engine/order-ids.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { checkChanges, checkRefusedChanges } from './amends.ts';
import type { Stored, Violate } from './checks.ts';
import type { Call } from './history.ts';
import { changeOf, isMarketStop } from './replacements.ts';
import type { World } from './world.ts';

/** Orders that an exchange makes smaller by itself; see `VenueWorld`. */
export interface Cuts {
  readonly cutsExits?: boolean;
  readonly cutsStops?: boolean;
}

/** Invariants 1, 9: the clients' log against the end. */
export function checkClients(
  world: Pick<World, 'watch' | 'clients'>,
  stored: Stored,
  violate: Violate,
  cuts: Cuts = {},
): void {
  const byEntropy = new Map<string, OrderRecord[]>();
  checkReplacements(stored, violate, world.watch.changed);
  checkChanges(world.clients.calls, stored, violate);
  checkRefusedChanges(
    world.clients.calls,
    (id) => {
      const order = stored.orders.get(id);
      const truth = order && world.watch.exchange(order.exchange);
      const doc = truth?.orders.get(truth.numbersOf.get(id)?.[0] ?? '');
      // A later request may ask for the price at which it was placed.
      return doc?.amended ? doc.price : null;
    },
    violate,
  );
  for (const order of stored.orders.values()) {
    // A retry of an order is no second order of its request, and a replacement order belongs to the request
    // that amended it.
    const before = order.replaces === undefined ? undefined : stored.orders.get(order.replaces);
    if (before && !changeOf(stored, before, order)) continue;
    const entropy = randomOf(order.id);
    const list = byEntropy.get(entropy);
    if (list) list.push(order);
    else byEntropy.set(entropy, [order]);
  }
  const made = (call: Call): OrderRecord[] =>
    call.entropy ? (byEntropy.get(call.entropy.slice(-RANDOM_LENGTH)) ?? []) : [];
  const groups = new Map<string, number>();
  for (const call of world.clients.calls) {
    const orders = made(call);
    const places = call.command.type === 'place';
    const makesOne = places || call.command.type === 'amend';
    if (makesOne && orders.length > 1) violate(2, `request ${call.n} made ${orders.length} orders`);
    if (orders.length > 0 && call.group !== null) groups.set(call.group, (groups.get(call.group) ?? 0) + 1);
    if (call.state === 'unsaved' && orders.length > 0)
      violate(1, `request ${call.n} was answered 503 "not carried out" and made ${orders[0]?.id}`);
    if (call.state === 'conflict' && orders.length > 0)
      violate(9, `request ${call.n} was a conflict and made ${orders[0]?.id}`);
    if (call.replayed && orders.length > 0)
      violate(9, `request ${call.n} was a repetition and made ${orders[0]?.id}`);
    if (call.command.type === 'cancel' && call.state === 'ok') checkCancelled(call, violate);
    if (call.command.type === 'place' && call.state === 'ok')
      checkAcknowledged(call, call.command.request, stored, violate, world.watch.changed, cuts);
    const traded = orders.some((order) => order.status !== 'ERROR');
    if (places && call.state === 'refused' && traded)
      violate(1, `request ${call.n} was refused and made ${orders[0]?.id} (${orders[0]?.status})`);
  }
  for (const [group, count] of groups)
    if (count > 1) violate(2, `key ${group} was carried out ${count} times`);
}

/**
 * Whether the size is the asked one. An emulated market buy buys less when the money is not enough any more,
 * and an exit closes what is there.
 */
function isAskedSize(order: OrderRecord, asked: Dec, { cutsExits, cutsStops }: Cuts): boolean {
  const buysLess = order.emulated && order.side === 'BUY' && order.price === undefined;
  const mayBeLess =
    buysLess || (cutsStops && isMarketStop(order)) || ((cutsExits || order.emulated) && reduces(order));
  return dec(order.origQty) === asked || (mayBeLess && dec(order.origQty) < asked);
}

/** Whether the order can only reduce a position. */
export function reduces({ reduceOnly, positionSide, side }: OrderRecord): boolean {
  return (
    reduceOnly || (positionSide === 'LONG' && side === 'SELL') || (positionSide === 'SHORT' && side === 'BUY')
  );
}

/**
 * Invariant 2: a replacement order is the only one for its order, has the same terms, and the replaced one
 * never traded.
 */
function checkReplacements(stored: Stored, violate: Violate, changed: ReadonlySet<string>): void {
  for (const order of stored.orders.values()) {
    const next = order.replacedBy === undefined ? null : stored.orders.get(order.replacedBy);
    if (next === undefined) violate(2, `${order.id} names ${order.replacedBy}, which does not exist`);
    if (next && next.replaces !== order.id) violate(2, `${next.id} is not in place of ${order.id}`);
    if (next && changeOf(stored, order, next)) continue;
    if (next && (order.status !== 'ERROR' || dec(order.executedQty) > 0n))
      violate(2, `${order.id} was replaced and is ${order.status} with ${order.executedQty} executed`);
    if (order.replaces === undefined) continue;
    const before = stored.orders.get(order.replaces);
    if (before?.replacedBy !== order.id) violate(2, `${order.replaces} does not name ${order.id}`);
    if (!before || changeOf(stored, before, order)) continue;
    // An order that closes a position gets the position's size at the moment it is sent.
    const isLess = order.emulated && reduces(order) && dec(order.origQty) < dec(before.origQty);
    const sizeOf = (o: OrderRecord) => (o.closePosition || isLess ? 'what is there' : o.origQty);
    const wants = (o: OrderRecord) =>
      `${o.user} ${o.exchange} ${o.symbol} ${o.side} ${o.type} ${o.stopPrice} ${sizeOf(o)} ${o.creator} ${o.creatorId} ${o.metadata}`;
    if (wants(before) !== wants(order) && !changed.has(order.id))
      violate(2, `${order.id} wants another thing than ${before.id}`);
  }
}

/** Invariant 7: a cancel ends the pending amendment of its order, or acts on the replacement order (S54). */
function checkCancelled(call: Call, violate: Violate): void {
  const { id, specific } = (
    JSON.parse(call.body) as { data: { id: string; specific: Record<string, unknown> } }
  ).data;
  if (typeof specific.replacedBy === 'string')
    violate(7, `request ${call.n} cancelled ${id}, and ${specific.replacedBy} takes its place`);
}

function checkAcknowledged(
  call: Call,
  request: CreateOrder,
  stored: Stored,
  violate: Violate,
  changed: ReadonlySet<string>,
  cuts: Cuts,
): void {
  const { id } = (JSON.parse(call.body) as { data: { id: string } }).data;
  const order = stored.orders.get(id);
  if (!order) {
    violate(1, `request ${call.n} was acknowledged with ${id}, which does not exist`);
    return;
  }
  if (changed.has(id)) return;
  const same =
    order.exchange === request.exchange &&
    order.symbol === request.symbol &&
    order.side === request.side &&
    order.type === request.type &&
    order.price === request.price &&
    order.stopPrice === request.stopPrice &&
    order.icebergQty === request.icebergQty &&
    order.goodTillDate === request.goodTillDate &&
    order.trailing?.delta === request.trailingDelta &&
    order.quoteOrderQty === request.quoteOrderQty &&
    order.positionSide === (request.positionSide ?? 'BOTH') &&
    order.closePosition === (request.closePosition ?? false) &&
    order.reduceOnly === (request.reduceOnly ?? false) &&
    (request.quantity === undefined || isAskedSize(order, dec(request.quantity), cuts));
  if (!same)
    violate(1, `request ${call.n} asked for ${JSON.stringify(request)} and got ${JSON.stringify(order)}`);
}
