/**
 * Reads lists of instruments one by one, so that an unreadable one is left out with an explanation and the
 * others can be traded.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { type Dec, dec, str, ZERO } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { visible } from '../../domain/visible.ts';

/** Why an instrument is left out; caught where its list is read. */
export class UnreadableInstrument extends Error {}

/** The meaning of an exchange's word. Throws Odd for a word that is not in the table. */
export function known<T>(words: ReadonlyMap<string, T>, word: string, what: string): T {
  const meaning = words.get(word);
  if (meaning === undefined)
    throw new UnreadableInstrument(`has the ${what} ${word.slice(0, 40)}, which is not known here`);
  return meaning;
}

/** Reads a positive number. Throws Odd where it is missing, zero or negative. */
export function positive(text: string | undefined, what: string): Dec {
  const value = dec(text || '0');
  if (value <= ZERO) throw new UnreadableInstrument(`has no ${what}`);
  return value;
}

/** The number without trailing zeros; a missing one is zero. */
export function plain(text: string | null | undefined): string {
  return str(dec(text || '0'));
}

const ajv = new Ajv({ strict: true, ownProperties: true, allErrors: false });
const checks = new Map<TSchema, ValidateFunction>();

export function checkOf(schema: TSchema): ValidateFunction {
  const check = checks.get(schema) ?? ajv.compile(schema);
  checks.set(schema, check);
  return check;
}

/** Returns the value if it fits the schema; throws Odd otherwise. */
export function checked<S extends TSchema>(schema: S, raw: unknown): Static<S> {
  const check = checkOf(schema);
  if (check(raw)) return raw as Static<S>;
  const [error] = check.errors ?? [];
  const where = error?.instancePath.slice(1).replaceAll('/', '.') || 'it';
  throw new UnreadableInstrument(`is unreadable, ${where} ${error?.message ?? 'has not its form'}`);
}

/**
 * The name of an instrument for a message, even if the instrument cannot be read. `field`: where the exchange
 * has the name.
 */
export function nameOf(raw: unknown, field = 'symbol'): string {
  const name = typeof raw === 'object' && raw !== null ? Reflect.get(raw, field) : null;
  return typeof name === 'string' ? name.slice(0, 64) : `a ${field} without a name`;
}

/**
 * The instruments read, and those known before that are still listed but cannot be read: they are halted, so
 * nothing is sent for them, but they are not gone.
 */
export function withUnread(
  {
    instruments,
    unread,
  }: { readonly instruments: readonly Instrument[]; readonly unread: readonly string[] },
  before: readonly Instrument[],
): readonly Instrument[] {
  if (unread.length === 0) return instruments;
  const read = new Set(instruments.map(({ symbol }) => symbol));
  const gone = before.filter(({ symbol }) => unread.includes(symbol) && !read.has(symbol));
  return [...instruments, ...gone.map((one) => ({ ...one, halt: 'halted' as const }))];
}

/** The number of names in one sentence. */
const NAMED = 5;

/** Collects what is left out of a list, by reason. */
export class SkippedInstruments {
  readonly #odd = new Map<string, string[]>();

  /** Returns what `read` returns; null: it threw Odd, and the instrument is left out under this name. */
  unless<T>(name: string, read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UnreadableInstrument)) throw error;
      this.#odd.set(error.message, [...(this.#odd.get(error.message) ?? []), name]);
      return null;
    }
  }

  get names(): readonly string[] {
    return [...this.#odd.values()].flat();
  }

  /** One sentence for each kind of problem, safe to show. */
  get problems(): readonly string[] {
    return [...this.#odd].map(([why, names]) => {
      const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
      return visible(`${names.slice(0, NAMED).join(', ')}${more}: ${why}`);
    });
  }
}

export interface ReadInstruments {
  readonly instruments: readonly Instrument[];
  /** Names of instruments that exist and could not be read. */
  readonly unread: readonly string[];
  /** What is left out although it should be readable, one sentence for each kind of problem, safe to show. */
  readonly problems: readonly string[];
}

/**
 * Reads a list one by one. `one`: null where an entry is not tradable here; throws Odd where it should be
 * readable and is not.
 */
export function readEach(
  list: readonly unknown[],
  one: (raw: unknown) => Instrument | null,
): ReadInstruments {
  const instruments = new Map<string, Instrument>();
  const leftOut = new SkippedInstruments();
  for (const raw of list)
    leftOut.unless(nameOf(raw), () => {
      const instrument = one(raw);
      if (instrument === null) return;
      if (instruments.has(instrument.symbol))
        throw new UnreadableInstrument('is named twice, the second is left out');
      instruments.set(instrument.symbol, instrument);
    });
  return { instruments: [...instruments.values()], unread: leftOut.names, problems: leftOut.problems };
}
