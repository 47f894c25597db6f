/**
 * The rows of the bot editor's form: sections, fields one per line, lists as tables, and the remarks on each.
 * The rows depend on the draft alone; empty fields are folded away until they are asked for. Pure.
 */
import { type Dec, dec, decOfInt, str, ZERO } from '../../../domain/decimal.ts';
import type { BotType } from '../../../schemas/bots/bot-type.ts';
import { read } from '../../ui/format.ts';
import {
  applies,
  type Draft,
  type FormModel,
  isFields,
  type Json,
  rowsOf,
  textOf,
  valueAt,
  wantedText,
} from './draft.ts';
import { type Group, type Leaf, type List, type Node, SECTIONS, type Section, sectionOf } from './fields.ts';

export interface Remark {
  readonly path: string;
  readonly kind: 'problem' | 'warning';
  readonly text: string;
  /** The typed text is no value yet. */
  readonly unread?: true;
}

/** One field to type or choose. */
export interface Cell {
  readonly path: string;
  readonly leaf: Leaf;
  /** The typed text or the value; empty: none. */
  readonly text: string;
  /** What applies if the cell is empty. */
  readonly otherwise: string;
}

export type FormRow = { readonly remark: Remark | null; readonly depth: number } & (
  | { readonly kind: 'section'; readonly section: Section; readonly given: number }
  | { readonly kind: 'field'; readonly label: string; readonly cell: Cell }
  | {
      readonly kind: 'list';
      readonly path: string;
      readonly list: List;
      readonly count: number;
      readonly shares: Dec | null;
    }
  /** The heads of a table. */
  | { readonly kind: 'heads'; readonly path: string; readonly list: List }
  | {
      readonly kind: 'entry';
      readonly path: string;
      readonly at: number;
      readonly list: List;
      readonly cells: readonly Cell[];
    }
  /** An entry that is too long for a table: its fields follow as rows. */
  | { readonly kind: 'part'; readonly path: string; readonly at: number; readonly list: List }
  | { readonly kind: 'unknown'; readonly path: string; readonly value: string }
  | {
      readonly kind: 'more';
      readonly section: Section;
      readonly names: readonly string[];
      readonly open: boolean;
    }
  | { readonly kind: 'review' }
);

/** Remarks on fields: the editor's if a text is no value yet, else the desk's. */
export interface CheckRemarks {
  readonly problems: readonly { readonly path: string; readonly message: string }[];
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
}

/** Fields with these names are shares of a whole. */
const SHARES = new Set(['depositePercent', 'size']);
const SHARED_LISTS = new Set(['channels', 'levels', 'takeProfits']);

export interface FormView {
  readonly type: BotType;
  readonly form: FormModel;
  readonly said: CheckRemarks | null;
  /** Sections that show all of their fields. */
  readonly unfolded: readonly Section[];
}

export function remarksOf({ form, said }: Pick<FormView, 'form' | 'said'>): readonly Remark[] {
  const unread = Object.entries(form.texts).flatMap(([path]): Remark[] => {
    const leaf = leafAt(form.tree, path);
    if (!leaf || valueAt(form.draft, path) !== undefined) return [];
    return [{ path, kind: 'problem', text: `must be ${wantedText(leaf)}`, unread: true }];
  });
  const own = new Set(unread.map(({ path }) => path));
  const rest = [
    ...(said?.problems ?? []).map(({ path, message }) => ({ path, kind: 'problem' as const, text: message })),
    ...(said?.warnings ?? []).map(({ path, message }) => ({ path, kind: 'warning' as const, text: message })),
  ];
  return [...unread, ...rest.filter(({ path }) => !own.has(path))];
}

function leafAt(tree: Group, path: string): Leaf | null {
  let node: Node = tree;
  for (const step of path.replaceAll(/\[\d+\]/g, '').split('.')) {
    const group: Node = node.kind === 'list' ? node.item : node;
    const inner: Node | undefined =
      group.kind === 'group' ? group.fields.find(({ name }) => name === step) : undefined;
    if (!inner) return null;
    node = inner;
  }
  return node.kind === 'group' || node.kind === 'list' ? null : node;
}

export function formRows(view: FormView): readonly FormRow[] {
  const remarks = remarksOf(view);
  const builder = new Builder(view, remarks);
  for (const section of SECTIONS) builder.section(section);
  builder.rows.push({ kind: 'review', remark: null, depth: 0 });
  return placed(builder.rows, remarks);
}

class Builder {
  readonly rows: FormRow[] = [];
  readonly #view: FormView;
  readonly #said: ReadonlySet<string>;
  #hidden: string[] = [];

  constructor(view: FormView, remarks: readonly Remark[]) {
    this.#view = view;
    this.#said = new Set(remarks.map(({ path }) => path));
  }

