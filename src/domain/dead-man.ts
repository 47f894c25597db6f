/**
 * A dead-man switch: an exchange ends open orders by itself when it has heard nothing of this desk for so long (money-at-risk.md 6).
 * How an exchange has it, as data, and what is known of a countdown that runs there. Plain data.
 */

/**
 * `symbol`: a countdown for each symbol, which ends the open orders of that symbol. `account`: one, which ends all of the account.
 * `exchange`: the exchange watches the line itself, and only it switches that on: nothing is renewed by requests.
 */
export type DeadManCaps =
  | (DeadManBounds & {
      readonly form: 'symbol' /** Countdowns at a time at most. */;
      readonly mostSymbols: number;
    })
  | (DeadManBounds & { readonly form: 'account' })
  | { readonly form: 'exchange'; readonly source: string };

interface DeadManBounds {
  readonly leastSeconds: number;
  readonly mostSeconds: number;
  /** Where that is written. */
  readonly source: string;
}

/** Of one that the exchange watches itself; `seconds` null: it does not say after how long it acts. */
export interface DeadManOffer {
  readonly on: boolean;
  readonly seconds: number | null;
}

/** A countdown at the exchange, as far as is known for certain. */
export interface Countdown {
  /** Wall time at which its last renewal that has arrived was sent, Unix ms: it ends not before `seconds` later. */
  readonly at: number;
  readonly seconds: number;
  /** When one before it was over and it had not begun: its exchange may have ended orders then. Wall, Unix ms. */
  readonly lapse?: { readonly from: number; readonly to: number };
}

/** One that does not run: it never ends. */
export const TAKEN_BACK: Countdown = { at: Number.POSITIVE_INFINITY, seconds: 0 };

/** Of an account, by symbol; `WHOLE_ACCOUNT`: all of it. */
export type Countdowns = ReadonlyMap<string, Countdown>;

export const WHOLE_ACCOUNT = '';

/** What of conditional orders becomes is in no document of an exchange. */
export const CONDITIONALS = 'whether it ends conditional orders too is not documented';

/** Why an account cannot have one of so many seconds; null: it can. */
export function deadManSettingProblem(caps: DeadManCaps | undefined, seconds: number): string | null {
  if (!caps) return 'its exchange has none here';
  if (caps.form === 'exchange')
    return 'its exchange alone switches it on, for the account; nothing is set here';
  const { leastSeconds, mostSeconds } = caps;
  if (seconds >= leastSeconds && seconds <= mostSeconds) return null;
  return `its exchange takes ${leastSeconds} to ${mostSeconds} s, or off`;
}

/** Stored as meta under this name: the countdowns of an account. */
export function countdownsName(exchange: string): string {
  return `dead-man ${exchange}`;
}

/** What is stored of them: those that run, and what one before may have ended, which is found out after a restart, too. */
export function countdownsValue(countdowns: Countdowns): Record<string, Partial<Countdown>> {
  const value: Record<string, Partial<Countdown>> = {};
  for (const [symbol, { at, seconds, lapse }] of countdowns) {
    if (seconds === 0 && !lapse) continue;
    value[symbol] = { ...(seconds > 0 ? { at, seconds } : {}), ...(lapse ? { lapse } : {}) };
  }
  return value;
}

/** What the store has of them; what cannot be read is left out. */
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
