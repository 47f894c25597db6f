/**
 * The v2 response envelope (specification, "Conventions" and "Errors"), rendered in one place so that a
 * stored response has exactly the bytes that were sent. Pure.
 */
import { HTTP_STATUS, type ServiceError } from './errors.ts';

export const API_VERSION = '2.0.0';

export function successBody(
  data: unknown,
  meta: { requestId: string; timestamp: number; idempotencyKey?: string },
): string {
  return JSON.stringify({
    data,
    meta: {
      requestId: meta.requestId,
      timestamp: meta.timestamp,
      version: API_VERSION,
      ...(meta.idempotencyKey === undefined ? {} : { idempotencyKey: meta.idempotencyKey }),
    },
  });
}

export function errorBody(error: ServiceError, requestId: string): string {
  return JSON.stringify({
    error: { code: error.code, status: HTTP_STATUS[error.code], message: error.message },
    meta: { requestId },
  });
}
