/**
 * What a reached `dailyLossLimit` must have done, seen from outside: no opening order is sent until the limit
 * is lifted, and it neither cancels nor refuses a close. One-sided: what cannot be known here passes.
 */
import { OWNER } from '../../src/domain/actor.ts';
import { dec, ZERO } from '../../src/domain/decimal.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { positionKey } from '../../src/domain/position.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { AccountMemory } from '../../src/engine/memory.ts';
import { signedAmount } from '../../src/engine/positions.ts';
import type { Effect } from '../../src/engine/step.ts';
import type { Dice } from './dice.ts';
import type { SimDesk } from './sim-desk.ts';
import { type Strikes, strike } from './sim-faults.ts';

/** Number of this invariant, beside those of design/testing.md. */
const LOSS = 15;
const CODE = 'GUARD_DAILY_LOSS_LIMIT';
const BY = 'dailyLossLimit';
/** Share of the looks at which a person at a console lifts a reached limit. */
const LIFTS = 0.05;

export class LossWatch {
  readonly #dice: Dice;
  readonly #strikes: Strikes;
  readonly #violate: (invariant: number, text: string) => void;
  /** Accounts whose limit is reached, by the stored rows. */
  readonly #reached = new Set<string>();

  constructor(dice: Dice, strikes: Strikes, violate: (invariant: number, text: string) => void) {
    this.#dice = dice;
    this.#strikes = strikes;
    this.#violate = violate;
  }

  committed(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.kind !== 'meta' || !row.name.startsWith('loss ')) continue;
      const exchange = row.name.slice('loss '.length);
      const reachedAt = (row.value as { reachedAt: number | null } | null)?.reachedAt ?? null;
      if (reachedAt !== null && !this.#reached.has(exchange)) strike(this.#strikes, 'loss limit reached');
      if (reachedAt === null && this.#reached.has(exchange)) strike(this.#strikes, 'loss limit lifted');
      if (reachedAt === null) this.#reached.delete(exchange);
      else this.#reached.add(exchange);
    }
  }

  /** Checks an effect that is released now, after its commit. */
  released(desk: SimDesk, effect: Effect): void {
    if (effect.kind === 'order-event') this.#told(desk, effect.order);
    if (effect.kind !== 'submit' || !this.#reached.has(effect.exchange)) return;
    const { memory } = desk.core.engine;
    const order = memory.orders.get(effect.order.clientId);
    // The order had been sent before the step that reached the limit, and that step has asked for its cancel.
    if (!order || order.cancel || !mustOpen(memory.account(effect.exchange), order)) return;
    this.#violate(LOSS, `${order.id} was sent to ${effect.exchange}, whose loss limit is reached`);
  }

  /** Lifts a reached limit now and then. */
  look(desk: SimDesk): void {
    for (const exchange of this.#reached) {
      if (!this.#dice.chance(LIFTS)) continue;
      const actor = { kind: 'operator', user: OWNER } as const;
      void desk.core.execute(actor, { type: 'lift', exchange }, { requestId: 'lift' });
    }
  }

  #told(desk: SimDesk, order: OrderRecord): void {
    const account = desk.core.engine.memory.account(order.exchange);
    const isRefused = order.rejectCode === CODE;
    const isCancelled = order.cancel?.by === BY || order.text?.includes(BY) === true;
    if (isRefused) strike(this.#strikes, 'loss limit at the send');
    if (isCancelled) strike(this.#strikes, 'cancelled by the loss limit');
    if ((isRefused || isCancelled) && mustClose(account, order))
      this.#violate(
        LOSS,
        `${order.id} closes, and the loss limit has ended it: ${order.text ?? order.cancel?.by}`,
      );
  }
}

/** Whether the exchange itself prevents this order from opening anything. */
function isKept(account: AccountMemory, order: OrderRecord): boolean {
  const { side, positionSide, reduceOnly, closePosition } = order;
  if (!account.futures) return side === 'SELL';
  if (reduceOnly || closePosition) return true;
  return positionSide !== 'BOTH' && (positionSide === 'LONG') === (side === 'SELL');
}

/** Whether the account certainly has that much to close. */
function mustClose(account: AccountMemory, order: OrderRecord): boolean {
  if (!isKept(account, order)) return false;
  const { futures, wallet } = account;
  if (!futures) return true;
  const key = positionKey(order.symbol, order.positionSide);
  if ([...(wallet.untold.positions.get(key)?.movements() ?? [])].length > 0) return false;
  const position = futures.positions.get(key);
  const signed = position ? signedAmount(position) : ZERO;
  const held = order.side === 'SELL' ? signed : -signed;
  return order.closePosition ? held > ZERO : held > ZERO && held >= dec(order.origQty);
}

function mustOpen(account: AccountMemory, order: OrderRecord): boolean {
  const { futures, wallet } = account;
  if (!futures) return order.side === 'BUY';
  if (isKept(account, order)) return false;
  if (order.positionSide !== 'BOTH') return true;
  const key = positionKey(order.symbol, 'BOTH');
  if ([...(wallet.untold.positions.get(key)?.movements() ?? [])].length > 0) return false;
  const amount = dec(futures.positions.get(key)?.amount ?? '0');
  return order.side === 'BUY' ? amount >= ZERO : amount <= ZERO;
}
