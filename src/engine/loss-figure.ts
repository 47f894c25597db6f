/**
 * The loss of an account today compared with its `dailyLossLimit`, as the last check found it: the refusal of
 * entries, the reason why runs pause, the figures for meters. Reads only; the check itself and its
 * consequences are in `loss-limit.ts`. Pure.
 */
import { type Dec, dec, div, fixed, maxDec, mul, str, ZERO } from '../domain/decimal.ts';
import { GUARD_CODES, type LossMeter } from '../domain/guards.ts';
import { baseNow, type Worth } from './day-base.ts';
import type { Problem } from './filters.ts';
import type { AccountMemory } from './memory.ts';

const HUNDRED = dec('100');

/** Whether the limit is reached, and the loss; as it is stored. */
export interface StoredLoss {
  /** Wall time; null: not reached. */
  readonly reachedAt: number | null;
  /** The loss when the limit was last lifted: that amount does not count again on that day. */
  readonly lifted: string;
  readonly liftedDay: number | null;
}

export interface LossMemory {
  stored: StoredLoss;
  /** Result of the last check; null before the first one. */
  figure: LossFigure | null;
  /** Monotonic time since which every check has found the limit reached; null: the last one has not. */
  seenSince: number | null;
  /** Monotonic time since which the wallet differs from its ledger; null: it does not. */
  movingSince: number | null;
}

export type LossFigure =
  | { readonly why: string }
  | {
      readonly base: Dec;
      readonly since: number;
      readonly lost: Dec;
      readonly counted: Dec;
      readonly limit: Dec;
    };

const NOT_REACHED: StoredLoss = { reachedAt: null, lifted: '0', liftedDay: null };

/** Loads the state as it is stored. */
export function loadLoss(meta: ReadonlyMap<string, unknown>, exchange: string): LossMemory {
  return newLoss((meta.get(lossName(exchange)) as StoredLoss | undefined) ?? NOT_REACHED);
}

export function newLoss(stored: StoredLoss = NOT_REACHED): LossMemory {
  return { stored, figure: null, seenSince: null, movingSince: null };
}

/** Returns the name of the meta row that stores it. */
export function lossName(exchange: string): string {
  return `loss ${exchange}`;
}

/** Returns the limit and the loss of an account with a limit; null: it has none. */
export function limited({ guards, absent }: AccountMemory): { percent: string; loss: LossMemory } | null {
  if (absent || !guards || guards.set.dailyLossLimit === null) return null;
  return { percent: guards.set.dailyLossLimit, loss: guards.loss };
}

/** Returns why an account takes no entry, for its runs; null: no limit is reached. */
export function lossPause(account: AccountMemory): string | null {
  const reached = limited(account)?.loss.stored.reachedAt ?? null;
  return reached === null ? null : 'has reached its dailyLossLimit, until an owner lifts it on Accounts';
}

export function figureOf(
  { wallet }: AccountMemory,
  { stored }: LossMemory,
  percent: string,
  worth: Worth,
  hasBase: boolean,
): LossFigure {
  if ('why' in worth) return worth;
  const base = hasBase ? baseNow(wallet) : { why: 'the day has begun, and what there was then is not known' };
  if ('why' in base) return base;
  const { day = null, at = 0 } = wallet.dayBase ?? {};
  const lost = base.usd - worth.usd;
  const counted = lost - (day !== null && stored.liftedDay === day ? dec(stored.lifted) : ZERO);
  const limit = maxDec(div(mul(base.usd, dec(percent)), HUNDRED), ZERO);
  return { base: base.usd, since: at, lost, counted, limit };
}

/**
 * Returns whether the limit is reached; a loss equal to the limit is enough, but an empty wallet without a
 * loss is not.
 */
export function isReached({ counted, limit }: Extract<LossFigure, { base: Dec }>): boolean {
  return counted > ZERO && counted >= limit;
}

/** Returns the objection to an entry of the account; null: none. */
export function lossProblem(account: AccountMemory): Problem | null {
  const own = limited(account);
  if (!own) return null;
  const { id } = account.account;
  const { figure, stored } = own.loss;
  const refused = (message: string): Problem => ({
    field: 'symbol',
    message,
    reason: GUARD_CODES.dailyLossLimit,
  });
  if (stored.reachedAt !== null || (figure && !('why' in figure) && isReached(figure))) {
    const numbers =
      figure && !('why' in figure)
        ? `${fixed(maxDec(figure.counted, ZERO), 2)} USDT were lost and dailyLossLimit of ${id} allows ${fixed(figure.limit, 2)} USDT a day`
        : `dailyLossLimit of ${id} was reached`;
    return refused(`${numbers}; an owner lifts it on the Accounts screen`);
  }
  if (figure && !('why' in figure)) return null;
  const why = figure ? figure.why : 'prices and balances have not come since the start';
  return refused(`dailyLossLimit of ${id} cannot be judged: ${why}; try again when it is known`);
}

/** Returns the figures for meters; null: no limit is set. */
export function lossMeter(account: AccountMemory): LossMeter | null {
  const own = limited(account);
  if (!own) return null;
  const { figure, stored } = own.loss;
  const { reachedAt } = stored;
  if (!figure) return { reachedAt, known: false, why: 'prices and balances have not come since the start' };
  if ('why' in figure) return { reachedAt, known: false, why: figure.why };
  const { base, since, lost, counted, limit } = figure;
  const left = str(maxDec(limit - maxDec(counted, ZERO), ZERO));
  return {
    reachedAt,
    known: true,
    since,
    left,
    base: str(base),
    lost: str(lost),
    counted: str(counted),
    limit: str(limit),
  };
}
