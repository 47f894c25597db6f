/**
 * A state in parts: however much is stored, no message is long, the desk never writes much at once, and a
 * terminal that does not read holds back the remaining parts. Pure.
 */
import type { DeskDelta, DeskState } from './protocol.ts';

/**
 * A part is full after this many characters of JSON: at most three bytes each; with one more entry it is
 * still far below a frame.
 */
export const PART_CHARACTERS = 1024 * 1024;

const RECORDS = ['prices', 'orders', 'portfolios', 'futures', 'bots', 'wallets'] as const;
const LISTS = ['accounts', 'instruments', 'alerts', 'keys', 'log'] as const;

/** Fields that may be of any length: records merge, lists append. */
export type StatePart = Partial<Pick<DeskState, (typeof RECORDS)[number] | (typeof LISTS)[number]>>;

/** Yields a snapshot as its first message, and then the parts that complete it. */
export function* snapshotParts(state: DeskState): Generator<StatePart, void, undefined> {
  yield yield* partsOf([
    ...LISTS.map((name) => [name, state[name]] as const),
    ...RECORDS.map((name) => [name, Object.entries<unknown>(state[name])] as const),
  ]);
}

/** Returns the state without the fields that are sent in parts. */
export function emptied(state: DeskState): DeskState {
  const lists = Object.fromEntries(LISTS.map((name) => [name, []]));
  const records = Object.fromEntries(RECORDS.map((name) => [name, {}]));
  return { ...state, ...lists, ...records };
}

/** Deltas that are known to be short: the same one is sent to several terminals. */
const short = new WeakSet<DeskDelta>();

/**
 * Yields the same changes as several deltas, or the delta itself where it is short. The lists of a delta
 * replace the ones before and are bounded.
 */
export function* deltaParts(delta: DeskDelta): Generator<DeskDelta, void, undefined> {
  if (short.has(delta)) {
    yield delta;
    return;
  }
  const records = RECORDS.flatMap((name) => {
    const record = delta[name];
    return record ? [[name, Object.entries<unknown>(record)] as const] : [];
  });
  const parts = partsOf(records);
  let part = parts.next();
  if (part.done) {
    short.add(delta);
    yield delta;
    return;
  }
  let rest: DeskDelta = { ...delta };
  for (const [name] of records) rest = { ...rest, [name]: {} };
  for (; !part.done; part = parts.next()) {
    yield { ...rest, ...(part.value as DeskDelta) };
    rest = {};
  }
  yield part.value as DeskDelta;
}

/** Adds a part to a state that is being assembled; changes its first argument. */
export function addPart(state: DeskState, part: StatePart): void {
  for (const name of LISTS) (state[name] as unknown[]).push(...(part[name] ?? []));
  for (const name of RECORDS) Object.assign(state[name], part[name]);
}

type Name = keyof StatePart;

/** Yields all parts but the last, which it returns: it may be the only one, and it may be empty. */
function* partsOf(
  fields: readonly (readonly [name: Name, entries: readonly unknown[]])[],
): Generator<StatePart, StatePart, undefined> {
  let part: Partial<Record<Name, unknown>> = {};
  let characters = 0;
  for (const [name, entries] of fields) {
    const isList = LISTS.some((list) => list === name);
    for (const entry of entries) {
      if (characters >= PART_CHARACTERS) {
        yield part as StatePart;
        part = {};
        characters = 0;
      }
      characters += JSON.stringify(entry).length;
      if (isList) {
        part[name] ??= [];
        (part[name] as unknown[]).push(entry);
      } else {
        part[name] ??= {};
        const [key, value] = entry as [string, unknown];
        (part[name] as Record<string, unknown>)[key] = value;
      }
    }
  }
  return part as StatePart;
}
