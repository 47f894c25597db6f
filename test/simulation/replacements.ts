/**
 * Amendments that an exchange cannot make in place: in some seeds the exchanges can make fewer than they
 * really do. Checks the replacement order: there is one, for no more than the amendment has left, and never
 * open beside the old one.
 */
import { type Dec, dec, maxDec, str } from '../../src/domain/decimal.ts';
import type { OrderRecord, SplitPlan } from '../../src/domain/order.ts';
import type { PaperOrderDoc } from '../../src/venues/paper/paper-order.ts';
import type { Venue } from '../../src/venues/venue.ts';
import type { Stored, Violate } from './checks.ts';
import type { FixedTerms } from './plan.ts';
import { over } from './venue-over.ts';

/** The same exchange, with fewer terms that can be amended. */
export function fixing(venue: Venue, fixed: FixedTerms): Venue {
  const { amends, ...caps } = venue.caps;
  if (!amends || fixed === 'nothing') return venue;
  const fewer = { ...amends, fields: ['quantity'], onlyLess: true } as const;
  return over(venue, { caps: fixed === 'all' ? caps : { ...caps, amends: fewer } });
}

/**
 * The plan of an amendment that replaced the first order by the second; undefined: it was replaced for
 * another reason.
 */
export function changeOf(stored: Stored, before: OrderRecord, after: OrderRecord): SplitPlan | undefined {
  return stored.plans.find(
    ({ id, change, children }) => change && id === before.id && children[0] === after.id,
  );
}

const KEPT = [
  ...(['user', 'exchange', 'symbol', 'side', 'positionSide', 'timeInForce', 'reduceOnly'] as const),
  ...(['closePosition', 'workingType', 'isContract', 'metadata'] as const),
] satisfies readonly (keyof OrderRecord)[];

/** Invariant 7: the orders that one amendment has made of one order. */
export function checkChange(plan: SplitPlan, stored: Stored, violate: Violate, cutsStops = false): void {
  const { id, change, children } = plan;
  const parent = stored.orders.get(id);
  const next = stored.orders.get(children[0] ?? '');
  if (!parent) violate(7, `the order ${id} of a change is gone`);
  if (!parent || !next || !change) return;
  if (parent.status !== 'CANCELLED')
    violate(7, `${id} is ${parent.status}, and ${next.id} took its place to change it`);
  if (parent.replacedBy !== next.id || next.replaces !== id)
    violate(7, `${next.id} and ${id}, which it took the place of, do not name each other`);
  for (const field of KEPT)
    if (next[field] !== parent[field])
      violate(7, `${field} of ${next.id} is ${next[field]}, of ${id} before its change ${parent[field]}`);
  checkWanted(plan, parent, next, violate, cutsStops);
}

/** Whether the exchange itself sends a market order once the price is there, for what there is then. */
export function isMarketStop({ type, isContract, emulated }: OrderRecord): boolean {
  return (type === 'STOP_MARKET' || type === 'TAKE_PROFIT_MARKET') && !isContract && !emulated;
}

/** Checks the terms, unless somebody has asked for something else since. */
function checkWanted(
  plan: SplitPlan,
  parent: OrderRecord,
  next: OrderRecord,
  violate: Violate,
  cutsStops: boolean,
): void {
  const { change = {} } = plan;
  if (next.changes !== undefined) return;
  const wants: Partial<OrderRecord> = {
    ...(change.price === undefined ? {} : { price: change.price }),
    ...(change.stopPrice === undefined || next.stopPrice === undefined
      ? {}
      : { stopPrice: change.stopPrice }),
  };
  for (const [field, value] of Object.entries(wants) as [keyof OrderRecord, string][])
    if (next[field] !== value)
      violate(7, `${field} of ${next.id} was to be ${value} and is ${String(next[field])}`);
  const most = mostOf(plan, parent);
  if (parent.closePosition) return;
  // The exchange makes an order smaller that only closes.
  const all = dec(parent.executedQty) + dec(next.origQty);
  const mayBeLess = next.reduceOnly || next.positionSide !== 'BOTH' || (cutsStops && isMarketStop(next));
  const same = mayBeLess ? all <= most : all === most;
  if (!same) violate(7, `${id2(parent, next)} are for ${str(all)} together, the change left ${str(most)}`);
  const executed = dec(parent.executedQty) + dec(next.executedQty);
  if (executed > most)
    violate(5, `${id2(parent, next)} executed ${str(executed)}, the change left ${str(most)}`);
}

function id2(parent: OrderRecord, next: OrderRecord): string {
  return `${parent.id} and ${next.id} in its place`;
}

/** The largest quantity that both orders together may have. */
function mostOf({ change }: SplitPlan, parent: OrderRecord): Dec {
  return maxDec(dec(change?.quantity ?? parent.origQty), dec(parent.executedQty));
}

/** Invariant 2: when an order reaches its exchange, the order that it replaces must not be open there. */
export function checkNotBeside(id: string, before: readonly PaperOrderDoc[], violate: Violate): void {
  for (const { clientId, status } of before)
    if (status === 'WORKING' || status === 'PENDING')
      violate(2, `${id} is at its exchange, and ${clientId}, whose place it takes, is ${status} there`);
}
