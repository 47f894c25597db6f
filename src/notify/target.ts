/**
 * The port for receivers of alerts outside the desk: a target sends one alert in one try and reports the
 * result. It decides neither when to try again (`schedule.ts`) nor who receives what. Its texts never contain
 * an address or a secret.
 */

/** An alert as it is sent. */
export interface AlertMessage {
  /** The same at every try, so that a receiver can recognise a duplicate. */
  readonly id: string;
  readonly bot: string;
  readonly run: string;
  readonly symbol: string;
  readonly condition: string;
  readonly message: string;
  /** Decimal string; null where there was no price. */
  readonly price: string | null;
  /** Wall time of the firing, Unix ms. */
  readonly time: number;
  /** Market time of the firing, Unix ms: differs from `time` in a replay. */
  readonly market: number;
}

export interface Sending {
  /** Wall time, Unix ms. */
  readonly now: number;
  /** Ends the try: it resolves soon after, with the result so far. */
  readonly signal: AbortSignal;
}

/** The result of a try. */
export type Sent =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** The reason in words for a person, without address and secret. */
      readonly reason: string;
      /** False: another try would have the same result. */
      readonly retryable: boolean;
      /** How long the receiver asks to wait; null when it does not. */
      readonly retryAfterMs: number | null;
    };

export interface Target {
  /** The name by which bots refer to it. */
  readonly name: string;
  /** Makes one try. Never rejects. */
  send(alert: AlertMessage, sending: Sending): Promise<Sent>;
  /** Closes its connections, whatever is under way on them. */
  close(): Promise<void>;
}

/** Largest number of requests under way at once to one target. */
export const TRIES_AT_ONCE = 4;
/** How long one try may take, ms. */
export const TRY_LIMIT_MS = 10_000;
/** The reason given for a try that took too long. */
export const NO_ANSWER = `no answer within ${TRY_LIMIT_MS / 1_000} s`;
