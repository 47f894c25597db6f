/**
 * TypeBox schemas in the form of the OpenAPI document: titled ones as references to components, unions of
 * constants as enums, without the keywords that only our own refusals use. Pure.
 */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** The part of a TypeBox schema that is used here. */
interface SchemaParts {
  readonly title?: string;
  readonly description?: string;
  readonly anyOf?: readonly SchemaParts[];
  readonly const?: string;
  readonly type?: string;
  readonly items?: SchemaParts;
  readonly properties?: Readonly<Record<string, SchemaParts>>;
  readonly patternProperties?: Readonly<Record<string, SchemaParts>>;
  readonly additionalProperties?: SchemaParts | boolean;
}

/** The key under which TypeBox writes the values of a record with any names. */
const ANY_NAME = '^.*$';

/** Schemas that have a name in the document. */
export class Components {
  readonly #byTitle: ReadonlyMap<string, SchemaParts>;

  /** @param schemas each with a `title` */
  constructor(schemas: readonly object[]) {
    this.#byTitle = new Map(schemas.map((schema) => [(schema as SchemaParts).title ?? '', schema]));
  }

  /** Returns every component, sorted by name. */
  all(): JsonObject {
    const names = [...this.#byTitle.keys()].sort();
    return Object.fromEntries(names.map((name) => [name, this.#define(this.#byTitle.get(name) ?? {})]));
  }

  /** Returns a schema as it is written where it is used. */
  schema(given: object): JsonObject {
    const schema = given as SchemaParts;
    const { title } = schema;
    if (title === undefined) return this.#define(schema);
    const component = this.#byTitle.get(title);
    if (component === undefined) throw new Error(`the schema ${title} is no component of the document`);
    const reference = { $ref: `#/components/schemas/${title}` };
    const { description } = schema;
    return description === undefined || description === component.description
      ? reference
      : { ...reference, description };
  }

  #define(schema: SchemaParts): JsonObject {
    const { title: _, anyOf, items, properties, patternProperties, additionalProperties, ...rest } = schema;
    const plain = plainOf(rest);
    if (anyOf !== undefined) return { ...plain, ...this.#union(anyOf) };
    return {
      ...plain,
      ...(items && { items: this.schema(items) }),
      ...(properties && { properties: mapValues(properties, (value) => this.schema(value)) }),
      ...this.#others(patternProperties?.[ANY_NAME] ?? additionalProperties),
    };
  }

  #others(values: SchemaParts | boolean | undefined): JsonObject {
    if (values === undefined) return {};
    if (typeof values === 'boolean') return { additionalProperties: values };
    return { additionalProperties: Object.keys(values).length === 0 ? true : this.schema(values) };
  }

  #union(branches: readonly SchemaParts[]): JsonObject {
    const constants = branches.map((branch) => branch.const);
    if (constants.every((constant) => constant !== undefined)) return { type: 'string', enum: constants };
    return { anyOf: branches.map((branch) => this.schema(branch)) };
  }
}

/** Keywords that contain no schemas; our own ones are left out. */
function plainOf(schema: object): JsonObject {
  const entries = Object.entries(schema).filter(([name]) => !name.startsWith('x-'));
  return Object.fromEntries(entries) as JsonObject;
}

export function mapValues<T>(
  values: Readonly<Record<string, T>>,
  change: (value: T, name: string) => Json,
): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}
