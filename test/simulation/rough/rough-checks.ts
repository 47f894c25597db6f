/**
 * Invariants that hold at the rough exchange only: no price of another market moves an order, and what the
 * desk is sure of is true, however old an answer was.
 */
import { str } from '../../../src/domain/decimal.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { positionKey } from '../../../src/domain/position.ts';
import type { AccountMemory } from '../../../src/engine/memory.ts';
import { signedAmount } from '../../../src/engine/positions.ts';
import { REPORTED } from '../../../src/engine/reports.ts';
import { triggersAbove } from '../../../src/engine/validate.ts';
import type { KnownRun } from '../bot-watch.ts';
import type { Violate } from '../checks.ts';
import type { SimDesk } from '../sim-desk.ts';
import type { Rough } from './open-rough.ts';
import type { RoughExchange } from './rough-exchange.ts';

/** By this time a reported event is received, and requests that it caused are answered. */
const HEARD_WITHIN_MS = 4_000;

/** Checks a held stop that is sent now: the price last reported for its own market meets it. */
export function checkFired(rough: RoughExchange, order: OrderRecord, violate: Violate): void {
  const { id, symbol, side, type, firedHere, trailing, stopPrice, isContract, workingType } = order;
  if (!firedHere || trailing || stopPrice === undefined) return;
  const stop = Number(stopPrice);
  const isMark = isContract && workingType === 'MARK_PRICE';
  const heard = isMark ? [rough.toldMarks] : [rough.told, rough.toldFills];
  const prices = heard.flatMap((told) => told.get(symbol) ?? []);
  const isAbove = triggersAbove(type, side);
  const met = prices.some((price) => (isAbove ? Number(price) >= stop : Number(price) <= stop));
  if (!met) violate(13, `${id} fired at ${stopPrice} where ${symbol} on its market was ${prices.join(', ')}`);
}

/**
 * Invariants 3, 4: at a moment at which the desk knows of no gap and no doubt, a figure equals that of the
 * exchange if it has not moved for a while and every event about it since the last request was received.
 */
export function checkSure({ exchange, line }: Rough, desk: SimDesk, now: number, violate: Violate): number {
  const { id } = exchange.account;
  const { link, away, unread, wallet } = desk.core.engine.memory.account(id);
  if (!link.up || link.gap || away !== null || unread.size > 0 || wallet.untold.hasDoubt) return 0;
  if (!line.isQuiet || desk.life.slept !== undefined) return 0;
  const { eventDelayMs, lagMs } = exchange.plan;
  let looked = 0;
  for (const [name, movedAt] of exchange.movedAt) {
    const [part = '', ...words] = name.split(' ');
    const answeredAt = line.answeredAt[part as keyof typeof line.answeredAt];
    // Settings have no events.
    const missedAt = part === 'setting' ? Math.max(movedAt, line.lostAt) : line.lostAt;
    const isKnown = answeredAt - lagMs > missedAt && answeredAt < now - HEARD_WITHIN_MS;
    if (!isKnown || movedAt > now - eventDelayMs - lagMs - HEARD_WITHIN_MS) continue;
    const key = words.join(' ');
    // The margin type of a contract that is not traded is never requested.
    if (part === 'setting' && !line.isTraded(key, answeredAt - lagMs - eventDelayMs)) continue;
    // An answer may have been newer than the event: it is requested again after a back-off.
    if (reportsOf(part, key).some((report) => wallet.versions.doubts(report))) continue;
    const there = exchange.figure(part, key);
    const here = believed(desk.core.engine.memory.account(id), part, key);
    looked += 1;
    if (there !== here)
      violate(3, `${name} of ${id}: the desk is sure of ${here}, the exchange has ${there}`);
  }
  return looked;
}

/**
 * Invariant 10: an exchange with no other users that bans nobody never has to refuse because of its limits;
 * where it does refuse, no run counts the refused order as an error, so no run ends by it.
 */
export function checkLimits({ exchange, limits }: Rough, runs: readonly KnownRun[], violate: Violate): void {
  if (!limits) return;
  const { bansEveryMs, othersEveryMs } = exchange.plan.limits ?? { bansEveryMs: 0, othersEveryMs: 0 };
  const refusals = Object.entries(limits.refused).filter(([, count]) => count > 0);
  if (bansEveryMs === 0 && othersEveryMs === 0 && refusals.length > 0)
    violate(10, `${exchange.account.id} had to refuse for its limits: ${JSON.stringify(limits.refused)}`);
  const ended = runs.find(({ reason }) => /too many requests|lets be sent/.test(reason ?? ''));
  if (ended)
    violate(10, `run ${ended.runId} ended for the limits of ${exchange.account.id}: ${ended.reason}`);
}

/** The engine's names for the reports of this figure. */
function reportsOf(part: string, key: string): string[] {
  if (part === 'balance') return [REPORTED.balance(key)];
  if (part === 'position') return [REPORTED.position(key)];
  return (['BOTH', 'LONG', 'SHORT'] as const).map((side) => REPORTED.leverage(positionKey(key, side)));
}

function believed({ wallet: { balances }, futures }: AccountMemory, part: string, key: string): string {
  if (part === 'setting') {
    const known = futures?.leverage.of(key);
    return `${known?.leverage}x ${known?.marginType}`;
  }
  const balance = balances.get(key);
  const position = futures?.positions.get(key);
  if (part === 'balance') return balance ? str(balance.free + balance.locked) : '0';
  return position ? str(signedAmount(position)) : '0';
}
