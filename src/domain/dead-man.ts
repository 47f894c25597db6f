/**
 * A dead-man switch: an exchange ends open orders by itself when it has not heard from this desk for a set
 * time (money-at-risk.md 6). What an exchange offers, as data, and what is known of a countdown that runs
 * there. Plain data.
 */

/**
 * The form of the switch. `symbol`: a countdown for each symbol, which ends the open orders of that symbol.
 * `account`: one countdown, which ends all orders of the account. `exchange`: the exchange watches the
 * connection itself and alone switches that on; no requests renew it.
 */
export type DeadManCaps =
  | (DeadManBounds & {
      readonly form: 'symbol' /** Largest number of countdowns at a time. */;
      readonly mostSymbols: number;
    })
  | (DeadManBounds & { readonly form: 'account' })
  | { readonly form: 'exchange'; readonly source: string };

interface DeadManBounds {
  readonly leastSeconds: number;
  readonly mostSeconds: number;
  /** Where the exchange documents this. */
  readonly source: string;
}

/**
 * The state of a switch that the exchange watches itself; `seconds` null: the exchange does not say after how
 * long it acts.
 */
export interface DeadManOffer {
  readonly on: boolean;
  readonly seconds: number | null;
}

/** A countdown at the exchange, as far as is known for certain. */
export interface Countdown {
  /**
   * Wall time at which the last renewal that arrived was sent, Unix ms: the countdown ends no earlier than
   * `seconds` later.
   */
  readonly at: number;
  readonly seconds: number;
  /**
   * The time between the end of an earlier countdown and the start of this one: the exchange may have ended
   * orders then. Wall, Unix ms.
   */
  readonly lapse?: { readonly from: number; readonly to: number };
}

/** A countdown that does not run: it never ends. */
export const TAKEN_BACK: Countdown = { at: Number.POSITIVE_INFINITY, seconds: 0 };

/** The countdowns of an account, by symbol; `WHOLE_ACCOUNT`: the one for all of it. */
export type Countdowns = ReadonlyMap<string, Countdown>;

export const WHOLE_ACCOUNT = '';

/** No exchange documents what happens to conditional orders. */
export const CONDITIONALS = 'whether it ends conditional orders too is not documented';

/** Returns why an account cannot have a switch of that many seconds; null: it can. */
export function deadManSettingProblem(caps: DeadManCaps | undefined, seconds: number): string | null {
  if (!caps) return 'its exchange has none here';
  if (caps.form === 'exchange')
    return 'its exchange alone switches it on, for the account; nothing is set here';
  const { leastSeconds, mostSeconds } = caps;
  if (seconds >= leastSeconds && seconds <= mostSeconds) return null;
  return `its exchange takes ${leastSeconds} to ${mostSeconds} s, or off`;
}

/** Returns the name of the meta row that stores the countdowns of an account. */
export function countdownsName(exchange: string): string {
  return `dead-man ${exchange}`;
}

/**
 * Returns what is stored of the countdowns: those that run, and gaps in which orders may have ended, so that
 * a restart still checks them.
 */
export function countdownsValue(countdowns: Countdowns): Record<string, Partial<Countdown>> {
  const value: Record<string, Partial<Countdown>> = {};
  for (const [symbol, { at, seconds, lapse }] of countdowns) {
    if (seconds === 0 && !lapse) continue;
    value[symbol] = { ...(seconds > 0 ? { at, seconds } : {}), ...(lapse ? { lapse } : {}) };
  }
  return value;
}

/** Returns the stored countdowns; entries that cannot be read are left out. */
export function storedCountdowns(meta: ReadonlyMap<string, unknown>, exchange: string): Countdowns {
  const stored = meta.get(countdownsName(exchange));
  const known = new Map<string, Countdown>();
  if (typeof stored !== 'object' || stored === null) return known;
  for (const [symbol, one] of Object.entries(stored as Record<string, Partial<Countdown> | null>)) {
    const { at, seconds, lapse } = one ?? {};
    const past = lapse && Number.isFinite(lapse.from) && Number.isFinite(lapse.to) ? { lapse } : {};
    if (Number.isFinite(at) && Number.isFinite(seconds))
      known.set(symbol, { at: at as number, seconds: seconds as number, ...past });
    else if ('lapse' in past) known.set(symbol, { ...TAKEN_BACK, ...past });
  }
  return known;
}
