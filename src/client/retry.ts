/** Repeats one attempt as the specification's retry guidance says, with bounded attempts and waits. No clock of its own. */
import { ApiError, NetworkError } from './errors.ts';

/**
 * INTERNAL_ERROR stands for a failure that may pass and for what an exchange lacks ("paper-spot has no leverage"), and
 * only the message tells them apart: the same one so often in a row will not change.
 */
const SAME_INTERNAL_ERRORS = 3;

export interface RetryOptions {
  /** All attempts, the first one too. */
  readonly attempts: number;
  /** First wait; doubles with each attempt, up to `maxDelayMs`, half of it random. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** A longer Retry-After is not waited for: the error is thrown. */
  readonly maxRetryAfterMs: number;
  /** No attempt starts later than this after the first one; one under way is not cut off. */
  readonly maxTotalMs: number;
}

export interface RetryPorts {
  /** Ms. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Removes the cause of an error, if it can: true = the next attempt comes at once, whatever the error. */
  readonly recover: (error: unknown) => Promise<boolean>;
}

/** Runs `attempt` until it succeeds, fails for good or attempts or time are used up; then its last error is thrown. */
export async function withRetries<T>(
  options: RetryOptions,
  ports: RetryPorts,
  attempt: () => Promise<T>,
): Promise<T> {
  const startedAt = ports.now();
  let internalErrors = 0;
  let lastMessage = '';
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (isInternalError(error)) {
        internalErrors = error.message === lastMessage ? internalErrors + 1 : 1;
        lastMessage = error.message;
      } else internalErrors = 0;
      if (number >= options.attempts || internalErrors >= SAME_INTERNAL_ERRORS) throw error;
      if (await ports.recover(error)) continue;
      const wait = waitBefore(error, number, options, ports);
      if (wait === null || ports.now() - startedAt + wait > options.maxTotalMs) throw error;
      await ports.sleep(wait);
    }
  }
}

/** Wait before the attempt after `number` ones: doubles each time up to the longest, half of it random. */
export function backOffMs(
  number: number,
  { baseDelayMs, maxDelayMs }: Pick<RetryOptions, 'baseDelayMs' | 'maxDelayMs'>,
  random: () => number,
): number {
  const ceiling = Math.min(maxDelayMs, baseDelayMs * 2 ** (number - 1));
  return Math.round(ceiling * (0.5 + 0.5 * random()));
}

/** Of a Retry-After header in whole seconds (specification, "Errors"); null for anything else. */
export function retryAfterMs(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null;
}

function isInternalError(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'INTERNAL_ERROR';
}

/** Ms until the next attempt; null when there must not be one. */
function waitBefore(error: unknown, number: number, options: RetryOptions, ports: RetryPorts): number | null {
  if (!(error instanceof ApiError || error instanceof NetworkError) || !error.retryable) return null;
  if (!(error instanceof ApiError) || error.retryAfterMs === null) {
    return backOffMs(number, options, ports.random);
  }
  if (error.retryAfterMs > options.maxRetryAfterMs) return null;
  // Never before Retry-After; a little after it, so that many clients do not come back at once.
  return error.retryAfterMs + Math.round(options.baseDelayMs * ports.random());
}
