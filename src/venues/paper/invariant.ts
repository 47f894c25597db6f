/**
 * Assertions of the paper exchange. They are active in production too: a wrong balance must stop trading, not
 * spread.
 */

/**
 * Something impossible has happened. The operation is never continued: the state in memory is discarded and
 * read again from the store.
 */
export class InvariantError extends Error {
  readonly code = 'INVARIANT';
  readonly retryable = false;

  constructor(message: string) {
    super(message);
    this.name = 'InvariantError';
  }
}

/** Throws InvariantError with `what` unless `holds`. */
export function invariant(holds: boolean, what: string): asserts holds {
  if (!holds) throw new InvariantError(what);
}
