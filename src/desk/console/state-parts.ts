/**
 * A state in parts: however much is stored, no message is long, the desk never writes much at once, and a terminal that
 * stands still holds back the rest. Pure.
 */
import type { DeskDelta, DeskState } from './protocol.ts';

/** Characters of JSON after which a part is full: at most three bytes each, and one entry more, is far below a frame. */
export const PART_CHARACTERS = 1024 * 1024;

const RECORDS = ['prices', 'orders', 'portfolios', 'futures', 'bots', 'wallets'] as const;
const LISTS = ['accounts', 'instruments', 'alerts', 'keys', 'log'] as const;

/** What may be of any length: records merge, lists are added at the end. */
export type StatePart = Partial<Pick<DeskState, (typeof RECORDS)[number] | (typeof LISTS)[number]>>;

/** A snapshot as its first message, and the parts that make it whole. */
export function* snapshotParts(state: DeskState): Generator<StatePart, void, undefined> {
  yield yield* partsOf([
    ...LISTS.map((name) => [name, state[name]] as const),
    ...RECORDS.map((name) => [name, Object.entries<unknown>(state[name])] as const),
  ]);
}

/** The state without what comes in parts. */
export function emptied(state: DeskState): DeskState {
  const lists = Object.fromEntries(LISTS.map((name) => [name, []]));
  const records = Object.fromEntries(RECORDS.map((name) => [name, {}]));
  return { ...state, ...lists, ...records };
}

/** Deltas that are known to be short: several terminals are told the same one. */
const short = new WeakSet<DeskDelta>();

/** The same changes as one delta after another, or itself where it is short. The lists of a delta replace the ones before and are bounded. */
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

/** Adds a part to a state that is being put together; changes its first argument. */
export function addPart(state: DeskState, part: StatePart): void {
  for (const name of LISTS) (state[name] as unknown[]).push(...(part[name] ?? []));
  for (const name of RECORDS) Object.assign(state[name], part[name]);
}

type Name = keyof StatePart;

/** All but the last, which it returns: there may be no other, and it may be empty. */
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
