/**
 * A bot while it is edited: plain JSON of the shape of its type's schema, whatever is typed. Values are kept
 * as the person writes them; text that is not a value of that shape yet is kept beside it. Pure.
 */
import { read } from '../../ui/format.ts';
import { localDayBegin, localText, readLocal } from '../../ui/zone.ts';
import type { Group, Leaf, List, Node } from './fields.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type Fields = { readonly [name: string]: Json };

/** The settings with `options` among them, `@tag` and `@metadata` beside them: the shape of `formTree`. */
export type Draft = Fields;

export interface FormModel {
  readonly tree: Group;
  readonly draft: Draft;
  /** Typed text that is no value yet, by path. */
  readonly texts: Readonly<Record<string, string>>;
}

export type Edit =
  | { readonly do: 'type'; readonly path: string; readonly text: string }
  | {
      readonly do: 'choose';
      readonly path: string;
      readonly by: number;
      readonly choices?: readonly string[];
    }
  /** Edits of a list: a new row after `at`, a removed row, a row that changes places with a neighbour. */
  | { readonly do: 'add'; readonly path: string; readonly at: number }
  | { readonly do: 'remove'; readonly path: string; readonly at: number }
  | { readonly do: 'move'; readonly path: string; readonly at: number; readonly by: number }
  /** Removes a value, even one that has no field. */
  | { readonly do: 'drop'; readonly path: string };

/** The context of an edit: a plain price that becomes a line gets its moments from it. */
export interface EditGround {
  /** Market time, Unix ms. */
  readonly now: number;
}

const DAY_MS = 86_400_000;
const WHOLE = /^(0|[1-9]\d{0,14})$/;

export function editedForm(form: FormModel, edit: Edit, ground: EditGround): FormModel {
  const node = nodeAt(form.tree, edit.path);
  if (edit.do === 'drop') {
    const { [edit.path]: _, ...texts } = form.texts;
    return { ...form, draft: withValue(form.tree, form.draft, edit.path, undefined), texts };
  }
  // A field that entries of this type do not have cannot be set.
  if (
    !node ||
    !applies(node, valueAt(form.draft, edit.path.slice(0, Math.max(0, edit.path.lastIndexOf('.')))))
  )
    return form;
  if (edit.do === 'type') {
    return node.kind === 'group' || node.kind === 'list' ? form : typedInto(form, node, edit, ground);
  }
  if (edit.do === 'choose') {
    if (node.kind !== 'choice' && node.kind !== 'flag') return form;
    const value = chosen(node, valueAt(form.draft, edit.path), edit.by, edit.choices);
    const draft = withValue(form.tree, form.draft, edit.path, value);
    return { ...form, draft: node.name === 'type' ? fitting(form.tree, draft, edit.path) : draft };
  }
  return node.kind === 'list' ? editedList(form, node, edit) : form;
}

// --- fields ---

function typedInto(
  form: FormModel,
  leaf: Leaf,
  { path, text }: { path: string; text: string },
  ground: EditGround,
): FormModel {
  const parsed = readText(leaf, text, valueAt(form.draft, path), ground);
  const { [path]: _, ...others } = form.texts;
  const value = parsed === null ? undefined : parsed.value;
  const plain = parsed !== null && textOf(leaf, value) === text;
  return {
    ...form,
    draft: withValue(form.tree, form.draft, path, value),
    texts: plain ? others : { ...others, [path]: text },
  };
}

