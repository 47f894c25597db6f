/**
 * The port to whoever is told of alerts outside the desk: a target sends one alert in one try and says how it went. When
 * to try again is not its matter (`schedule.ts`), nor who is told what. Its words never hold an address or a secret.
 */

/** An alert as it is sent. */
export interface AlertMessage {
  /** The same at every try: a receiver knows a duplicate by it. */
  readonly id: string;
  readonly bot: string;
  readonly run: string;
  readonly symbol: string;
  readonly condition: string;
  readonly message: string;
  /** Decimal string; null where there was none. */
  readonly price: string | null;
  /** Wall time of the firing, Unix ms. */
  readonly time: number;
  /** Market time of the firing, Unix ms: another time in a replay. */
  readonly market: number;
}

export interface Sending {
  /** Wall time, Unix ms. */
  readonly now: number;
  /** Ends the try: it resolves soon after, with whatever it has. */
  readonly signal: AbortSignal;
}

/** How a try went. */
export type Sent =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** In words for a person, without address and secret. */
      readonly reason: string;
      /** False: another try would end the same way. */
      readonly retryable: boolean;
      /** How long the receiver asks to wait; null when it does not. */
      readonly retryAfterMs: number | null;
    };

export interface Target {
  /** As bots call it. */
  readonly name: string;
  /** One try. Never rejects. */
  send(alert: AlertMessage, sending: Sending): Promise<Sent>;
  /** Ends its connections, whatever is under way on them. */
  close(): Promise<void>;
}

/** Requests under way at once to one target. */
export const TRIES_AT_ONCE = 4;
/** How long one try may take. */
export const TRY_LIMIT_MS = 10_000;
/** What a try says that took too long. */
export const NO_ANSWER = `no answer within ${TRY_LIMIT_MS / 1_000} s`;
