/** The rows of the bot editor's form as lines: label, value, hint and remark. Pure. */

import { type BotType, wordsOf } from '../../../schemas/bots/index.ts';
import type { BoundBinding, CommandId } from '../../input/binding.ts';
import { withOwnKey } from '../../input/overrides.ts';
import { cellWidth, clean } from '../../ui/clean.ts';
import { counted, moment } from '../../ui/format.ts';
import { cell, keyed, type Line, lineWidth, type Span, span, wrapWords } from '../../ui/line.ts';
import type { BotEditor } from './editor.ts';
import { focusedCell, isDirty, isTyped, rowsOfEditor } from './editor.ts';
import type { Section } from './fields.ts';
import { type Cell, type FormRow, meterOf, type Remark, stopsOf } from './rows.ts';

/** A line, or one with a text field in it. */
export type EditorLine =
  | Line
  | {
      readonly before: Line;
      readonly field: {
        readonly id: string;
        readonly value: string;
        readonly width: number;
        readonly focus: boolean;
      };
      readonly after: Line;
    };

const INDENT = 2;
const GAP = 1;
/** Width of an entry's number in a table, in cells. */
const NUMBER = 4;

const TITLE: Record<Section, string> = {
  market: 'Market',
  deposit: 'Deposit',
  entries: 'Entries',
  exits: 'Exits',
  stops: 'Stops',
  filters: 'Filters',
  options: 'Options',
};

export function editorLine(row: FormRow, focus: string, editor: BotEditor, width: number): EditorLine {
  switch (row.kind) {
    case 'section':
      return [
        span(`${TITLE[row.section]} `, 'title'),
        span('─'.repeat(Math.max(0, width - TITLE[row.section].length - 2)), 'border'),
      ];
    case 'field':
      return fieldLine(row, row.cell, focus, editor.type, width);
    case 'list':
      return listLine(row, focus, width);
    case 'heads':
      return headsLine(row, width);
    case 'entry':
      return entryLine(row, focus, width);
    case 'part':
      return [
        ...pointer(row, focus === `${row.path}[${row.at}]`),
        span(`${one(row.list.name)} ${row.at + 1}`, focus === `${row.path}[${row.at}]` ? 'focus' : 'text', {
          bold: true,
        }),
        ...remarkSpans(row.remark),
      ];
    case 'unknown': {
      const here = focus === row.path;
      return [
        ...pointer(row, here),
        span(row.path, 'warn'),
        span(`  ${row.value}`, 'muted'),
        ...remarkSpans(row.remark),
      ];
    }
    case 'more': {
      const here = focus === `+${row.section}`;
      const names = row.names.join(', ');
      const room = width - (row.depth - 1) * INDENT - 4;
      const text = row.open
        ? 'fold what is not given'
        : wholeNames(`${row.names.length} more: ${names}`, room);
      return [
        ...pointer(row, here),
        span(row.open ? '▴ ' : '▾ ', 'key'),
        span(text, here ? 'focus' : 'muted'),
      ];
    }
    case 'review': {
      const here = focus === 'review';
      return [
        span(here ? '▸ ' : '  ', 'focus'),
        span(' Review and save ', here ? 'focus' : 'muted', { inverse: here }),
        ...remarkSpans(row.remark),
      ];
    }
  }
}

function pointer({ depth }: FormRow, here: boolean): Line {
  return [span(' '.repeat(Math.max(0, depth - 1) * INDENT)), span(here ? '▸ ' : '  ', 'focus')];
}

/** Returns as many whole names as fit. */
function wholeNames(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = text.lastIndexOf(', ', room - 2);
  return `${end < 0 ? text.slice(0, room - 2) : text.slice(0, end)} …`;
}

/** `channels` -> `channel`. */
function one(name: string): string {
  return name === 'stop' ? 'stop rule' : name.replace(/s$/, '');
}

function remarkSpans(remark: Remark | null): Span[] {
  if (!remark) return [];
  const problem = remark.kind === 'problem';
  return [
    span(problem ? '  ✗ ' : '  ! ', 'warn', { bold: true }),
    span(remark.text, problem ? 'warn' : 'muted'),
  ];
}

function fieldLine(
  row: FormRow & { label: string },
  own: Cell,
  focus: string,
  type: BotType,
  width: number,
): EditorLine {
  const here = focus === own.path;
  const label = Math.min(26, Math.max(18, Math.floor(width * 0.28)));
  const lead = pointer(row, here);
  const before: Line = [
    ...lead,
    cell(`${row.label} `, Math.max(6, label - lineWidth(lead)), 'left', here ? 'focus' : 'muted'),
  ];
  const room = Math.min(width - label - 1, Math.max(18, Math.floor(width * 0.26)));
  const long = own.leaf.kind === 'line' || own.leaf.kind === 'level' || own.leaf.kind === 'names';
  const value = here && long ? Math.max(room, width - label - 1) : room;
  const after: Line = row.remark ? remarkSpans(row.remark) : [span('  '), span(hintOf(own, type), 'muted')];
  if (here && isTyped(own)) {
    return { before, field: { id: `editor.${own.path}`, value: own.text, width: value, focus: true }, after };
  }
  const wrong = row.remark?.kind === 'problem';
  return [...before, ...fitted(valueSpans(own, here, wrong), room), ...after];
}

