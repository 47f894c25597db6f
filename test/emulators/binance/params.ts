/**
 * Parameters of one request, read as strictly as the exchange does: unknown names, and values that are
 * missing, malformed, out of range or too precise are refused with the exchange's own code and words.
 * Sources: binance-spot-api-docs errors.md (-1100 .. -1131), USD-M "Error Codes".
 */
import { type Dec, dec, ZERO } from '../../../src/domain/decimal.ts';
import { type Kind, Refusal } from './wire.ts';

const DECIMAL = /^([0-9]{1,20})(\.[0-9]{1,20})?$/;
const INTEGER = /^[0-9]{1,20}$/;
const COMMON = new Set(['timestamp', 'recvWindow', 'signature']);

export class Params {
  readonly kind: Kind;
  readonly #values = new Map<string, string[]>();
  #sent = 0;

  constructor(kind: Kind, pairs: Iterable<readonly [string, string]> = []) {
    this.kind = kind;
    for (const [name, value] of pairs) this.add(name, value);
  }

  /** Reads query and form body; a name in both counts once, with the value of the query. */
  static read(kind: Kind, query: string, body: string): Params {
    const params = new Params(kind);
    for (const [name, value] of pairsOf(query)) params.add(name, value);
    const named = new Set(params.#values.keys());
    for (const [name, value] of pairsOf(body)) if (!named.has(name)) params.add(name, value);
    return params;
  }

  add(name: string, value: string): void {
    this.#sent++;
    const values = this.#values.get(name);
    if (values) values.push(value);
    else this.#values.set(name, [value]);
  }

  has(name: string): boolean {
    return (this.#values.get(name)?.[0] ?? '') !== '';
  }

  names(): string[] {
    return [...this.#values.keys()];
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /**
   * Refuses names that are not in the list. Spot compares the number of sent and read names and answers -1104
   * before it checks for missing ones; futures ignores unknown names.
   */
  check(parameters: string): void {
    const known = parameters.split(' ').filter((name) => name !== '');
    const repeated = new Set(
      known.filter((name) => name.endsWith('*')).map((name) => name.replace(/[!*]+$/, '')),
    );
    for (const [name, values] of this.#values) {
      if (values.length > 1 && !repeated.has(name))
        throw new Refusal(-1101, `Duplicate values for parameter '${name}' detected.`);
    }
    const names = new Set(known.map((name) => name.replace(/[!*]+$/, '')));
    if (this.kind === 'spot') {
      const read = this.names()
        .filter((name) => names.has(name) || COMMON.has(name))
        .reduce((sum, name) => sum + (this.#values.get(name)?.length ?? 0), 0);
      if (read < this.#sent) {
        throw new Refusal(
          -1104,
          `Not all sent parameters were read; read '${read}' parameter(s) but was sent '${this.#sent}'.`,
        );
      }
    }
    for (const name of known) if (name.includes('!')) this.required(name.replace(/[!*]+$/, ''));
  }

  required(name: string): string {
    const value = this.#values.get(name)?.[0];
    if (value === undefined || value === '') throw missing(name);
    return value;
  }

  text(name: string): string | null {
    const value = this.#values.get(name)?.[0];
    if (value === undefined) return null;
    if (value === '') {
      throw this.kind === 'spot' ? new Refusal(-1105, `Parameter '${name}' was empty.`) : missing(name);
    }
    return value;
  }

  oneOf<T extends string>(name: string, values: readonly T[], word: string): T | null {
    const value = this.text(name);
    if (value === null) return null;
    if (!(values as readonly string[]).includes(value)) throw invalid(word);
    return value as T;
  }

  integer(name: string): number | null {
    const value = this.text(name);
    if (value === null) return null;
    if (!INTEGER.test(value)) throw illegal(name, '^[0-9]{1,20}$');
    return Number(value);
  }

  /** Returns a number above zero (or zero). */
  decimal(name: string): Dec | null {
    const value = this.text(name);
    if (value === null) return null;
    if (!DECIMAL.test(value)) {
      if (/^-/.test(value) && this.kind === 'futures')
        throw name === 'quantity'
          ? new Refusal(-4003, 'Quantity less than zero.')
          : new Refusal(-4001, 'Price less than 0.');
      throw illegal(name, '^([0-9]{1,20})(\\.[0-9]{1,20})?$');
    }
    return dec(value);
  }

  positive(name: string): Dec | null {
    const value = this.decimal(name);
    if (value === null || value > ZERO) return value;
    if (this.kind === 'futures')
      throw name === 'quantity'
        ? new Refusal(-4003, 'Quantity less than or equal to zero.')
        : new Refusal(-4001, 'Price less than or equal to 0.');
    throw new Refusal(-1013, name === 'price' ? 'Invalid price.' : 'Invalid quantity.');
  }

  flag(name: string): boolean | null {
    const value = this.text(name)?.toLowerCase() ?? null;
    if (value === null) return null;
    if (value !== 'true' && value !== 'false') throw illegal(name, '^(true|false)$');
    return value === 'true';
  }

  /** Returns the largest number of rows: between 1 and `max`. */
  limit(usual: number, max: number): number {
    const limit = this.integer('limit');
    if (limit === null) return usual;
    if (limit < 1) throw illegal('limit', `^[1-9][0-9]*$`);
    return Math.min(limit, max);
  }
}

export function missing(name: string): Refusal {
  return new Refusal(-1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`);
}

export function notRequired(name: string): Refusal {
  return new Refusal(-1106, `Parameter '${name}' sent when not required.`);
}

export function illegal(name: string, range: string): Refusal {
  return new Refusal(-1100, `Illegal characters found in parameter '${name}'; legal range is '${range}'.`);
}

const INVALID: Readonly<Record<string, readonly [number, string]>> = {
  timeInForce: [-1115, 'Invalid timeInForce.'],
  type: [-1116, 'Invalid orderType.'],
  side: [-1117, 'Invalid side.'],
  interval: [-1120, 'Invalid interval.'],
  symbol: [-1121, 'Invalid symbol.'],
};

/** The refusal of a word that is not an allowed value. */
export function invalid(word: string): Refusal {
  const [code, text] = INVALID[word] ?? [-1130, `Data sent for parameter '${word}' is not valid.`];
  return new Refusal(code, text);
}

function* pairsOf(text: string): Generator<readonly [string, string]> {
  if (text === '') return;
  for (const part of text.split('&')) {
    if (part === '') continue;
    const cut = part.indexOf('=');
    yield cut < 0 ? [decode(part), ''] : [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Refusal(-1100, 'Illegal characters found in a parameter.');
  }
}
