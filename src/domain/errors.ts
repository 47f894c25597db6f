/**
 * The errors with which the service refuses or fails: the specification's error codes with their HTTP status,
 * and the stable reason behind a refusal for the log, the audit line and the console.
 */
import type { GuardCode } from './guards.ts';

/** HTTP status by error code (specification, "Errors"). UNKNOWN_ERROR is 500 (D1, S16). */
export const HTTP_STATUS = {
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  INVALID_KEY: 401,
  INVALID_SIGNATURE: 401,
  TIMESTAMP_EXPIRED: 401,
  TIMESTAMP_INVALID: 401,
  FORBIDDEN: 403,
  IP_NOT_WHITELISTED: 403,
  EXCHANGE_NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  IDEMPOTENCY_CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  VALIDATION_ERROR: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  RISK_SHIELD_ERROR: 500,
  UNKNOWN_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof HTTP_STATUS;

/** Why an order was refused, stable and machine-readable (engine.md, submission rule 8). */
export type RefusalReason =
  | 'FIELD'
  | 'EXCHANGE'
  | 'SYMBOL'
  | 'PRICE_TICK'
  | 'PRICE_RANGE'
  | 'QUANTITY_STEP'
  | 'QUANTITY_RANGE'
  | 'MIN_NOTIONAL'
  | 'MAX_NOTIONAL'
  | 'MAX_ORDERS'
  | 'ICEBERG'
  | 'TRAILING'
  | 'STOP_SIDE'
  | 'NO_PRICE'
  | 'BALANCE'
  | 'RESERVED'
  | 'NOT_SPLITTABLE'
  | 'NOT_AMENDABLE'
  | 'VENUE'
  | 'UNREACHED'
  | 'BUDGET'
  | GuardCode;

/** A refusal or failure as plain data: passed between threads and stored in the idempotency record. */
export interface ServiceError {
  readonly code: ErrorCode;
  /** One sentence for a person: which field, what was wrong, what would be right. */
  readonly message: string;
  readonly reason?: RefusalReason;
  /** Seconds after which a retry may help; sent as Retry-After. */
  readonly retryAfterS?: number;
}

/** The outcome of a command: its result, or the refusal. Expected refusals are values, never exceptions. */
export type Outcome<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly error: ServiceError };

export function ok<T>(data: T): Outcome<T> {
  return { ok: true, data };
}

export function refuse(
  code: ErrorCode,
  message: string,
  reason?: RefusalReason,
): { ok: false; error: ServiceError } {
  return { ok: false, error: reason ? { code, message, reason } : { code, message } };
}

/** Keeps a `switch` over a union complete at compile time. */
export function assertNever(value: never): never {
  throw new Error(`unexpected case: ${JSON.stringify(value)}`);
}

/** Returns the message of whatever was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