/** Fits a line to a width: cut with a mark, or padded. */
function fitted(line: Line, width: number): Line {
  const over = lineWidth(line) - width;
  if (over <= 0) return [...line, span(' '.repeat(-over))];
  const [first] = line;
  if (line.length !== 1 || !first) return line;
  const text = [...clean(first.text)].slice(0, Math.max(0, width - 1)).join('');
  return [{ ...first, text: `${text}…` }];
}

function valueSpans({ leaf, text, otherwise }: Cell, here: boolean, wrong: boolean): Line {
  const shown = text !== '' ? text : otherwise !== '' ? otherwise : leaf.required ? '' : '–';
  const tone = text === '' ? 'muted' : wrong ? 'warn' : 'text';
  if (!here || isTyped({ path: '', leaf, text, otherwise })) return [span(shown, tone)];
  return [span('◂ ', 'key'), span(shown === '' ? '–' : shown, tone, { bold: true }), span(' ▸', 'key')];
}

const MS_NAMES = new Set(['timeFrame', 'snoozeDuration', 'restartDelay', 'cooldown', 'timeout']);
const MOMENTS = new Set(['trailingFrom', 'expiresAt', 'time']);

/** The hint beside a number: what it means as a time or length. */
function hintOf({ leaf, text, path }: Cell, type: BotType): string {
  const value = Number(text);
  if (text === '' || !Number.isSafeInteger(value) || leaf.kind !== 'integer') return '';
  const minutes = wordsOf(type).minutes?.includes(path);
  if (minutes) return lengthOf(value * 60_000);
  if (MOMENTS.has(leaf.name)) return moment(value);
  return MS_NAMES.has(leaf.name) || /^timeout\[\d+\]\.value$/.test(path) ? lengthOf(value) : '';
}

function lengthOf(ms: number): string {
  for (const [unit, size] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ] as const) {
    if (ms >= size && ms % size === 0) return `${ms / size} ${unit}`;
  }
  return `${ms} ms`;
}

function listLine(row: Extract<FormRow, { kind: 'list' }>, focus: string, width: number): Line {
  const here = focus === `${row.path}[]`;
  const meter = meterOf(row.shares, width >= 90 ? 20 : 10);
  const count = row.count === 0 ? 'none' : String(row.count);
  return [
    ...pointer(row, here),
    span(row.list.name, here ? 'focus' : 'text', { bold: true }),
    span(` ${count}`, 'muted'),
    ...(here ? [keyed('editor.add', '  ctrl-n adds')] : []),
    ...(meter
      ? [
          span('  '),
          span(meter.bar, meter.full ? 'ok' : 'warn'),
          span(` ${meter.text}`, meter.full ? 'muted' : 'warn'),
        ]
      : []),
    ...remarkSpans(row.remark),
  ];
}

/** The widths of a table's columns. */
function widthsOf({ list, depth }: Extract<FormRow, { kind: 'entry' | 'heads' }>, width: number): number[] {
  const { fields } = list.item;
  const free = width - NUMBER - depth * INDENT - fields.length * GAP - 12;
  const weight = fields.map(({ name }) =>
    name === 'edge' ? 7 : Math.max(11, Math.min(17, name.length + 2)),
  );
  const sum = weight.reduce((a, b) => a + b, 0);
  const scale = Math.min(1.4, Math.max(0.6, free / sum));
  return weight.map((one) => Math.max(6, Math.floor(one * scale)));
}

function headsLine(row: Extract<FormRow, { kind: 'heads' }>, width: number): Line {
  const widths = widthsOf(row, width);
  const line: Span[] = [span(' '.repeat((row.depth - 1) * INDENT + NUMBER))];
  row.list.item.fields.forEach(({ name, kind }, at) => {
    const own = widths[at] ?? 8;
    const short = cellWidth(name) > own ? `${name.slice(0, Math.max(1, own - 1))}…` : name;
    line.push(cell(short, own, alignOf(kind), 'muted'), span(' '.repeat(GAP)));
  });
  return line;
}

function alignOf(kind: string): 'left' | 'right' {
  return kind === 'decimal' || kind === 'integer' ? 'right' : 'left';
}

