/** An exchange adapter may fail in ways that its port does not know: what becomes of that. */
import type { Clock } from '../../domain/clock.ts';
import type { Deadline, Venue } from '../../venues/venue.ts';

/** An adapter that throws at once is one whose promise is rejected. */
export function started<T>(run: () => Promise<T>): Promise<T> {
  try {
    return run();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** What an adapter threw, as one short line. */
export function shortWords(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n')[0] ?? '').slice(0, 200);
}

/** Until when a request that is handed over now may leave. */
export function deadlineOf({ caps }: Pick<Venue, 'caps'>, clock: Clock): Deadline {
  return { notAfter: clock.monotonic() + (caps.sendWithinMs ?? 0) };
}
