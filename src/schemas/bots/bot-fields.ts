/**
 * The fields of a bot type as one flat list, read from its schema: paths such as `stop[].trigger.type` with
 * their help text, for the console's form and for suggestions when a name is unknown. Pure.
 */
import type { TSchema } from 'typebox';
import { type BotType, schemaOf } from '../../bots/types/index.ts';

export type FieldKind = 'decimal' | 'integer' | 'flag' | 'choice' | 'text' | 'line' | 'group' | 'list';

export interface BotField {
  /** Path such as `deposit.value`; entries of a list are written `channels[].name`. */
  readonly path: string;
  readonly kind: FieldKind;
  readonly description: string;
  /** True when the field must be given if its group is given. */
  readonly required: boolean;
  /** Value when it is left out, where that does not depend on other fields. */
  readonly default?: unknown;
  /** Allowed values of a choice. */
  readonly choices?: readonly (string | number)[];
}

/** The part of JSON Schema that these schemas use. */
interface Part {
  readonly type?: string;
  readonly anyOf?: readonly Part[];
  readonly const?: string | number;
  readonly properties?: Readonly<Record<string, Part>>;
  readonly patternProperties?: object;
  readonly required?: readonly string[];
  readonly items?: Part;
  readonly description?: string;
  readonly default?: unknown;
}

const known = new Map<BotType, readonly BotField[]>();

/** Every field that settings of this type may have, groups before their fields. */
export function botFields(type: BotType): readonly BotField[] {
  const made = known.get(type) ?? fieldsOf(schemaOf(type));
  known.set(type, made);
  return made;
}

/** The fields of any schema, from its top level. */
export function fieldsOf(schema: TSchema): readonly BotField[] {
  const fields: BotField[] = [];
  walk([schema as Part], '', fields);
  return fields;
}

/** Reads several parts at once: the branches of a union, which may each have a field. */
function walk(parts: readonly Part[], prefix: string, fields: BotField[]): void {
  const names = new Set(parts.flatMap((part) => Object.keys(part.properties ?? {})));
  for (const name of names) {
    const path = `${prefix}${name}`;
    const found = parts.flatMap((part) => part.properties?.[name] ?? []);
    const required = parts.every((part) => part.required?.includes(name));
    fields.push(field(path, found, required));
    const inner = found.flatMap(groups);
    // One object, or an array of them, is a list, and its paths are written in one way.
    const listed = inner.some((group) => group.listed);
    walk(
      inner.filter((group) => group.listed === listed).map((group) => group.part),
      listed ? `${path}[].` : `${path}.`,
      fields,
    );
  }
}

function field(path: string, parts: readonly Part[], required: boolean): BotField {
  const [first = {}] = parts;
  const choices = [...new Set(parts.flatMap((part) => choicesOf(part) ?? []))];
  return {
    path,
    kind: choices.length > 0 ? 'choice' : kindOf(first),
    description: parts.flatMap((part) => part.description ?? []).join(' '),
    required,
    ...(first.default === undefined ? {} : { default: first.default }),
    ...(choices.length > 0 ? { choices } : {}),
  };
}

function kindOf(part: Part): FieldKind {
  if (part.patternProperties) return 'line';
  const branches = part.anyOf ?? [part];
  const types = branches.map((branch) => branch.type);
  if (types.includes('array')) return 'list';
  if (types.includes('number')) return 'decimal';
  if (types.includes('integer')) return 'integer';
  if (types.includes('boolean')) return 'flag';
  return types.includes('string') ? 'text' : 'group';
}

function choicesOf(part: Part): readonly (string | number)[] | null {
  const constants = (part.anyOf ?? [part]).map((branch) => branch.const);
  return constants.some((value) => value === undefined) ? null : (constants as (string | number)[]);
}

/** The objects directly inside: a group, the entries of a list, the branches of a union. */
function groups(part: Part): { part: Part; listed: boolean }[] {
  const inner = (p: Part, listed: boolean): { part: Part; listed: boolean }[] => {
    if (p.properties) return [{ part: p, listed }];
    if (p.items) return inner(p.items, true);
    return (p.anyOf ?? []).flatMap((branch) => inner(branch, listed));
  };
  return inner(part, false);
}
