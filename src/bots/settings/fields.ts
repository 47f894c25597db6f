/**
 * Reads an object of bot settings field by field against its schema, the only place of types, bounds and
 * defaults. Problems go to the Check and a stand-in value is returned, so that reading goes on; unknown names
 * give a warning. Pure.
 */
import type { Static, TObject, TProperties } from 'typebox';
import { type Dec, decOfInt, ONE } from '../../domain/decimal.ts';
import { closest } from '../../domain/did-you-mean.ts';
import type { Check } from './check.ts';
import type { PriceLine } from './compiled.ts';
import { readDecimal, readInteger } from './numbers.ts';
import { arrayText, integerText, isText, type Part, textWanted, within } from './part.ts';
import { LINE_NEEDS, readLine, STAND_IN_LINE } from './price-line.ts';
import { type Bounds, boundsText, either, shown } from './words.ts';

export class Fields<P extends TProperties> {
  readonly check: Check;
  readonly path: string;
  readonly #data: Readonly<Record<string, unknown>>;
  readonly #schema: TObject<P>;

  private constructor(
    check: Check,
    path: string,
    data: Readonly<Record<string, unknown>>,
    schema: TObject<P>,
  ) {
    this.check = check;
    this.path = path;
    this.#data = data;
    this.#schema = schema;
  }

