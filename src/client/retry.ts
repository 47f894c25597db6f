/** Repeats one attempt as the specification's retry guidance says, with bounded attempts and waits. No clock of its own. */
import { ApiError, NetworkError } from './errors.ts';

export interface RetryOptions {
  /** All attempts, the first one too. */
  readonly attempts: number;
  /** First wait; doubles with each attempt, up to `maxDelayMs`, half of it random. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** A longer Retry-After is not waited for: the error is thrown. */
  readonly maxRetryAfterMs: number;
}

export interface RetryPorts {
  readonly sleep: (ms: number) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Runs `attempt` until it succeeds, fails for good or the attempts are used up; then its last error is thrown. */
export async function withRetries<T>(
  options: RetryOptions,
  ports: RetryPorts,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      const wait = number < options.attempts ? waitBefore(error, number, options, ports) : null;
      if (wait === null) throw error;
      await ports.sleep(wait);
    }
  }
}

/** Ms until the next attempt; null when there must not be one. */
function waitBefore(error: unknown, number: number, options: RetryOptions, ports: RetryPorts): number | null {
  if (!(error instanceof ApiError || error instanceof NetworkError) || !error.retryable) return null;
  const ceiling = Math.min(options.maxDelayMs, options.baseDelayMs * 2 ** (number - 1));
  const backOff = Math.round(ceiling * (0.5 + 0.5 * ports.random()));
  if (!(error instanceof ApiError) || error.retryAfterMs === null) return backOff;
  if (error.retryAfterMs > options.maxRetryAfterMs) return null;
  // Never before Retry-After; a little after it, so that many clients do not come back at once.
  return error.retryAfterMs + Math.round(options.baseDelayMs * ports.random());
}
