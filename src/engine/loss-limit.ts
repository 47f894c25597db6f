/**
 * `dailyLossLimit` (money-at-risk, section 3): when the wallet of an account has lost more than this part of
 * its value at 00:00, the account takes no entry, its runs pause and resting orders of persons and keys that
 * may open something are cancelled, until an owner lifts it. Exits, stops and cancels are never touched. The
 * loss is checked when prices move, never between messages of the exchange that belong together; an unknown
 * figure refuses entries, and does nothing else. Pure.
 */
import { type Actor, actorLabel } from '../domain/actor.ts';
import { type Dec, fixed, maxDec, str, ZERO } from '../domain/decimal.ts';
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import { unknownAccount } from './accounts.ts';
import { followDay, isMoving, pricePaid, worthOf } from './day-base.ts';
import { guardedOf, openOrders, surelyOpens } from './guard-figures.ts';
import { cancelOrder } from './held.ts';
import { answer } from './idempotency.ts';
import {
  figureOf,
  isReached,
  type LossMemory,
  limited,
  lossMeter,
  lossName,
  type StoredLoss,
} from './loss-figure.ts';
import type { AccountMemory, Waiter } from './memory.ts';
import type { EngineEvent } from './step.ts';
import type { StepContext } from './step-context.ts';

/** How long a loss must be seen where an exchange reports balances and positions one after the other, ms. */
const SEEN_MS = 2_000;
/** Time after which a wallet that still differs from its ledger counts as unknown, ms. */
const MOVING_MS = 60_000;

function keepLoss(step: StepContext, account: AccountMemory, loss: LossMemory, stored: StoredLoss): void {
  loss.stored = stored;
  step.row({ kind: 'meta', name: lossName(account.account.id), value: stored });
}

/** Deletes the stored state when the limit is switched off. */
export function forgetLoss(step: StepContext, { account }: AccountMemory): void {
  step.row({ kind: 'meta', name: lossName(account.id), value: null });
}

const LOOKS: ReadonlySet<EngineEvent['type']> = new Set([
  'tick',
  'mark',
  'price',
  'stale',
  'day',
  'compared',
  'audit',
  'wake',
]);

/** Checks accounts with a limit after an event that may have changed their value. */
export function checkLosses(step: StepContext, event: EngineEvent): void {
  if (!LOOKS.has(event.type)) return;
  for (const account of step.memory.accounts.values()) {
    const own = limited(account);
    if (own && concerns(event, account)) look(step, account, own.percent, own.loss);
  }
}

/** Assets through whose prices others are valued. */
const BRIDGES: ReadonlySet<string> = new Set(['BTC', 'BNB', 'ETH']);

/**
 * Returns whether the event concerns the wallet: the price of an asset that it does not hold changes nothing.
 */
function concerns(event: EngineEvent, { wallet }: AccountMemory): boolean {
  if (event.type !== 'tick' && event.type !== 'mark') return true;
  return wallet.accounts.some(({ instruments, futures }) => {
    const base = instruments.get(event.symbol)?.base;
    if (base !== undefined && (BRIDGES.has(base) || wallet.balances.has(base))) return true;
    for (const { symbol } of futures?.positions.values() ?? []) if (symbol === event.symbol) return true;
    return false;
  });
}

/** Checks the account now. */
export function lookAtLoss(step: StepContext, account: AccountMemory): void {
  const own = limited(account);
  if (own) look(step, account, own.percent, own.loss);
}

function look(step: StepContext, account: AccountMemory, percent: string, loss: LossMemory): void {
  const { wallet } = account;
  const { mono, wall } = step.now;
  pricePaid(step, wallet);
  const hasBase = followDay(step, wallet);
  const worth = worthOf(wallet);
  const moves = isMoving(wallet);
  loss.movingSince = moves ? (loss.movingSince ?? mono) : null;
  // While only one of ledger and balances includes a movement, the check waits for the other.
  if (moves && loss.figure !== null && hasBase && mono - (loss.movingSince ?? mono) < MOVING_MS) return;
  loss.figure = moves
    ? { why: `what ${wallet.name} has and what its ledger explains differ` }
    : figureOf(account, loss, percent, worth, hasBase);
  const { figure } = loss;
  if ('why' in figure || !isReached(figure)) {
    loss.seenSince = null;
    return;
  }
  loss.seenSince ??= mono;
  if (loss.stored.reachedAt !== null) return;
  if (!account.caps.pricesFirst && mono - loss.seenSince < SEEN_MS) return;
  keepLoss(step, account, loss, { ...loss.stored, reachedAt: wall });
  reach(step, account, figure);
}

function reach(
  step: StepContext,
  account: AccountMemory,
  { counted, limit }: { counted: Dec; limit: Dec },
): void {
  const { id } = account.account;
  let cancelled = 0;
  for (const order of [...openOrders(step.memory, account)]) {
    // Runs withdraw their own orders, and external orders belong to others.
    if (order.creator === 'BOT' || order.external || !surelyOpens(account, guardedOf(order, false))) continue;
    cancelOrder(step, order, 'dailyLossLimit', `dailyLossLimit of ${id} was reached`, { keep: true });
    cancelled += 1;
  }
  const what = `${fixed(counted, 2)} USDT were lost of at most ${fixed(limit, 2)}`;
  const then = `${cancelled} ${cancelled === 1 ? 'entry is' : 'entries are'} cancelled, its runs pause, exits and stops stay`;
  const text = `${id}: dailyLossLimit is reached: ${what}; ${then}, until it is lifted on Accounts`;
  step.effect({ kind: 'log', level: 'error', source: 'exchange', text });
}

/**
 * Lifts the limit: entries are taken again, until as much more is lost or the day ends; only for an owner at
 * a console.
 */
export function liftLoss(
  step: StepContext,
  actor: Actor,
  exchange: string,
  waiter: Waiter,
): Outcome<unknown> | null {
  if (actor.kind !== 'operator') return refuse('FORBIDDEN', 'a loss limit is lifted at a console only');
  const unknown = unknownAccount(step.memory, actor, exchange);
  if (unknown) return unknown;
  const account = step.memory.account(exchange);
  const own = limited(account);
  if (!own || own.loss.stored.reachedAt === null)
    return refuse('CONFLICT', `no dailyLossLimit of ${exchange} is reached`);
  const { loss } = own;
  look(step, account, own.percent, loss);
  const { figure } = loss;
  if (!figure || 'why' in figure) {
    const why = figure ? figure.why : 'nothing was told yet';
    return refuse('SERVICE_UNAVAILABLE', `what ${exchange} has lost is not known: ${why}; try again`);
  }
  const lifted = str(maxDec(figure.lost, ZERO));
  keepLoss(step, account, loss, { reachedAt: null, lifted, liftedDay: account.wallet.dayBase?.day ?? null });
  look(step, account, own.percent, loss);
  const text = `${exchange}: dailyLossLimit is lifted at a loss of ${fixed(figure.lost, 2)} USDT, asked by ${actorLabel(actor)}`;
  step.effect({ kind: 'log', level: 'warn', source: 'exchange', text });
  answer(step, waiter, ok(lossMeter(account)));
  return null;
}
