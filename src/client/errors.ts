/** The errors of the client's calls. `retryable` follows the specification's retry guidance ("Errors"). */
import { type ErrorCode, HTTP_STATUS } from '../domain/errors.ts';
import type { StreamErrorCode } from '../schemas/stream.ts';

/**
 * Codes of the specification's rule "retry with a fresh signature (and the same idempotency key for
 * mutations) on ...".
 */
const RETRYABLE: ReadonlySet<string> = new Set<ErrorCode>([
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'RISK_SHIELD_ERROR',
]);

/** The service answered with an error. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** A code of the specification; kept as text, since later versions may add some. */
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  readonly retryable: boolean;
  readonly requestId: string | null;
  /** Wait from Retry-After, ms; null when there was none. */
  readonly retryAfterMs: number | null;
  /** Repeat a write with this key to learn its outcome without a second effect; null for reads. */
  readonly idempotencyKey: string | null;

  constructor(fields: {
    code: string;
    status: number;
    message: string;
    requestId?: string | null;
    retryAfterMs?: number | null;
    idempotencyKey?: string | null;
  }) {
    super(fields.message);
    this.code = fields.code;
    this.status = fields.status;
    this.retryable = RETRYABLE.has(fields.code);
    this.requestId = fields.requestId ?? null;
    this.retryAfterMs = fields.retryAfterMs ?? null;
    this.idempotencyKey = fields.idempotencyKey ?? null;
  }
}

/** No answer, or an unreadable one: a write may or may not have happened. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly code = 'NETWORK_ERROR';
  readonly retryable = true;
  readonly idempotencyKey: string | null;

  constructor(message: string, options: { cause?: unknown; idempotencyKey?: string | null } = {}) {
    super(message, { cause: options.cause });
    this.idempotencyKey = options.idempotencyKey ?? null;
  }
}

/** The error code for an error answer without the envelope (a proxy's page). */
export function codeOfStatus(status: number): ErrorCode {
  if (status === HTTP_STATUS.RATE_LIMITED) return 'RATE_LIMITED';
  // 502 and 504 come from proxies only: the service behind them could not be asked.
  if (status >= 502 && status <= 504) return 'SERVICE_UNAVAILABLE';
  return status >= 500 ? 'INTERNAL_ERROR' : 'UNKNOWN_ERROR';
}

/** The service refused a message on the WebSocket, or the stream cannot go on. */
export class StreamError extends Error {
  override readonly name = 'StreamError';
  /**
   * A code of the specification ("Server messages" 7); CLOSED: the stream was closed; UPGRADE_REFUSED: there
   * is no WebSocket at the address.
   */
  readonly code: string;
  /** False: trying again changes nothing, and the stream does not reconnect. */
  readonly retryable: boolean;
  /** How long the service asks to wait; null when it does not say. */
  readonly retryAfterMs: number | null;

  constructor(
    code: string,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | null } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryable = !FINAL_ON_STREAM.has(code);
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

const FINAL_ON_STREAM: ReadonlySet<string> = new Set<StreamErrorCode | 'CLOSED' | 'UPGRADE_REFUSED'>([
  'INVALID_ARGS',
  'INVALID_KEY',
  'INVALID_SIGNATURE',
  'UNAUTHORIZED',
  'IP_REJECTED',
  'INSUFFICIENT_PERMISSIONS',
  'KEY_REVOKED',
  'CLOSED',
  'UPGRADE_REFUSED',
]);