  section(section: Section): void {
    const { form, type, unfolded } = this.#view;
    const before = this.rows.length;
    this.#hidden = [];
    const open = unfolded.includes(section);
    for (const node of form.tree.fields) this.#node(section, node, node.name, '', open, 1);
    for (const name of Object.keys(form.draft)) {
      if (form.tree.fields.some((field) => field.name === name) || sectionOf(type, name) !== section)
        continue;
      this.#unknown(name, 1);
    }
    const given = this.rows.length - before;
    if (given === 0 && this.#hidden.length === 0) return;
    this.rows.splice(before, 0, { kind: 'section', section, given, remark: null, depth: 0 });
    if (this.#hidden.length > 0 || open)
      this.rows.push({ kind: 'more', section, names: this.#hidden, open, remark: null, depth: 1 });
  }

  /** Adds the rows of one node. `label`: the names of the groups around it, as a prefix. */
  #node(section: Section, node: Node, path: string, label: string, open: boolean, depth: number): void {
    const { form, type } = this.#view;
    const name = label === '' ? node.name.replace('@', '') : `${label}.${node.name}`;
    if (node.kind === 'group') {
      const value = valueAt(form.draft, path);
      // A group has no row of its own: its name is a prefix of its fields.
      for (const field of node.fields) {
        if (applies(field, value)) this.#node(section, field, `${path}.${field.name}`, name, open, depth);
      }
      if (sectionOf(type, path) === section && isFields(value)) this.#strangers(node, value, path, depth);
      return;
    }
    if (sectionOf(type, path) !== section) return;
    if (node.kind === 'list') {
      this.#list(node, path, name, open, depth);
      return;
    }
    const cell = this.#cell(node, path);
    const shown = open || this.#needed(node, path) || cell.text !== '' || this.#said.has(path);
    if (shown) this.rows.push({ kind: 'field', label: name, cell, remark: null, depth });
    else this.#hidden.push(name);
  }

  /** Tells whether a field is required and its group exists. */
  #needed(node: Node, path: string): boolean {
    if (!node.required) return false;
    const dot = path.lastIndexOf('.');
    if (dot < 0) return true;
    const parent = path.slice(0, dot);
    if (valueAt(this.#view.form.draft, parent) !== undefined || this.#said.has(parent)) return true;
    const group = parent.includes('[') ? null : groupAt(this.#view.form.tree, parent);
    return group?.required === true && this.#needed(group, parent);
  }

  #cell(leaf: Leaf, path: string): Cell {
    const { form } = this.#view;
    const text = form.texts[path] ?? textOf(leaf, valueAt(form.draft, path));
    const otherwise = leaf.default === undefined ? '' : textOf(leaf, leaf.default as Json);
    return { path, leaf, text, otherwise };
  }

  #list(list: List, path: string, label: string, open: boolean, depth: number): void {
    const { form } = this.#view;
    const entries = rowsOf(form.draft, path);
    if (entries.length === 0 && !open && !list.required && !COMMON_LISTS.has(path) && !this.#said.has(path)) {
      this.#hidden.push(label);
      return;
    }
    const shares = SHARED_LISTS.has(path) ? sumOf(entries) : null;
    this.rows.push({ kind: 'list', path, list, count: entries.length, shares, remark: null, depth });
    if (list.table && entries.length > 0)
      this.rows.push({ kind: 'heads', path, list, remark: null, depth: depth + 1 });
    entries.forEach((entry, at) => {
      const own = `${path}[${at}]`;
      if (list.table) {
        const cells = list.item.fields.map((field) => this.#cell(field as Leaf, `${own}.${field.name}`));
        this.rows.push({ kind: 'entry', path, at, list, cells, remark: null, depth: depth + 1 });
        if (isFields(entry)) this.#strangers(list.item, entry, own, depth + 2);
        return;
      }
      this.rows.push({ kind: 'part', path, at, list, remark: null, depth: depth + 1 });
      const inner = (node: Node, at_: string, prefix: string): void => {
        const name = prefix === '' ? node.name : `${prefix}.${node.name}`;
        if (node.kind === 'group') {
          for (const field of node.fields)
            if (applies(field, valueAt(form.draft, at_))) inner(field, `${at_}.${field.name}`, name);
          const value = valueAt(form.draft, at_);
          if (isFields(value)) this.#strangers(node, value, at_, depth + 2);
        } else if (node.kind !== 'list') {
          const cell = this.#cell(node, at_);
          const usual = node.required || cell.text !== '' || this.#said.has(at_) || USUAL.has(name);
          if (open || usual)
            this.rows.push({ kind: 'field', label: name, cell, remark: null, depth: depth + 2 });
          else this.#hidden.push(name);
        }
      };
      for (const field of list.item.fields)
        if (applies(field, entry)) inner(field, `${own}.${field.name}`, '');
      if (isFields(entry)) this.#strangers(list.item, entry, own, depth + 2);
    });
  }

  /** Adds rows for values that have no field. */
  #strangers(group: Group, value: Draft, path: string, depth: number): void {
    for (const name of Object.keys(value)) {
      const field = group.fields.find((one) => one.name === name);
      if (field ? !applies(field, value) : !(group === this.#view.form.tree)) {
        if (name !== 'type') this.#unknown(`${path}.${name}`, depth);
      }
    }
  }

  #unknown(path: string, depth: number): void {
    if (path === 'type') return;
    const value = JSON.stringify(valueAt(this.#view.form.draft, path) ?? null);
    this.rows.push({ kind: 'unknown', path, value, remark: null, depth });
  }
}

/** Lists that are shown even if empty, because most bots have one. */
const COMMON_LISTS = new Set(['channels', 'levels', 'takeProfits', 'stop', 'conditions']);
/** Fields of entries that are shown even if empty. */
const USUAL = new Set(['trigger.value', 'complete', 'min', 'max', 'percent']);

function groupAt(tree: Group, path: string): Group | null {
  let node: Node | undefined = tree;
  for (const step of path.split('.')) {
    node = node?.kind === 'group' ? node.fields.find(({ name }) => name === step) : undefined;
  }
  return node?.kind === 'group' ? node : null;
}

function sumOf(entries: readonly Json[]): Dec | null {
  let sum = ZERO;
  let some = false;
  for (const entry of entries) {
    if (!isFields(entry)) continue;
    for (const name of SHARES) {
      const share = entry[name];
      if (share === undefined) continue;
      some = true;
      sum += read(String(share)) ?? ZERO;
    }
  }
  return some ? sum : null;
}

const WHOLE = decOfInt(100);

/** Draws the sum as `██████░░░░ 60 of 100 %`; null if there is nothing to add up. */
export function meterOf(shares: Dec | null, cells = 10): { bar: string; text: string; full: boolean } | null {
  if (shares === null) return null;
  const share = Number(shares) / Number(WHOLE);
  const on = Math.min(cells, Math.max(0, Math.round(share * cells)));
  const off = shares > WHOLE ? shares - WHOLE : WHOLE - shares;
  const full = off <= dec('0.01');
  return { bar: '█'.repeat(on) + '░'.repeat(cells - on), text: `${str(shares)} of 100 %`, full };
}

/** Puts every remark on the row it is about, or on the nearest enclosing row. */
function placed(rows: readonly FormRow[], remarks: readonly Remark[]): readonly FormRow[] {
  const paths = rows.map(pathsOf);
  const found = new Map<number, Remark>();
  for (const remark of remarks) {
    // A remark about no field goes to the last row.
    const at = placeOf(paths, remark.path) ?? rows.length - 1;
    const before = found.get(at);
    if (!before || (before.kind === 'warning' && remark.kind === 'problem')) found.set(at, remark);
  }
  return rows.map((row, at) => {
    const remark = found.get(at);
    return remark ? { ...row, remark } : row;
  });
}

/** Returns the enclosing path; names may hold anything. */
function around(path: string): string {
  const outer = path.replace(/(\.|^)[^.[\]]+$|\[\d+\]$/, '');
  return outer === path ? '' : outer;
}

export function rowOf(rows: readonly FormRow[], path: string): number | null {
  return placeOf(rows.map(pathsOf), path);
}

/** Returns the first row that is about the path, or about the nearest path around or inside it. */
function placeOf(paths: readonly (readonly string[])[], path: string): number | null {
  for (let where = path; where !== ''; where = around(where)) {
    const at = paths.findIndex((own) => own.includes(where));
    if (at >= 0) return at;
    const inside = paths.findIndex((own) => own.some((one) => one.startsWith(`${where}.`)));
    if (inside >= 0) return inside;
  }
  return null;
}

/** The paths that a row is about. */
function pathsOf(row: FormRow): readonly string[] {
  switch (row.kind) {
    case 'field':
      return [row.cell.path];
    case 'entry':
      return [`${row.path}[${row.at}]`, ...row.cells.map(({ path }) => path)];
    case 'part':
      return [`${row.path}[${row.at}]`];
    case 'list':
    case 'unknown':
      return [row.path];
    default:
      return [];
  }
}

/** The places of a row that can have the keyboard; a table's row has several. */
export function stopsOf(row: FormRow): readonly string[] {
  switch (row.kind) {
    case 'field':
      return [row.cell.path];
    case 'entry':
      return row.cells.map(({ path }) => path);
    case 'list':
      return [`${row.path}[]`];
    case 'part':
      return [`${row.path}[${row.at}]`];
    case 'unknown':
      return [row.path];
    case 'more':
      return [`+${row.section}`];
    case 'review':
      return ['review'];
    default:
      return [];
  }
}