function entryLine(row: Extract<FormRow, { kind: 'entry' }>, focus: string, width: number): EditorLine {
  const widths = widthsOf(row, width);
  const here = row.cells.some(({ path }) => path === focus);
  const before: Span[] = [
    span(' '.repeat((row.depth - 1) * INDENT)),
    span(here ? '▸ ' : '  ', 'focus'),
    span(`${row.at + 1}`.padEnd(NUMBER - 2), 'muted'),
  ];
  let field: { id: string; value: string; width: number; focus: boolean } | null = null;
  const after: Span[] = [];
  row.cells.forEach((own, at) => {
    const place = widths[at] ?? 8;
    const into = field ? after : before;
    if (own.path === focus && isTyped(own)) {
      field = { id: `editor.${own.path}`, value: own.text, width: place, focus: true };
      after.push(span(' '.repeat(GAP)));
      return;
    }
    const wrong = row.remark?.path === own.path;
    const shown = own.text !== '' ? own.text : own.otherwise !== '' ? own.otherwise : '–';
    const tone = wrong ? 'warn' : own.path === focus ? 'focus' : own.text === '' ? 'muted' : 'text';
    const text = cellWidth(shown) > place ? `${[...shown].slice(0, place - 1).join('')}…` : shown;
    const part = cell(text, place, alignOf(own.leaf.kind), tone);
    into.push(own.path === focus ? { ...part, inverse: true } : part, span(' '.repeat(GAP)));
  });
  const remark = remarkSpans(row.remark);
  return field ? { before, field, after: [...after, ...remark] } : [...before, ...remark];
}

/** The help for the field that has the keyboard: its problem in full, else its meaning. */
export function helpLines(
  editor: BotEditor,
  width: number,
  height: number,
  bindings: readonly BoundBinding[],
): Line[] {
  const rows = rowsOfEditor(editor);
  const row = rows.find((one) => stopsOf(one).includes(editor.focus));
  const lines: Line[] = [];
  if (editor.refusal !== null) lines.push(...told(editor.refusal, '✗', 'danger', width));
  if (row?.remark) {
    const where = row.remark.path === editor.focus || row.remark.path === '' ? '' : `${row.remark.path}: `;
    lines.push(
      ...told(`${where}${row.remark.text}`, row.remark.kind === 'problem' ? '✗' : '!', 'warn', width),
    );
  }
  const about = describe(editor, row, bindings);
  if (about !== '')
    lines.push(...wrapWords(about, width - 2).map((text): Line => [span(` ${text}`, 'muted')]));
  return Array.from({ length: height }, (_, at) => lines[at] ?? []);
}

function told(text: string, sign: string, tone: 'warn' | 'danger', width: number): Line[] {
  return wrapWords(text, width - 4).map(
    (line, at): Line => [span(at === 0 ? ` ${sign} ` : '   ', tone, { bold: true }), span(line, tone)],
  );
}

function describe(editor: BotEditor, row: FormRow | undefined, bindings: readonly BoundBinding[]): string {
  const own = (text: string, ...commands: readonly CommandId[]): string =>
    commands.reduce((words, command) => withOwnKey(bindings, command, words), text);
  if (editor.focus === 'review')
    return own(
      'ctrl-r or enter shows what is saved; nothing is started by it. Starting is s on the Bots screen.',
      'editor.review',
      'editor.enter',
      'bot.start',
    );
  if (editor.focus.startsWith('+')) return 'Left and right, or space, show and hide what is not given.';
  if (!row) return '';
  if (row.kind === 'unknown')
    return own('No field of this type has that name. ctrl-d takes it away.', 'editor.remove');
  const rows = own(
    'ctrl-n adds one, ctrl-d takes one away, ctrl-p and ctrl-f move it.',
    'editor.add',
    'editor.remove',
    'editor.raise',
    'editor.lower',
  );
  if (row.kind === 'list') return `${row.list.description} ${rows}`;
  if (row.kind === 'part') return rows;
  const cellHere = focusedCell(editor);
  if (!cellHere) return '';
  const otherwise = cellHere.otherwise === '' ? '' : ` Left out: ${cellHere.otherwise}.`;
  return `${cellHere.leaf.description}${otherwise}`;
}

/** Writes the state as `not saved · 2 problems`. */
export function stateWords(editor: BotEditor): Line {
  const problems = new Set((editor.check?.problems ?? []).map(({ path, message }) => `${path} ${message}`))
    .size;
  const remarks = editor.check?.warnings.length ?? 0;
  const texts = Object.keys(editor.form.texts).length;
  const count = Math.max(problems, texts > 0 ? 1 : 0);
  const said: Span =
    editor.check === null
      ? span('checking …', 'muted')
      : count === 0
        ? remarks > 0
          ? span(`! checked, ${counted(remarks, 'remark')}`, 'warn')
          : span('✓ checked', 'ok')
        : span(`✗ ${counted(count, 'problem')}`, 'warn');
  return [...(isDirty(editor) ? [span('not saved', 'warn'), span(' · ', 'muted')] : []), said];
}