/** Reads a field's text. An undefined value: the field is empty. Null: the text is no value yet. */
function readText(
  leaf: Leaf,
  raw: string,
  before: Json | undefined,
  { now }: EditGround,
): { value: Json | undefined } | null {
  const text = raw.trim();
  if (text === '') return { value: undefined };
  switch (leaf.kind) {
    case 'integer':
      return { value: WHOLE.test(text) ? Number(text) : text };
    case 'names':
      return { value: text.split(/[\s,]+/).filter((word) => word !== '') };
    case 'line': {
      const line = lineOf(text, before, now);
      return line && { value: line };
    }
    case 'level': {
      if (!text.includes('=')) return { value: text };
      const line = lineOf(text, before, now);
      return line && { value: line };
    }
    case 'dynamic': {
      const match = /^([a-z]+)\s+(\S+)$/.exec(text);
      if (!match) return read(text) === null ? null : { value: text };
      const [, from = '', percent = ''] = match;
      return leaf.choices.includes(from) && read(percent) !== null ? { value: { from, percent } } : null;
    }
    case 'choice':
    case 'flag':
      return null;
    default:
      return { value: leaf.kind === 'text' ? raw : text };
  }
}

/** Reads `61000`, or `2026-03-02T14:00=61000 2026-03-03T14:00=62000`, or the same with Unix ms. */
function lineOf(text: string, before: Json | undefined, now: number): Fields | null {
  const parts = text.split(/[\s,]+/);
  const [only = ''] = parts;
  if (parts.length === 1 && !only.includes('=')) {
    if (read(only) === null) return null;
    const [first, second] = Object.keys(isFields(before) ? before : {});
    const times = first !== undefined && second !== undefined ? [first, second] : [now, now + DAY_MS];
    return { [String(times[0])]: only, [String(times[1])]: only };
  }
  if (parts.length !== 2) return null;
  const points = parts.map((part) => part.split('='));
  const entries = points.map(([time = '', price = '']) => [timeOf(time), price] as const);
  if (points.some(({ length }) => length !== 2)) return null;
  if (entries.some(([time, price]) => time === null || read(price) === null)) return null;
  if (entries[0]?.[0] === entries[1]?.[0]) return null;
  return Object.fromEntries(entries.map(([time, price]) => [String(time), price]));
}

function timeOf(text: string): number | null {
  if (WHOLE.test(text)) return Number(text);
  const time = text.includes('T') ? readLocal(text) : localDayBegin(text);
  return time !== null && time >= 0 ? time : null;
}

/** What to type instead of a text that is no value yet. */
export function wantedText(leaf: Leaf): string {
  switch (leaf.kind) {
    case 'line':
      return 'a price, or two points: 2026-03-02T14:00=61000 2026-03-03T14:00=62000';
    case 'level':
      return 'a number, or two points: 2026-03-02T14:00=61000 2026-03-03T14:00=62000';
    case 'dynamic':
      return `a price, or ${leaf.choices.join(', ')} and a percent: ${leaf.choices[0]} -0.5`;
    default:
      return 'something else';
  }
}

/** Writes a value as its field shows it; empty if there is no value. */
export function textOf(leaf: Leaf, value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (leaf.kind === 'flag') return value === true ? 'yes' : value === false ? 'no' : JSON.stringify(value);
  if (Array.isArray(value)) return value.map((entry) => plain(entry)).join(', ');
  if (!isFields(value)) return plain(value);
  if (leaf.kind === 'dynamic') return `${plain(value.from)} ${plain(value.percent)}`;
  const points = Object.entries(value);
  const [first, second] = points;
  if (leaf.kind === 'line' && points.length === 2 && plain(first?.[1]) === plain(second?.[1]))
    return plain(first?.[1]);
  return points.map(([time, price]) => `${timeText(time)}=${plain(price)}`).join(' ');
}

function timeText(time: string): string {
  const ms = Number(time);
  const text = WHOLE.test(time) && ms % 60_000 === 0 ? localText(ms)?.slice(0, 16) : undefined;
  // A text that would be read as another moment, as when clocks go back, stays a number.
  return text !== undefined && readLocal(text) === ms ? text : time;
}

