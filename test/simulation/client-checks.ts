/** The clients' log of requests against what is stored at the end: invariants 1, 2 and 9. */
import { dec } from '../../src/domain/decimal.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import type { Stored, Violate } from './checks.ts';
import type { Call } from './history.ts';
import type { World } from './world.ts';

/** 1, 9: the clients' log against the end. */
export function checkClients(world: World, stored: Stored, violate: Violate): void {
  const byEntropy = new Map<string, OrderRecord[]>();
  for (const order of stored.orders.values()) {
    const entropy = order.id.slice(-13, -2);
    const list = byEntropy.get(entropy);
    if (list) list.push(order);
    else byEntropy.set(entropy, [order]);
  }
  const made = (call: Call): OrderRecord[] => (call.entropy ? (byEntropy.get(call.entropy) ?? []) : []);
  const groups = new Map<string, number>();
  for (const call of world.clients.calls) {
    const orders = made(call);
    const places = call.command.type === 'place';
    if (places && orders.length > 1) violate(2, `request ${call.n} made ${orders.length} orders`);
    if (orders.length > 0 && call.group !== null) groups.set(call.group, (groups.get(call.group) ?? 0) + 1);
    if (call.state === 'unsaved' && orders.length > 0)
      violate(1, `request ${call.n} was answered 503 "not carried out" and made ${orders[0]?.id}`);
    if (call.state === 'conflict' && orders.length > 0)
      violate(9, `request ${call.n} was a conflict and made ${orders[0]?.id}`);
    if (call.replayed && orders.length > 0)
      violate(9, `request ${call.n} was a repetition and made ${orders[0]?.id}`);
    if (call.command.type === 'place' && call.state === 'ok')
      checkAcknowledged(call, call.command.request, stored, violate);
    const traded = orders.some((order) => order.status !== 'ERROR');
    if (places && call.state === 'refused' && traded)
      violate(1, `request ${call.n} was refused and made ${orders[0]?.id} (${orders[0]?.status})`);
  }
  for (const [group, count] of groups)
    if (count > 1) violate(2, `key ${group} was carried out ${count} times`);
}

function checkAcknowledged(call: Call, request: CreateOrder, stored: Stored, violate: Violate): void {
  const { id } = (JSON.parse(call.body) as { data: { id: string } }).data;
  const order = stored.orders.get(id);
  if (!order) {
    violate(1, `request ${call.n} was acknowledged with ${id}, which does not exist`);
    return;
  }
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
    (request.quantity === undefined || dec(order.origQty) === dec(request.quantity));
  if (!same)
    violate(1, `request ${call.n} asked for ${JSON.stringify(request)} and got ${JSON.stringify(order)}`);
}
