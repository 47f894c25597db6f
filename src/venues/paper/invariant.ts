/** Assertions of the paper exchange. They stay on in production: a wrong balance must stop trading, not spread. */

/** Something that cannot happen did. Never caught to go on: the state in memory is thrown away and read again from the store. */
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
