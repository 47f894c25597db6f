/**
 * The clients' view: every request with what its client knows about the outcome. Judged at the end
 * (`checks.ts`), never before.
 */
import type { Answer, OrderCommand } from '../../src/engine/step.ts';

/**
 * `ok` and `refused`: the desk said so; `conflict`: the key is in use; `unsaved`: the desk says it could not
 * store the request and did nothing; `unknown`: no answer (time-out, crash); `open` while the client waits.
 */
export type CallState = 'open' | 'ok' | 'refused' | 'conflict' | 'unsaved' | 'unknown';

export interface Call {
  readonly n: number;
  readonly client: number;
  readonly keyId: string;
  readonly command: OrderCommand;
  /** Requests with the same key, within its hour; null without a key. */
  readonly group: string | null;
  readonly fingerprint: string;
  readonly at: number;
  /** Random part of the ids of the orders this request makes, if it makes any. */
  entropy: string;
  state: CallState;
  status: number;
  body: string;
  replayed: boolean;
  answeredAt: number;
}

/** The body of an answer. */
export interface Body {
  readonly data?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

export function stateOf(answer: Answer): CallState {
  if (answer.status === 200) return 'ok';
  const { error } = JSON.parse(answer.body) as Body;
  if (error?.code === 'IDEMPOTENCY_CONFLICT') return 'conflict';
  if (error?.code === 'SERVICE_UNAVAILABLE') return 'unsaved';
  return 'refused';
}

/** Whether the desk must repeat this answer byte for byte. */
export function isKept(call: Call): boolean {
  return call.state === 'ok' || (call.state === 'refused' && [400, 404, 409, 422].includes(call.status));
}
