/**
 * A point of a written contract, as the coverage documents list it. Plain data; the proofs are in the tests.
 */

export interface Item {
  /** A stable id, named by markers: `error RATE_LIMITED`. Never contains a comma. */
  readonly id: string;
  readonly section: string;
  /** The point in one sentence. */
  readonly says: string;
}

/** The items of one section, by id. A text that begins with `(3)` belongs to rule 3 of a numbered list. */
export function section(title: string, points: Readonly<Record<string, string>>): Item[] {
  return Object.entries(points).map(([id, says]) => ({ id, section: title, says }));
}

/** Ids with a common beginning: `prefixed('error', { CONFLICT: '...' })` gives `error CONFLICT`. */
export function prefixed(
  prefix: string,
  points: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(points).map(([name, says]) => [`${prefix} ${name}`, says]));
}
