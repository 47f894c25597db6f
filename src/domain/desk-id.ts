/**
 * Which desk an order is from. Every store has an id of its own, which stands in the id of each order that it sends, and gets
 * another one when the store lies on another machine or in another file than before: then it may be a copy, and the desk that it
 * was copied from may still trade (money-at-risk.md 1). Pure.
 */

export const DESK_ID_LENGTH = 5;
/** Ids that a store remembers to have had; the oldest are forgotten beyond it. */
const EARLIER_MAX = 100;

/** Meta row. */
export const DESK_ROW = 'desk';

/** Where a store lies, as short texts that are the same at every start there; null: the system does not say. */
export interface Place {
  readonly machine: string | null;
  readonly file: string | null;
}

export interface DeskIdentity {
  readonly id: string;
  /** Ids it had before, oldest first. */
  readonly earlier: readonly string[];
  /** It was found at another place, and no owner has said yet that the desk at the place before is stopped. */
  readonly held: boolean;
}

/** Of a store that lies nowhere, so that nobody can copy it. */
export const NO_DESK: DeskIdentity = { id: '0'.repeat(DESK_ID_LENGTH), earlier: [], held: false };

interface StoredDesk extends DeskIdentity {
  readonly place: Place;
}

export interface DeskFound {
  readonly desk: DeskIdentity;
  /** To be stored before anything is sent; null: it is as stored. */
  readonly store: { readonly name: string; readonly value: StoredDesk } | null;
  /** What an owner should know of it; null: nothing. */
  readonly notice: string | null;
}

/**
 * The desk of a store that lies at `place`. `newId`: a random id, drawn where one is needed. `takeover`: an owner says that no
 * other desk trades these accounts.
 */
export function findDesk(
  stored: unknown,
  place: Place,
  { newId, takeover }: { readonly newId: () => string; readonly takeover: boolean },
): DeskFound {
  const before = readDesk(stored);
  // What cannot be read was written by nobody who is known.
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

/** Null: there is none, or none that can be read. */
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