function plain(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns the next choice; if the field is optional, one of the choices is no value. */
function chosen(
  leaf: Leaf,
  value: Json | undefined,
  by: number,
  given?: readonly string[],
): Json | undefined {
  if (leaf.kind === 'flag') {
    const off = leaf.default === true;
    return (value ?? leaf.default ?? false) === off ? !off : leaf.required ? off : undefined;
  }
  const choices: readonly (Json | undefined)[] = given ?? leaf.choices;
  // A choice that is the default is stored as no value.
  const ring: readonly (Json | undefined)[] = leaf.required
    ? choices
    : leaf.default === undefined
      ? [undefined, ...choices]
      : choices.map((choice) => (choice === leaf.default ? undefined : choice));
  const own = value === leaf.default && !leaf.required ? undefined : value;
  const at = ring.indexOf(own);
  if (ring.length === 0) return value;
  return at < 0 ? ring[0] : ring[(at + by + ring.length) % ring.length];
}

/** Removes the fields that only other types have from an entry whose `type` has changed. */
function fitting(tree: Group, draft: Draft, path: string): Draft {
  const at = path.replace(/\.?type$/, '');
  const item = at === '' ? null : nodeAt(tree, at);
  const entry = at === '' ? undefined : valueAt(draft, at);
  if (item?.kind !== 'group' || !isFields(entry)) return draft;
  const kept = Object.entries(entry).filter(([name]) => {
    const field = item.fields.find((one) => one.name === name);
    return !field || applies(field, entry);
  });
  return withValue(tree, draft, at, Object.fromEntries(kept));
}

/** Tells whether an entry of this type has the field. */
export function applies(field: Node, entry: Json | undefined): boolean {
  return field.only === null || (isFields(entry) && field.only.includes(plain(entry.type)));
}

// --- lists ---

function editedList(
  form: FormModel,
  list: List,
  edit: Extract<Edit, { do: 'add' | 'remove' | 'move' }>,
): FormModel {
  const { path, at } = edit;
  const rows = [...rowsOf(form.draft, path)];
  if (edit.do === 'add') {
    if (rows.length >= list.max) return form;
    rows.splice(Math.min(Math.max(at + 1, 0), rows.length), 0, newRow(list, rows));
  } else if (at < 0 || at >= rows.length) return form;
  else if (edit.do === 'remove') rows.splice(at, 1);
  else {
    const to = at + edit.by;
    if (to < 0 || to >= rows.length) return form;
    [rows[at], rows[to]] = [rows[to] as Json, rows[at] as Json];
  }
  const none = rows.length === 0 && !list.required;
  const texts = Object.fromEntries(
    Object.entries(form.texts).filter(([name]) => !name.startsWith(`${path}[`)),
  );
  return { ...form, draft: withValue(form.tree, form.draft, path, none ? undefined : rows), texts };
}

/** Returns a new entry in which required choices are set, if possible to a choice that no other entry has. */
function newRow({ item }: List, rows: readonly Json[]): Fields {
  const taken = (name: string) => rows.map((row) => (isFields(row) ? row[name] : undefined));
  const filled = (group: Group): Fields =>
    Object.fromEntries(
      group.fields.flatMap((field): [string, Json][] => {
        if (!field.required) return [];
        if (field.kind === 'choice') {
          const free = field.choices.find((choice) => !taken(field.name).includes(choice));
          return [[field.name, free ?? field.choices[0] ?? '']];
        }
        if (field.kind !== 'group') return [];
        const inner = filled(field);
        return Object.keys(inner).length > 0 ? [[field.name, inner]] : [];
      }),
    );
  return filled(item);
}

/** Returns the entries of a list; an entry without brackets counts as a list of one. */
export function rowsOf(draft: Draft, path: string): readonly Json[] {
  const value = valueAt(draft, path);
  if (Array.isArray(value)) return value;
  return isFields(value) ? [value] : [];
}

// --- paths ---

type Step = string | number;

/** Splits `stop[0].trigger.value` into its steps. */
function stepsOf(path: string): Step[] {
  return path
    .split(/\.|(?=\[)/)
    .map((part) => (part.startsWith('[') ? Number.parseInt(part.slice(1), 10) : part));
}

export function nodeAt(tree: Group, path: string): Node | null {
  let node: Node | undefined = tree;
  for (const step of stepsOf(path)) {
    if (typeof step === 'number') node = node?.kind === 'list' ? node.item : undefined;
    else node = node?.kind === 'group' ? node.fields.find(({ name }) => name === step) : undefined;
  }
  return node ?? null;
}

export function valueAt(draft: Draft, path: string): Json | undefined {
  let value: Json | undefined = draft;
  for (const step of stepsOf(path)) {
    // A single entry without brackets also has the path [0].
    if (typeof step === 'number') value = Array.isArray(value) ? value[step] : step === 0 ? value : undefined;
    else value = isFields(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** Sets or removes the value at a path; removes groups that become empty and are not required. */
export function withValue(tree: Group, draft: Draft, path: string, value: Json | undefined): Draft {
  return (put(tree, draft, stepsOf(path), value) ?? {}) as Draft;
}

function put(
  node: Node | undefined,
  before: Json | undefined,
  [step, ...rest]: Step[],
  value: Json | undefined,
): Json | undefined {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const rows = Array.isArray(before) ? [...before] : isFields(before) ? [before] : [];
    const item = node?.kind === 'list' ? node.item : undefined;
    if (step >= rows.length) return before;
    rows[step] = put(item, rows[step], rest, value) ?? {};
    return rows;
  }
  const old = isFields(before) ? before : {};
  const inner = node?.kind === 'group' ? node.fields.find(({ name }) => name === step) : undefined;
  const next = put(inner, old[step], rest, value);
  if (next === undefined) {
    const { [step]: _, ...others } = old;
    const kept = node?.required === true || node?.name === '';
    return Object.keys(others).length === 0 && !kept ? undefined : others;
  }
  return { ...old, [step]: next };
}

export function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// --- reading and writing ---

/** The body of POST /bots. */
export interface BotBody {
  readonly settings: Fields;
  readonly options?: Fields;
  readonly metadata?: string;
  readonly tag?: string;
}

export function draftOfBot(bot: {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>> | null;
  readonly metadata?: string;
  readonly tag?: string;
}): Draft {
  const { settings, options, metadata, tag } = bot;
  return {
    ...(settings as Fields),
    ...(options ? { options: options as Fields } : {}),
    ...(tag === undefined || tag === '' ? {} : { '@tag': tag }),
    ...(metadata === undefined ? {} : { '@metadata': metadata }),
  };
}

export function bodyOf(draft: Draft): BotBody {
  const { options, '@tag': tag, '@metadata': metadata, ...settings } = draft;
  return {
    settings,
    ...(isFields(options) ? { options } : {}),
    ...(typeof metadata === 'string' ? { metadata } : {}),
    ...(typeof tag === 'string' ? { tag } : {}),
  };
}

// --- differences ---

export interface Difference {
  readonly path: string;
  /** The value as JSON; null: there is none. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Returns the differences of two drafts field by field; an entry without brackets equals a list of it. */
export function differences(before: Draft, after: Draft): readonly Difference[] {
  const a = leavesOf(before);
  const b = leavesOf(after);
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((path) => {
    const [old, now] = [a.get(path) ?? null, b.get(path) ?? null];
    return old === now ? [] : [{ path, before: old, after: now }];
  });
}

const SINGLE: ReadonlySet<string> = new Set(['stop', 'timeout', 'range', 'rsi', 'conditions']);

function leavesOf(draft: Draft): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const walk = (value: Json, path: string): void => {
    if (isFields(value) && SINGLE.has(path)) walk([value], path);
    else if (isFields(value))
      for (const [name, inner] of Object.entries(value)) walk(inner, path === '' ? name : `${path}.${name}`);
    else if (Array.isArray(value) && value.some((entry) => isFields(entry)))
      for (const [at, inner] of value.entries()) walk(inner, `${path}[${at}]`);
    else leaves.set(path, JSON.stringify(value));
  };
  walk(draft, '');
  return leaves;
}
