/** What a call of the client can fail with. `retryable` follows the specification's retry guidance ("Errors"). */
import { type ErrorCode, HTTP_STATUS } from '../domain/errors.ts';

/** "retry with a fresh signature (and the same idempotency key for mutations) on ...". */
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
  /** From Retry-After; null when there was none. */
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

/** No answer, or one that cannot be read: a write may or may not have happened. */
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

/** Which code stands for an error answer without the envelope (a proxy's page). */
export function codeOfStatus(status: number): ErrorCode {
  if (status === HTTP_STATUS.RATE_LIMITED) return 'RATE_LIMITED';
  // 502 and 504 come from proxies only: the service behind could not be asked.
  if (status >= 502 && status <= 504) return 'SERVICE_UNAVAILABLE';
  return status >= 500 ? 'INTERNAL_ERROR' : 'UNKNOWN_ERROR';
}