  /**
   * Makes a reader; null, and a problem, for anything but an object. `name`: name of the top-level object,
   * which has no path.
   */
  static of<P extends TProperties>(
    check: Check,
    path: string,
    value: unknown,
    schema: TObject<P>,
    name = path,
  ): Fields<P> | null {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      check.problem(name, `must be an object, got ${shown(value)}`);
      return null;
    }
    const fields = new Fields(check, path, value as Record<string, unknown>, schema);
    fields.#warnOfUnknown();
    return fields;
  }

  /** `stop[0].trigger` and `value` -> `stop[0].trigger.value`. */
  at(name: keyof P & string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  /** Returns the value as it was given; a field that is null counts as left out. */
  raw(name: keyof P & string): unknown {
    const value = Object.hasOwn(this.#data, name) ? this.#data[name] : undefined;
    return value === null ? undefined : value;
  }

  /** The whole object as it was given. */
  get data(): Readonly<Record<string, unknown>> {
    return this.#data;
  }

  has(name: keyof P & string): boolean {
    return this.raw(name) !== undefined;
  }

  /**
   * Returns true when all these fields were given (or have defaults) and are readable, with everything in
   * them.
   */
  reads(...names: readonly (keyof P & string)[]): boolean {
    return names.every((name) => this.check.isReadable(this.at(name)));
  }

  problem(name: keyof P & string, message: string): void {
    this.check.problem(this.at(name), message);
  }

  refuse(name: keyof P & string, message: string): void {
    this.check.refuse(this.at(name), message);
  }

  warn(name: keyof P & string, message: string): void {
    this.check.warn(this.at(name), message);
  }

  decimal(name: keyof P & string): Dec {
    return this.decimalOr(name) ?? this.#standIn(name, ONE);
  }

  /**
   * Reads a decimal; null when left out and without a default. `bounds`: for bounds that depend on other
   * fields; default: those of the schema.
   */
  decimalOr(name: keyof P & string, bounds = this.#bounds(name, 'number')): Dec | null {
    const part = this.#part(name);
    const wanted = `must be a decimal${boundsText(bounds)}`;
    const value = this.#given(name, part, wanted);
    if (value === undefined) return null;
    const read = readDecimal(value);
    if (read !== null && within(read, bounds)) return read;
    const long = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    const hint = read === null && long ? '; a number that long must be text' : '';
    this.problem(name, `${wanted}, got ${shown(value)}${hint}`);
    return ONE;
  }

  integer(name: keyof P & string): number {
    return this.integerOr(name) ?? this.#standIn(name, 1);
  }

  integerOr(name: keyof P & string): number | null {
    const part = this.#part(name);
    const bounds = this.#bounds(name, 'integer');
    const wanted = `must be ${integerText(bounds)}`;
    const value = this.#given(name, part, wanted);
    if (value === undefined) return null;
    const read = readInteger(value);
    if (read !== null && within(decOfInt(read), bounds) && read % (bounds.multipleOf ?? 1) === 0) return read;
    this.problem(name, `${wanted}, got ${shown(value)}`);
    return 1;
  }

  flag(name: keyof P & string): boolean {
    const value = this.#given(name, this.#part(name), 'must be true or false');
    if (typeof value === 'boolean') return value;
    if (value !== undefined) this.problem(name, `must be true or false, got ${shown(value)}`);
    return false;
  }

  choice<K extends keyof P & string>(name: K): Static<P[K]> {
    const read = this.choiceOr(name);
    if (read !== null) return read;
    const part = this.#part(name);
    return this.#standIn(name, (part.anyOf ?? [part])[0]?.const as Static<P[K]>);
  }

  choiceOr<K extends keyof P & string>(name: K): Static<P[K]> | null {
    const part = this.#part(name);
    const values = (part.anyOf ?? [part]).flatMap((branch) => branch.const ?? []);
    const wanted = `must be ${values.length > 2 ? `one of ${values.join(', ')}` : either(values)}`;
    const value = this.#given(name, part, wanted);
    if (value === undefined) return null;
    const found = values.find(
      (known) => known === value || (typeof known === 'number' && `${known}` === value),
    );
    if (found === undefined) {
      // A label such as "0.500" is different from the number.
      const number = typeof value === 'number' && values.every((known) => typeof known === 'string');
      this.problem(name, `${wanted}, got ${number ? 'the number ' : ''}${shown(value)}`);
    }
    return (found ?? values[0]) as Static<P[K]>;
  }

  text(name: keyof P & string): string {
    return this.textOr(name) ?? this.#standIn(name, '');
  }

  textOr(name: keyof P & string): string | null {
    const part = this.#part(name);
    const wanted = `must be ${textWanted(part)}`;
    const value = this.#given(name, part, wanted);
    if (value === undefined) return null;
    if (isText(value, part)) return value;
    this.problem(name, `must be ${textWanted(part, value)}, got ${shown(value)}`);
    return '';
  }

  /** Reads a list of names; empty when left out. */
  texts(name: keyof P & string): readonly string[] {
    const part = this.#part(name);
    const list = this.#list(name, part);
    const item = part.items ?? {};
    const read: string[] = [];
    list.forEach((value, i) => {
      if (isText(value, item)) read.push(value);
      else
        this.check.problem(
          `${this.at(name)}[${i}]`,
          `must be ${textWanted(item, value)}, got ${shown(value)}`,
        );
    });
    return read;
  }

  line(name: keyof P & string): PriceLine {
    return this.lineOr(name) ?? this.#standIn(name, STAND_IN_LINE);
  }

  lineOr(name: keyof P & string): PriceLine | null {
    const value = this.#given(name, this.#part(name), LINE_NEEDS);
    return value === undefined ? null : readLine(this.check, this.at(name), value);
  }

  /** Reads the object in a field; null when left out or not an object. */
  group<Q extends TProperties>(name: keyof P & string, schema: TObject<Q>): Fields<Q> | null {
    const value = this.#given(name, this.#part(name), 'must be an object');
    return value === undefined ? null : Fields.of(this.check, this.at(name), value, schema);
  }

  /**
   * Reads the objects of a list, or a single one without brackets where the schema allows it; its path has
   * `[0]`, too.
   */
  each<Q extends TProperties>(name: keyof P & string, schema: TObject<Q>): readonly Fields<Q>[] {
    return this.items(name).flatMap(({ path, value }) => Fields.of(this.check, path, value, schema) ?? []);
  }

  /** Returns the entries of a list with their paths, not checked yet. */
  items(name: keyof P & string): readonly { readonly path: string; readonly value: unknown }[] {
    const list = this.#list(name, this.#part(name));
    return list.map((value, i) => ({ path: `${this.at(name)}[${i}]`, value }));
  }

  #bounds(name: keyof P & string, type: 'number' | 'integer'): Bounds {
    return this.#part(name).anyOf?.find((branch) => branch.type === type) ?? {};
  }

  #list(name: keyof P & string, part: Part): readonly unknown[] {
    const array = part.anyOf?.find((branch) => branch.type === 'array') ?? part;
    const wanted = `must be ${arrayText(array)}`;
    const value = this.#given(name, part, wanted);
    if (value === undefined) return [];
    const list = Array.isArray(value) ? value : part.anyOf && typeof value === 'object' ? [value] : null;
    if (list && list.length >= (array.minItems ?? 0) && list.length <= (array.maxItems ?? list.length))
      return list;
    this.problem(name, `${wanted}, got ${shown(value)}`);
    return [];
  }

  /** Returns the value, its default, or undefined; a required value that is missing is a problem. */
  #given(name: keyof P & string, part: Part, wanted: string): unknown {
    const value = this.raw(name);
    if (value !== undefined) return value;
    if (part.default !== undefined) return part.default;
    const required: unknown = this.#schema.required;
    if (Array.isArray(required) && required.includes(name)) this.problem(name, `missing; ${wanted}`);
    return undefined;
  }

  /**
   * Returns a stand-in for a missing value: only a field that is required or has a default may be read as if
   * it were given.
   */
  #standIn<T>(name: keyof P & string, value: T): T {
    if (this.reads(name)) throw new Error(`${this.at(name)} is optional and has no default`);
    return value;
  }

  #part(name: keyof P & string): Part {
    const part = this.#schema.properties[name];
    if (part === undefined) throw new Error(`${this.at(name)} is not in its schema`);
    return part as Part;
  }

  #warnOfUnknown(): void {
    const known = Object.keys(this.#schema.properties);
    for (const name of Object.keys(this.#data)) {
      if (this.check.isFullOfWarnings) return;
      if (known.includes(name)) continue;
      const guess = closest(name, known);
      const hint = guess === null ? ' and ignored' : `; did you mean "${guess}"?`;
      const path = `${this.path === '' ? '' : `${this.path}.`}${printable(name)}`;
      this.check.warn(path, `unknown field${hint}`);
    }
  }
}

function printable(name: string): string {
  const clean = name.replace(/[^\x20-\x7e]/g, '?');
  return clean.length > 60 ? `${clean.slice(0, 60)}...` : clean;
}
