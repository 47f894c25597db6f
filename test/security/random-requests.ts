/**
 * Random requests made from the API's own description: mostly valid, some wrong in one place, some hostile.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { ROUTES } from '../../src/api/routes/index.ts';
import type { Dice } from '../simulation/dice.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema: Schema;
}

interface Operation {
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

export interface RandomRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
  readonly keyed: boolean;
}

/** Ids from earlier responses, which later requests name. */
export interface Known {
  readonly orders: string[];
  readonly bots: string[];
  readonly runs: string[];
}

const METHODS = new Set(['get', 'post', 'patch', 'delete']);
const SCENARIOS = new URL('../fixtures/scenarios/', import.meta.url);
const DEEP = 400;
const LONG = 60_000;

const document = openApiDocument(ROUTES.all) as unknown as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([method]) => METHODS.has(method) && path.startsWith('/v2'))
    .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
const bots = readdirSync(SCENARIOS)
  .filter((file) => file.endsWith('.json'))
  .flatMap((file) => {
    const { type, scenarios } = JSON.parse(readFileSync(new URL(file, SCENARIOS), 'utf8')) as {
      type?: string;
      scenarios: { settings: Record<string, unknown>; options?: unknown }[];
    };
    return type === undefined ? [] : scenarios.map(({ settings, options }) => ({ type, settings, options }));
  });

/** Values for fields of these names, valid ones and wrong ones. */
const WORDS: Readonly<Record<string, readonly unknown[]>> = {
  exchange: ['paper-spot', 'paper-futures', 'paper', '', 'PAPER-SPOT', 7],
  symbol: ['BTCUSDT', 'ETHUSDT', 'btcusdt', 'BTC/USDT', 'NOPE', '', null],
  quantity: ['0.01', '1', '0', '-1', '1e3', '0.000000000000000000001', '9'.repeat(40), 1],
  price: ['100', '90', '110.05', '0', '-5', 'NaN', '1e400', 100],
  stopPrice: ['95', '105', '0', ''],
  timestamp: [0, -1, 2 ** 53, 1.5, '1'],
};

const HOSTILE: readonly unknown[] = [
  '\u0000\u001b]0;x\u0007',
  '\u202egnirts\u2066',
  'A'.repeat(300),
  { $gt: '' },
  ['1', ['2', ['3']]],
  -0,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  true,
  null,
  {},
  [],
];

export class RequestMaker {
  readonly #dice: Dice;
  readonly #known: Known;

  constructor(dice: Dice, known: Known) {
    this.#dice = dice;
    this.#known = known;
  }

  next(): RandomRequest {
    const dice = this.#dice;
    const { method, path, operation } = dice.pick(operations);
    const parameters = (operation.parameters ?? []).map((one) =>
      one.$ref ? this.#parameter(one.$ref) : one,
    );
    let target = path;
    const query = new URLSearchParams();
    for (const { in: place, name, schema } of parameters) {
      if (place === 'path') {
        target = target.replace(
          `{${name}}`,
          encodeURIComponent(text(this.#value(name, schema, 0)).slice(0, 80)),
        );
      }
      if (place === 'query' && dice.chance(0.7))
        query.append(name, text(this.#value(name, schema, 0)).slice(0, 200));
    }
    const schema = operation.requestBody?.content['application/json']?.schema;
    const search = query.size > 0 ? `?${query}` : '';
    return {
      method,
      path: target + search,
      body: schema && dice.chance(0.95) ? this.#body(schema) : null,
      keyed: dice.chance(0.3),
    };
  }

  #body(schema: Schema): string {
    const dice = this.#dice;
    if (dice.chance(0.03)) return '['.repeat(DEEP) + ']'.repeat(DEEP);
    if (dice.chance(0.02)) return JSON.stringify({ exchange: 'x'.repeat(LONG) });
    if (dice.chance(0.03))
      return '{"exchange":"paper-spot","exchange":"paper-futures","__proto__":{"admin":true}}';
    const text = JSON.stringify(this.#value('', schema, 0));
    return dice.chance(0.04) ? text.slice(0, dice.int(0, text.length)) : text;
  }

  #parameter($ref: string): Parameter {
    const found = document.components.parameters[$ref.slice($ref.lastIndexOf('/') + 1)];
    if (!found) throw new Error(`no parameter ${$ref}`);
    return found;
  }

  #value(name: string, schema: Schema, depth: number): unknown {
    const dice = this.#dice;
    if (dice.chance(0.04)) return dice.pick(HOSTILE);
    if (schema.$ref?.endsWith('/CreateBot')) return this.#bot();
    const known = this.#knownId(name);
    if (known !== null && dice.chance(0.8)) return known;
    const words = WORDS[name];
    if (words && dice.chance(0.9)) return dice.chance(0.7) ? dice.pick(words.slice(0, 2)) : dice.pick(words);
    if (schema.$ref) return this.#value(name, this.#schema(schema.$ref), depth + 1);
    const choice = schema.anyOf ?? schema.oneOf;
    if (choice) return this.#value(name, dice.pick(choice), depth + 1);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return dice.pick(schema.enum);
    return this.#ofType(typeOf(schema), schema, depth);
  }

  #ofType(type: string, schema: Schema, depth: number): unknown {
    const dice = this.#dice;
    switch (type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return Array.from({ length: dice.int(0, 3) }, () => this.#value('', schema.items ?? {}, depth + 1));
      case 'integer':
        return dice.int(schema.minimum ?? -3, Math.min(schema.maximum ?? 300, 1_000));
      case 'number':
        return dice.between(schema.minimum ?? -3, Math.min(schema.maximum ?? 300, 1_000));
      case 'boolean':
        return dice.chance(0.5);
      default:
        return dice.chance(0.7)
          ? String(dice.int(-2, 400) / dice.pick([1, 10, 1_000]))
          : dice.id(dice.int(0, 20));
    }
  }

  #object({ properties = {}, required = [] }: Schema, depth: number): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    if (depth > 5) return made;
    for (const [name, schema] of Object.entries(properties)) {
      if (this.#dice.chance(required.includes(name) ? 0.95 : 0.4))
        made[name] = this.#value(name, schema, depth + 1);
    }
    if (this.#dice.chance(0.03)) made.unknown = this.#dice.pick(HOSTILE);
    return made;
  }

  /** Makes a bot that could start, often with one setting changed. */
  #bot(): unknown {
    const dice = this.#dice;
    const { type, settings, options } = dice.pick(bots);
    const exchange = dice.pick(['paper-spot', 'paper-futures']);
    const changed: Record<string, unknown> = { ...settings, exchange };
    if (dice.chance(0.5)) {
      const names = Object.keys(changed);
      changed[dice.pick(names)] = dice.chance(0.3) ? dice.pick(HOSTILE) : changed[dice.pick(names)];
    }
    return { type, settings: changed, ...(options && dice.chance(0.5) ? { options } : {}) };
  }

  #knownId(name: string): string | null {
    const { orders, bots: ids, runs } = this.#known;
    const of =
      name === 'runId'
        ? runs
        : name === 'order'
          ? orders
          : name === 'id' || name === 'ids'
            ? [...ids, ...orders]
            : [];
    return of.length === 0 ? null : this.#dice.pick(of);
  }

  #schema($ref: string): Schema {
    return document.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {};
  }
}

function typeOf({ type, properties }: Schema): string {
  if (typeof type === 'string') return type;
  return type?.[0] ?? (properties ? 'object' : 'string');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
