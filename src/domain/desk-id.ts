/**
 * Which desk an order comes from. Every store has an id of its own, which is part of the id of each order
 * that it sends. The store gets a new id when it is found on another machine or in another file than before:
 * then it may be a copy, and the desk that it was copied from may still trade (money-at-risk.md 1). Pure.
 */

export const DESK_ID_LENGTH = 5;
/** How many earlier ids a store remembers; the oldest are forgotten beyond that. */
const EARLIER_MAX = 100;

/** Name of the meta row. */
export const DESK_ROW = 'desk';

/** Where a store is, as short texts that are the same at every start there; null: the system does not say. */
export interface Place {
  readonly machine: string | null;
  readonly file: string | null;
}

export interface DeskIdentity {
  readonly id: string;
  /** Ids that the store had before, oldest first. */
  readonly earlier: readonly string[];
  /**
   * The store was found at another place, and no owner has confirmed yet that the desk at the earlier place
   * is stopped.
   */
  readonly held: boolean;
}

/** The identity of a store without a file, which nobody can copy. */
export const NO_DESK: DeskIdentity = { id: '0'.repeat(DESK_ID_LENGTH), earlier: [], held: false };

interface StoredDesk extends DeskIdentity {
  readonly place: Place;
}

export interface DeskFound {
  readonly desk: DeskIdentity;
  /** The row to store before anything is sent; null: nothing has changed. */
  readonly store: { readonly name: string; readonly value: StoredDesk } | null;
  /** What an owner should know about it; null: nothing. */
  readonly notice: string | null;
}

/**
 * Returns the identity of the desk whose store is at `place`. `newId`: makes a random id where one is needed.
 * `takeover`: an owner says that no other desk trades these accounts.
 */
export function findDesk(
  stored: unknown,
  place: Place,
  { newId, takeover }: { readonly newId: () => string; readonly takeover: boolean },
): DeskFound {
  const before = readDesk(stored);
  // A row that cannot be read was written by an unknown program.
  const isLost = before === null && stored !== undefined;
  const moved = isLost || (before !== null && !isSame(before.place, place));
  const known = before === null ? [] : [...before.earlier, before.id];
  const id = before === null || moved ? unusedId(newId, known) : before.id;
  const desk: DeskIdentity = {
    id,
    earlier: moved ? known.slice(-EARLIER_MAX) : (before?.earlier ?? []),
    held: !takeover && (moved || before?.held === true),
  };
  const isNew = before === null || moved || desk.held !== before.held;
  return {
    desk,
    store: isNew ? { name: DESK_ROW, value: { ...desk, place } } : null,
    notice: noticeOf(desk, { moved, takeover: takeover && (moved || before?.held === true) }),
  };
}

function noticeOf(
  { id, held }: DeskIdentity,
  { moved, takeover }: { readonly moved: boolean; readonly takeover: boolean },
): string | null {
  const where = `this data folder was moved or copied: the desk is ${id} now`;
  if (takeover)
    return `${moved ? `${where}; ` : ''}taken over, as --takeover asked: no other desk may trade its accounts`;
  if (!held) return null;
  return moved
    ? where
    : 'this data folder was moved or copied before, and nobody has confirmed yet that the other desk is stopped';
}

function isSame(one: Place, other: Place): boolean {
  return one.machine === other.machine && one.file === other.file;
}

function unusedId(newId: () => string, known: readonly string[]): string {
  for (;;) {
    const id = newId();
    if (!known.includes(id)) return id;
  }
}

/** Returns the stored desk; null: there is none, or none that can be read. */
function readDesk(stored: unknown): StoredDesk | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { id, earlier, held, place } = stored as Partial<StoredDesk>;
  if (!isId(id)) return null;
  return {
    id,
    earlier: Array.isArray(earlier) ? earlier.filter(isId) : [],
    held: held === true,
    place: { machine: textOf(place?.machine), file: textOf(place?.file) },
  };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length === DESK_ID_LENGTH && /^[0-9a-v]+$/.test(value);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
