/**
 * Parameters of one request or of one row of it. Like the real exchange this ignores unknown names and
 * accepts numbers for texts, but it notes everything undocumented (`odd`), for tests of the sender. Source:
 * OKX v5 "Error Code" 50014, 50015, 51000.
 */
import { type Dec, dec, ZERO } from '../../../src/domain/decimal.ts';
import { Refusal } from './wire.ts';

const DECIMAL = /^[0-9]{1,20}(\.[0-9]{1,20})?$/;
const WHOLE = /^[0-9]{1,20}$/;
const CLIENT_ID = /^[A-Za-z0-9]{1,32}$/;
const TAG = /^[A-Za-z0-9]{1,16}$/;

interface Known {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isFlag: boolean;
  readonly isList: boolean;
}

const compiled = new Map<string, readonly Known[]>();

/** Reads a list such as `instId! reduceOnly? fromCcy![`. */
export function knownOf(parameters: string): readonly Known[] {
  let known = compiled.get(parameters);
  if (!known) {
    known = parameters
      .split(' ')
      .filter((word) => word !== '')
      .map((word) => ({
        name: word.replace(/[!?[]+$/, ''),
        isRequired: word.includes('!'),
        isFlag: word.includes('?'),
        isList: word.includes('['),
      }));
    compiled.set(parameters, known);
  }
  return known;
}

export function missing(name: string): Refusal {
  return new Refusal('50014', `Parameter ${name} can not be empty.`, 400);
}

export function wrong(name: string): Refusal {
  return new Refusal('51000', `Parameter ${name} error`, 400);
}

export class Params {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #odd: (what: string) => void;

  constructor(values: Readonly<Record<string, unknown>>, odd: (what: string) => void = () => {}) {
    this.#values = values;
    this.#odd = odd;
  }

  /** Reads a query; of a repeated name the last value counts. */
  static ofQuery(query: string, odd: (what: string) => void): Params {
    const values: Record<string, unknown> = {};
    for (const [name, value] of new URLSearchParams(query)) {
      if (name in values) odd(`${name} twice`);
      values[name] = value;
    }
    return new Params(values, odd);
  }

  /** Notes undocumented names, and refuses missing ones (50014). */
  check(parameters: string): void {
    const known = knownOf(parameters);
    for (const [name, value] of Object.entries(this.#values)) {
      const one = known.find((k) => k.name === name);
      if (!one) this.#odd(`${name} is not a parameter`);
      else if (value === null) this.#odd(`${name} is null`);
      else if (one.isList ? !Array.isArray(value) : Array.isArray(value))
        this.#odd(`${name} is a list or not`);
      else if (!one.isList && !one.isFlag && typeof value !== 'string')
        this.#odd(`${name} is ${typeof value}, not a text`);
      else if (one.isFlag && typeof value !== 'boolean') this.#odd(`${name} is not a boolean`);
    }
    for (const { name, isRequired, isList } of known)
      if (isRequired && (isList ? !Array.isArray(this.#values[name]) : this.text(name) === ''))
        throw missing(name);
  }

  /** Notes something that only the endpoint can know. */
  odd(what: string): void {
    this.#odd(what);
  }

  has(name: string): boolean {
    return this.text(name) !== '';
  }

  /** Returns the text; '' if it was not sent. */
  text(name: string): string {
    const value = this.#values[name];
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === '') throw missing(name);
    return value;
  }

  /** Returns one of the values, or ''; throws 51000. */
  oneOf<T extends string>(name: string, values: readonly T[]): T | '' {
    const value = this.text(name);
    if (value === '') return '';
    if (!(values as readonly string[]).includes(value)) throw wrong(name);
    return value as T;
  }

  /** Returns a number above zero; null if it was not sent. */
  positive(name: string): Dec | null {
    const value = this.text(name);
    if (value === '') return null;
    if (!DECIMAL.test(value) || dec(value) === ZERO) throw wrong(name);
    return dec(value);
  }

  /** Returns a price, or null for `-1`, which means market price. Undefined if it was not sent. */
  orderPrice(name: string): Dec | null | undefined {
    if (this.text(name) === '-1') return null;
    return this.positive(name) ?? undefined;
  }

  whole(name: string): number | null {
    const value = this.text(name);
    if (value === '') return null;
    if (!WHOLE.test(value)) throw wrong(name);
    return Number(value);
  }

  flag(name: string): boolean {
    const value = this.text(name);
    if (value !== '' && value !== 'true' && value !== 'false') throw wrong(name);
    return value === 'true';
  }

  list(name: string): readonly unknown[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value : [];
  }

  /** Returns a client id, at most 32 letters and digits; '' if it was not sent. */
  clientId(name: string): string {
    const value = this.text(name);
    if (value !== '' && !CLIENT_ID.test(value)) throw wrong(name);
    return value;
  }

  tag(): string {
    const value = this.text('tag');
    if (value !== '' && !TAG.test(value)) throw wrong('tag');
    return value;
  }

  /** Returns the largest number of rows; one above the maximum counts as the maximum. */
  limit(most: number, usual = most): number {
    const limit = this.whole('limit');
    if (limit === null) return usual;
    if (limit < 1) throw wrong('limit');
    if (limit > most) this.#odd(`limit ${limit} above ${most}`);
    return Math.min(limit, most);
  }
}
