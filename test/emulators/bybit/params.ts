/**
 * Parameters of one request, from a query or a JSON body, read by the documented types: numbers of orders are
 * texts, flags are JSON booleans, indices whole numbers. Source: the tables "Request Parameters" of each
 * page; error.mdx 10001.
 */
import { type Dec, dec, ZERO } from '../../../src/domain/decimal.ts';
import { type Category, Refusal } from './wire.ts';

const DECIMAL = /^[0-9]{1,20}(\.[0-9]{1,20})?$/;
const INTEGER = /^-?[0-9]{1,16}$/;

export const bad = (what: string): Refusal => new Refusal(10001, `Request parameter error: ${what}`);

interface Spec {
  readonly type: 's' | 'i' | 'b' | '[]';
  readonly isNeeded: boolean;
}

export class Params {
  readonly #values: Map<string, unknown>;
  readonly #isBody: boolean;

  constructor(values: Iterable<readonly [string, unknown]>, isBody: boolean) {
    this.#values = new Map(values);
    this.#isBody = isBody;
  }

  static ofQuery(query: string): Params {
    const pairs = query
      .split('&')
      .filter((part) => part !== '')
      .map((part): [string, string] => {
        const cut = part.indexOf('=');
        return cut < 0 ? [decode(part), ''] : [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
      });
    if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw bad('a name comes twice');
    return new Params(pairs, false);
  }

  static ofBody(body: string): Params {
    let parsed: unknown;
    try {
      parsed = JSON.parse(body === '' ? '{}' : body);
    } catch {
      throw bad('the body is not JSON');
    }
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      throw bad('the body is not an object');
    // The documents' own examples send null for omitted values.
    return new Params(
      Object.entries(parsed).filter(([, value]) => value !== null),
      true,
    );
  }

  names(): string[] {
    return [...this.#values.keys()];
  }

  /** Refuses missing values and wrong types; returns the unknown names. */
  check(parameters: string): string[] {
    const specs = specsOf(parameters);
    for (const [name, { isNeeded }] of specs) if (isNeeded && !this.has(name)) throw missing(name);
    if (this.#isBody)
      for (const [name, value] of this.#values) {
        const spec = specs.get(name);
        if (spec && !fits(spec.type, value)) throw bad(`${name} is of another type`);
      }
    return this.names().filter((name) => !specs.has(name));
  }

  has(name: string): boolean {
    const value = this.#values.get(name);
    return value !== undefined && value !== '';
  }

  text(name: string): string | null {
    const value = this.#values.get(name);
    return value === undefined || value === '' ? null : String(value);
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === null) throw missing(name);
    return value;
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | null {
    const value = this.text(name);
    if (value === null) return null;
    if (!(values as readonly string[]).includes(value)) throw bad(`${name} invalid`);
    return value as T;
  }

  integer(name: string): number | null {
    const value = this.text(name);
    if (value === null) return null;
    if (!INTEGER.test(value)) throw bad(`${name} invalid`);
    return Number(value);
  }

  flag(name: string): boolean {
    return this.#values.get(name) === true || this.#values.get(name) === 'true';
  }

  list(name: string): string[] {
    const value = this.#values.get(name);
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** Returns a number that is zero or more. */
  decimal(name: string): Dec | null {
    const value = this.text(name);
    if (value === null) return null;
    if (!DECIMAL.test(value)) throw bad(`${name} invalid`);
    return dec(value);
  }

  positive(name: string): Dec | null {
    const value = this.decimal(name);
    if (value !== null && value <= ZERO) throw bad(`${name} invalid`);
    return value;
  }

  limit(usual: number, max: number): number {
    const limit = this.integer('limit') ?? usual;
    if (limit < 1) throw bad('limit invalid');
    return Math.min(limit, max);
  }

  /** Returns the category; null: `inverse` or `option`, which have no symbols. */
  category(usual?: Category): Category | null {
    const value = this.text('category') ?? usual ?? null;
    if (value === 'spot' || value === 'linear') return value;
    if (value === 'inverse' || value === 'option') return null;
    throw value === null ? missing('category') : bad('Illegal category');
  }

  /** Returns a category that has symbols. */
  traded(): Category {
    const category = this.category();
    if (category === null) throw bad('Illegal category');
    return category;
  }
}

function missing(name: string): Refusal {
  return bad(`Missing some parameters that must be filled in, please confirm: ${name}`);
}

function specsOf(parameters: string): Map<string, Spec> {
  return new Map(
    parameters
      .split(' ')
      .filter((part) => part !== '')
      .map((part): [string, Spec] => {
        const [head = '', type = 's'] = part.split(':');
        return [head.replace('!', ''), { type: type as Spec['type'], isNeeded: head.endsWith('!') }];
      }),
  );
}

function fits(type: Spec['type'], value: unknown): boolean {
  if (type === 's') return typeof value === 'string';
  if (type === 'b') return typeof value === 'boolean';
  if (type === 'i') return Number.isSafeInteger(value);
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw bad('the query cannot be decoded');
  }
}
