/**
 * The form of the bot editor as plain data: the draft keeps its shape, whatever is typed, chosen, added and
 * removed.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { botTemplate } from '../../../src/console/bots/bot-templates.ts';
import {
  applies,
  bodyOf,
  type Draft,
  differences,
  draftOfBot,
  type Edit,
  editedForm,
  type FormModel,
  isFields,
  type Json,
  nodeAt,
  textOf,
  valueAt,
} from '../../../src/console/bots/editor/draft.ts';
import {
  frameIn,
  listAt,
  listEdited,
  movedFocus,
  openedEditor,
  rowsOfEditor,
  symbolIn,
} from '../../../src/console/bots/editor/editor.ts';
import {
  formTree,
  type Leaf,
  type Node,
  SECTIONS,
  sectionOf,
} from '../../../src/console/bots/editor/fields.ts';
import { liveLines } from '../../../src/console/bots/editor/live.ts';
import { formRows, meterOf, remarksOf, rowOf, stopsOf } from '../../../src/console/bots/editor/rows.ts';
import { changeOf, confirmPatch } from '../../../src/console/bots/editor/save.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { BOT_TYPES, type BotType, botFields } from '../../../src/schemas/bots/index.ts';
import { bot } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';

const GROUND = { now: NOON };

const editedDraft = (draft: Draft): Draft => ({ ...draft, edited: 1 });
const rowsIn = ({ channels }: Draft) => (Array.isArray(channels) ? channels.length : 0);

function template(type: BotType): Draft {
  const [instrument] = deskState().instruments;
  if (!instrument) throw new Error('no instrument');
  const text = botTemplate(type, { instrument, last: '0.7312', now: NOON });
  return (JSON.parse(text) as { settings: Draft }).settings;
}

function edited(form: FormModel, ...edits: Edit[]): FormModel {
  return edits.reduce((one, edit) => editedForm(one, edit, GROUND), form);
}

function formOf(type: BotType, draft: Draft = template(type)): FormModel {
  return { tree: formTree(type), draft, texts: {} };
}

/** Every leaf and list with a path, with the entries that the draft has. */
function paths(form: FormModel): { path: string; node: Node }[] {
  const found: { path: string; node: Node }[] = [];
  const walk = (node: Node, path: string): void => {
    if (node.kind === 'group') {
      for (const field of node.fields) walk(field, path === '' ? field.name : `${path}.${field.name}`);
      return;
    }
    found.push({ path, node });
    if (node.kind !== 'list') return;
    const value = valueAt(form.draft, path);
    const count = Array.isArray(value) ? value.length : isFields(value) ? 1 : 0;
    for (let at = 0; at < count; at++) walk(node.item, `${path}[${at}]`);
  };
  walk(form.tree, '');
  return found;
}

/** Values in places where the schema has none. */
function misshapen(node: Node | undefined, value: Json, path: string): string[] {
  if (!node) return [`${path}: no such field`];
  if (node.kind === 'group') {
    if (!isFields(value)) return [`${path}: no object`];
    return Object.entries(value).flatMap(([name, inner]) => {
      const field = node.fields.find((one) => one.name === name);
      if (field && !applies(field, value)) return [`${path}.${name}: of another type`];
      // The schema's literals that are not fields of the form.
      if (!field && name === 'type') return [];
      return misshapen(field, inner, path === '' ? name : `${path}.${name}`);
    });
  }
  if (node.kind === 'list') {
    const rows: readonly Json[] = Array.isArray(value) ? value : [value];
    return rows.flatMap((row, at) => misshapen(node.item, row, `${path}[${at}]`));
  }
  return fits(node, value) ? [] : [`${path}: ${JSON.stringify(value)} is no ${node.kind}`];
}

function fits(leaf: Leaf, value: Json): boolean {
  const text = typeof value === 'string' || typeof value === 'number';
  const line =
    isFields(value) &&
    Object.entries(value).length === 2 &&
    Object.keys(value).every((key) => /^\d+$/.test(key));
  switch (leaf.kind) {
    case 'flag':
      return typeof value === 'boolean';
    case 'choice':
      return leaf.name === 'exchange' ? typeof value === 'string' : leaf.choices.includes(value as string);
    case 'names':
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
    case 'line':
      return line;
    case 'level':
      return text || line;
    case 'dynamic':
      return text || (isFields(value) && leaf.choices.includes(value.from as string) && 'percent' in value);
    default:
      return text;
  }
}

const words = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '5',
    '12.5',
    '-3',
    '007',
    '1e5',
    'abc',
    ' ',
    '60000',
    '61000',
    'level -1',
    'entry 2',
  ),
  fc.constantFrom(
    '2026-03-02T14:00=1 2026-03-03T14:00=2',
    '1=2 3=4',
    '1=2 1=4',
    '1=2',
    'BTC, ETH',
    '{"a":1}',
    '[]',
  ),
  fc.string({ maxLength: 12 }),
);

describe('the form tree', () => {
  it.each(BOT_TYPES)('of %s has every field of the schema, each in one part of the form', (type) => {
    const tree = formTree(type);
    for (const { path, kind, choices } of botFields(type)) {
      if (path === 'type' || kind === 'group') continue;
      // A literal without a meaning of its own, and the objects inside a price.
      if (path === 'range[].type' && type === 'ALARM') continue;
      if (/\.(from|percent)$/.test(path) && /\b(buy|sell)\./.test(path) && path.startsWith('channels'))
        continue;
      const node = nodeAt(tree, path.replaceAll('[]', '[0]'));
      expect(node, path).not.toBeNull();
      if (choices && node?.kind === 'choice') expect(node.choices).toEqual(choices);
      expect(SECTIONS).toContain(sectionOf(type, path));
    }
  });
});

describe('any sequence of edits', () => {
  it.each(BOT_TYPES)('keeps the draft of a %s JSON of the schema’s shape', (type) => {
    const step = fc.record({
      at: fc.nat(10_000),
      text: words,
      by: fc.constantFrom(-1, 1),
      row: fc.integer({ min: -1, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let form = formOf(type);
        for (const { at, text, by, row } of steps) {
          const all = paths(form);
          const { path, node } = all[at % all.length] as (typeof all)[number];
          const edits: Edit[] =
            node.kind === 'list'
              ? [
                  { do: 'add', path, at: row },
                  { do: 'remove', path, at: row },
                  { do: 'move', path, at: row, by },
                ]
              : node.kind === 'choice' || node.kind === 'flag'
                ? [
                    {
                      do: 'choose',
                      path,
                      by,
                      ...(path === 'exchange' ? { choices: ['paper-spot', 'paper-futures'] } : {}),
                    },
                  ]
                : [
                    { do: 'type', path, text },
                    { do: 'drop', path },
                  ];
          form = editedForm(form, edits[at % edits.length] as Edit, GROUND);
          expect(misshapen(form.tree, form.draft, '')).toEqual([]);
          expect(JSON.parse(JSON.stringify(form.draft))).toEqual(form.draft);
        }
        const rows = formRows({ type, form, said: null, unfolded: [...SECTIONS] });
        const stops = rows.flatMap(stopsOf);
        expect(new Set(stops).size).toBe(stops.length);
        // Every field of the draft has a place where it can be changed.
        for (const { path, node } of paths(form)) {
          if (node.kind !== 'list' && applies(node, valueAt(form.draft, path.replace(/\.[^.]*$/, '')))) {
            expect(stops, path).toContain(path);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('shows in a field exactly what was typed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BOT_TYPES), fc.nat(10_000), words, (type, at, text) => {
        const form = formOf(type);
        const typed = paths(form).filter(
          ({ path, node }) =>
            !['list', 'choice', 'flag'].includes(node.kind) &&
            applies(node, valueAt(form.draft, path.replace(/\.[^.]*$/, ''))),
        );
        const { path, node } = typed[at % typed.length] as (typeof typed)[number];
        const next = editedForm(form, { do: 'type', path, text }, GROUND);
        const rows = formRows({ type, form: next, said: null, unfolded: [...SECTIONS] });
        const row = rows[rowOf(rows, path) ?? -1];
        const cell =
          row?.kind === 'field'
            ? row.cell
            : row?.kind === 'entry'
              ? row.cells.find((one) => one.path === path)
              : null;
        expect(cell?.text ?? '').toBe(text);
        expect(textOf(node as Leaf, valueAt(next.draft, path)).length).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('leaves drafts that others wrote alone but for what is edited', () => {
    const odd = {
      ...template('FIBO'),
      stop: { strategy: 'fixed', odd: [1] },
      depositePercentt: { a: 1 },
    } as Draft;
    const next = editedForm(
      formOf('FIBO', odd),
      { do: 'type', path: 'deposit.value', text: '7' },
      GROUND,
    ).draft;
    expect(differences(odd, next)).toEqual([{ path: 'deposit.value', before: '"500"', after: '"7"' }]);
    const rows = formRows({ type: 'FIBO', form: formOf('FIBO', odd), said: null, unfolded: [] });
    expect(
      rows.filter(({ kind }) => kind === 'unknown').map((row) => ('path' in row ? row.path : '')),
    ).toEqual(['stop[0].odd', 'depositePercentt']);
  });
});

describe('a field', () => {
  const typed = (type: BotType, path: string, text: string) =>
    valueAt(editedForm(formOf(type), { do: 'type', path, text }, GROUND).draft, path);

  it('takes a price as a level line, which keeps the times that were there', () => {
    expect(typed('INTRADAY', 'trend', '61000')).toEqual({
      [String(NOON)]: '61000',
      [String(NOON + 86_400_000)]: '61000',
    });
    expect(typed('INTRADAY', 'trend', '2026-03-02T14:00=61000 1772546400000=62000')).toEqual({
      '1772460000000': '61000',
      '1772546400000': '62000',
    });
  });

  it('keeps the times of a line whose price is typed anew', () => {
    const line = { '1772460000000': '61000', '1772546400000': '62000' };
    const before = formOf('INTRADAY', { ...template('INTRADAY'), trend: line });
    const next = editedForm(before, { do: 'type', path: 'trend', text: '63000' }, GROUND);
    expect(next.draft.trend).toEqual({ '1772460000000': '63000', '1772546400000': '63000' });
  });

  it('takes no line whose points are of one moment, and a day as its beginning in UTC', () => {
    expect(typed('INTRADAY', 'trend', '2026-03-02=61000 2026-03-02T00:00=62000')).toBeUndefined();
    expect(typed('INTRADAY', 'trend', '2026-03-02=61000 2026-03-03=62000')).toEqual({
      [String(Date.UTC(2026, 2, 2))]: '61000',
      [String(Date.UTC(2026, 2, 3))]: '62000',
    });
  });

  it('that says nothing yet is not given, and is said to be missing its sense', () => {
    const form = editedForm(formOf('INTRADAY'), { do: 'type', path: 'trend', text: '2026-03' }, GROUND);
    expect(valueAt(form.draft, 'trend')).toBeUndefined();
    expect(remarksOf({ form, said: null })).toMatchObject([{ path: 'trend', kind: 'problem' }]);
    // The desk's remark on this field is about its previous value and is dropped; remarks on other fields
    // stay.
    const message = 'is needed';
    const said = { problems: [{ path: 'trend', message }], warnings: [{ path: 'deposit', message }] };
    expect(remarksOf({ form, said }).map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'problem trend',
      'warning deposit',
    ]);
    const typed = edited(formOf('FIBO'), { do: 'type', path: 'deposit.value', text: '7' });
    expect(remarksOf({ form: { ...typed, texts: { 'deposit.value': '7.' } }, said: null })).toEqual([]);
  });

  it('takes a percent from somewhere', () => {
    expect(typed('FIBO', 'channels[0].buy', 'price -0.5')).toEqual({ from: 'price', percent: '-0.5' });
    expect(typed('FIBO', 'channels[0].buy', 'entry -0.5')).toBeUndefined();
    expect(typed('FIBO', 'channels[0].sell', '61000')).toBe('61000');
  });

  it('that is emptied is not given any more, and neither is a group with nothing in it', () => {
    const one = editedForm(
      formOf('FIBO'),
      { do: 'type', path: 'filters.market.rsi.min', text: '30' },
      GROUND,
    );
    expect(one.draft.filters).toEqual({ market: { rsi: { min: '30' } } });
    const none = editedForm(one, { do: 'type', path: 'filters.market.rsi.min', text: '' }, GROUND);
    expect('filters' in none.draft).toBe(false);
  });

  it('of an entry that becomes another type loses what only the old one has', () => {
    const form = editedForm(formOf('NOTIFY'), { do: 'choose', path: 'conditions[0].type', by: 1 }, GROUND);
    expect(form.draft.conditions).toEqual([{ type: 'volume_surge' }]);
  });

  it('of a new channel has a name that no other one has', () => {
    const form = editedForm(formOf('FIBO'), { do: 'add', path: 'channels', at: 5 }, GROUND);
    expect(valueAt(form.draft, 'channels[6].name')).toBe('0.786');
  });
});

describe('the differences of two drafts', () => {
  it.each(['stop', 'timeout', 'range', 'rsi', 'conditions'])(
    'are none between one entry of %s and a list of it',
    (name) => {
      const entry = { type: 'a', value: '1' };
      expect(differences({ [name]: entry }, { [name]: [entry] })).toEqual([]);
      expect(differences({ [name]: entry }, { [name]: [entry, { ...entry, value: '2' }] })).toEqual([
        { path: `${name}[1].type`, before: null, after: '"a"' },
        { path: `${name}[1].value`, before: null, after: '"2"' },
      ]);
    },
  );
});

describe('a list', () => {
  const names = (form: FormModel) =>
    (form.draft.channels as readonly { name?: string }[]).map(({ name }) => name);
  it('takes as many rows as the schema allows, and not one more', () => {
    const list = nodeAt(formTree('FIBO'), 'channels');
    if (list?.kind !== 'list') throw new Error('no list');
    const add: Edit = { do: 'add', path: 'channels', at: 0 };
    const full = edited(formOf('FIBO'), ...Array.from({ length: list.max + 3 }, () => add));
    expect(names(full)).toHaveLength(list.max);
  });

  it('has its rows changed with a neighbour, not beyond its ends', () => {
    const form = formOf('FIBO');
    const all = names(form);
    const move = (at: number, by: number) => names(edited(form, { do: 'move', path: 'channels', at, by }));
    expect(move(0, 1)).toEqual([all[1], all[0], ...all.slice(2)]);
    expect(move(all.length - 1, -1).at(-1)).toBe(all.at(-2));
    expect(move(0, -1)).toEqual(all);
    expect(move(all.length - 1, 1)).toEqual(all);
  });

  it('forgets what was typed in a row and says nothing yet, when rows have gone or moved', () => {
    const typed = edited(formOf('FIBO'), { do: 'type', path: 'channels[1].buy', text: 'price' });
    expect(typed.texts).toEqual({ 'channels[1].buy': 'price' });
    expect(edited(typed, { do: 'remove', path: 'channels', at: 0 }).texts).toEqual({});
    expect(edited(typed, { do: 'move', path: 'channels', at: 0, by: 1 }).texts).toEqual({});
    expect(edited(typed, { do: 'add', path: 'stop', at: 0 }).texts).toEqual(typed.texts);
  });

  it('that must be there is left empty, another one goes', () => {
    const first: Edit = { do: 'remove', path: 'channels', at: 0 };
    const form = formOf('FIBO');
    expect(edited(form, ...names(form).map(() => first)).draft.channels).toEqual([]);
    expect(form.draft.stop).toHaveLength(1);
    expect('stop' in edited(form, { do: 'remove', path: 'stop', at: 0 }).draft).toBe(false);
  });
});

describe('a choice', () => {
  it('goes on to the next one, or back to the one before', () => {
    const form = formOf('NOTIFY');
    const at = (by: number) => editedForm(form, { do: 'choose', path: 'conditions[0].type', by }, GROUND);
    const type = (one: FormModel) => valueAt(one.draft, 'conditions[0].type');
    const leaf = nodeAt(form.tree, 'conditions[0].type') as Leaf;
    const place = leaf.choices.indexOf(type(form) as string);
    expect(type(at(1))).toBe(leaf.choices[(place + 1) % leaf.choices.length]);
    expect(type(at(-1))).toBe(leaf.choices[(place - 1 + leaf.choices.length) % leaf.choices.length]);
  });

  it('of a flag turns its default off and on again', () => {
    for (const type of BOT_TYPES) {
      for (const { path, node } of paths(formOf(type))) {
        if (node.kind !== 'flag' || node.required || path.includes('[') || node.default !== true) continue;
        const off = editedForm(formOf(type), { do: 'choose', path, by: 1 }, GROUND);
        expect(valueAt(off.draft, path), path).toBe(false);
        const on = editedForm(off, { do: 'choose', path, by: 1 }, GROUND);
        expect(valueAt(on.draft, path), path).toBeUndefined();
      }
    }
  });
});

describe('what is said', () => {
  it('stands beside the field it is about, or the nearest one around it', () => {
    const problems = [
      { path: 'deposit.value', message: 'a' },
      { path: 'channels[2].depositePercent', message: 'b' },
      { path: 'channels', message: 'c' },
      { path: 'stop[0].trigger', message: 'd' },
      { path: 'filters.market.rsi.min', message: 'e' },
    ];
    const rows = formRows({
      type: 'FIBO',
      form: formOf('FIBO'),
      said: { problems, warnings: [] },
      unfolded: [],
    });
    const where = rows.flatMap((row) => (row.remark ? [`${row.remark.text} ${stopsOf(row)[0]}`] : []));
    expect(where).toEqual([
      'a deposit.value',
      'c channels[]',
      'b channels[2].name',
      'd stop[0].trigger.type',
      'e filters.market.rsi.min',
    ]);
  });

  it('of shares is a meter that is full at 100', () => {
    expect(meterOf(dec('80'))).toEqual({ bar: '████████░░', text: '80 of 100 %', full: false });
    expect(meterOf(dec('99.995'))?.full).toBe(true);
    expect(meterOf(dec('250'))).toMatchObject({ bar: '██████████', full: false });
    expect(meterOf(null)).toBeNull();
    expect([dec('99.99'), dec('100.01')].map((sum) => meterOf(sum)?.full)).toEqual([true, true]);
    expect([dec('99.98'), dec('100.02')].map((sum) => meterOf(sum)?.full)).toEqual([false, false]);
  });
});

describe('what is saved', () => {
  it('is the body of POST /bots', () => {
    const draft = draftOfBot({ settings: { a: 1 }, options: { restart: true }, tag: 'x', metadata: 'y' });
    expect(bodyOf(draft)).toEqual({
      settings: { a: 1 },
      options: { restart: true },
      tag: 'x',
      metadata: 'y',
    });
    expect(bodyOf(draftOfBot({ settings: { a: 1 }, options: null, tag: '' }))).toEqual({
      settings: { a: 1 },
    });
  });

  it('of a bot that is there is what differs; null takes away', () => {
    const before = { a: 1, b: { c: 2 }, options: { restart: true }, '@tag': 'x' };
    expect(changeOf(before, { a: 1, b: { c: 3 }, '@metadata': 'm' })).toEqual({
      change: { config: { b: { c: 3 } }, options: { restart: null }, metadata: 'm' },
      tag: '',
    });
    expect(changeOf(before, before)).toEqual({ change: {}, tag: null });
    expect(changeOf({ ...before, '@metadata': 'm' }, before).change).toEqual({ metadata: '' });
    expect(changeOf({ '@tag': 'x', a: 1 }, { '@tag': 'y', a: 1 })).toEqual({ change: {}, tag: 'y' });
  });
});

describe('the question before changes are saved', () => {
  const given = { exchange: 'paper-spot', symbol: 'BTCUSDT', a: 1 };
  const asked = (draft: Draft) => {
    const editor = openedEditor({ type: 'FIBO', botId: 'b1', title: 'Edit', draft: given, now: NOON });
    const changed = { ...editor, form: { ...editor.form, draft } };
    const state = deskState();
    const { rows } = confirmPatch(state, bot('b1'), changed, differences(given, draft), []);
    return rows;
  };

  it('has the account and market that the bot will have', () => {
    const rows = asked({ ...given, exchange: 'paper-futures', symbol: 'ETHUSDT' });
    const of = (name: string) => rows.find((row) => row.name === name)?.value;
    expect(of('account')).toBe('paper-futures');
    expect(of('market')).toMatch(/^ETHUSDT, last /);
    expect(of('exchange')).toBe('"paper-spot" → "paper-futures"');
  });

  it('marks what is taken away, and names eight changes one by one', () => {
    const { a: _, ...less } = given;
    expect(asked(less).at(-1)).toEqual({ name: 'a', value: '1 → not given', tone: 'warn' });
    expect(asked({ ...given, b: 1 }).at(-1)).toEqual({ name: 'b', value: 'not given → 1', tone: undefined });
    const more = (count: number) =>
      asked({ ...given, ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`z${at}`, at])) });
    expect(more(8).at(-1)).toMatchObject({ name: 'z7' });
    expect(more(10).slice(-2)).toMatchObject([{ name: 'z7' }, { name: '', value: 'and 2 more changes' }]);
  });
});

describe('the cursor in a list', () => {
  const focused = (focus: string, draft = template('FIBO')) => ({
    ...openedEditor({ type: 'FIBO', botId: null, title: 'New', draft, now: NOON }),
    focus,
  });
  const three = edited(
    formOf('FIBO'),
    ...(['channels', 'channels'] as const).map((path): Edit => ({ do: 'add', path, at: 0 })),
  ).draft;
  const count = rowsIn(three);

  it('goes on to the entry that is added, and after a removal to the one in its place or the last', () => {
    expect(listAt(listEdited(focused('channels[0].buy', three), 'add'))).toEqual({ path: 'channels', at: 1 });
    expect(listAt(listEdited(focused('channels[]', three), 'add'))?.at).toBe(count);
    expect(listAt(listEdited(focused('channels[0].buy', three), 'remove'))?.at).toBe(0);
    const last = focused(`channels[${count - 1}].buy`, three);
    expect(listAt(listEdited(last, 'remove'))?.at).toBe(count - 2);
    let editor = focused('channels[0].buy', three);
    for (let at = 0; at < count; at++) editor = listEdited(editor, 'remove');
    expect(editor.focus).toBe('channels[]');
  });

  it('moves with its entry and stays on its field', () => {
    const down = listEdited(focused('channels[0].buy', three), 'lower');
    expect(down.focus).toBe('channels[1].buy');
    expect(listEdited(down, 'raise').focus).toBe('channels[0].buy');
    const top = focused('channels[0].buy', three);
    expect(listEdited(top, 'raise')).toBe(top);
  });

  it.each([
    [{ ticker: 'ETHUSDT', symbol: { base: 'BTC', quote: 'USDT' } }, 'ETHUSDT'],
    [{ ticker: '', symbol: { base: 'BTC', quote: 'USDT' } }, 'BTCUSDT'],
    [{ symbol: 'XRPUSDT' }, 'XRPUSDT'],
    [{ symbol: { base: 'BTC' } }, ''],
  ])('is in a bot of the symbol that the settings name: %j', (draft, symbol) => {
    expect(symbolIn(focused('channels[]', draft))).toBe(symbol);
  });
});

describe('beside the form', () => {
  it.each([
    ['CHANNEL', { timeFrame: 300_000 }, 300_000],
    ['ALGO', { timeFrame: 5 }, 300_000],
    ['ALGO', { timeFrame: 300_000 }, 300_000 * 60_000],
    ['SQUEEZE', { timeFrame: 90_000 }, 60_000],
    ['SQUEEZE', {}, 60_000],
  ] as const)('the candles of a %s with %j are of %d ms', (type, draft, ms) => {
    expect(frameIn({ type, form: formOf(type, draft as Draft) })).toBe(ms);
  });

  const line = (kind: string, side: string | null, price: string) =>
    ({ kind, label: kind, price, side, type: 'LIMIT', qty: '1', quote: '1', fee: '0', when: 'now' }) as const;
  const laidOut = (draft: Draft, lines: readonly object[]) => {
    const editor = openedEditor({ type: 'FIBO', botId: null, title: 'New', draft, now: NOON });
    const ladder = {
      symbol: 'BTCUSDT',
      kind: 'spot',
      price: '100',
      base: 'BTC',
      asset: 'USDT',
      leverage: 1,
      lines,
      budget: null,
      entries: 0,
      averageEntry: null,
      least: null,
      worst: null,
      fees: null,
      profit: null,
      liquidation: null,
      belowMinimum: null,
      notes: [],
      problems: [],
    };
    const view = { ok: true, ladder } as never;
    return (of: Draft) =>
      liveLines(
        { ...editor, ladder: { draft: of, view } },
        { width: 100, chart: 0, tick: '0.01', step: '1' },
      );
  };

  it('the ladder has the last price in its place, and the tone of what each order does', () => {
    const draft = template('FIBO');
    const lines = [line('entry', 'SELL', '1000'), line('target', 'BUY', '110'), line('entry', 'BUY', '9.5')];
    const drawn = laidOut(draft, lines)(editedDraft(draft));
    const texts = drawn.map((row) => row.map(({ text }) => text).join(''));
    const at = (text: string) => texts.findIndex((row) => row.includes(text));
    expect(
      [at('S entry'), at('B target'), at('─ last'), at('B entry')].map((row) => row - at('S entry')),
    ).toEqual([0, 1, 2, 3]);
    const tone = (text: string) => drawn[at(text)]?.[0]?.tone;
    expect([tone('S entry'), tone('B target'), tone('B entry')]).toEqual(['sell', 'buy', 'buy']);
  });

  it('says when the ladder is of the settings before', () => {
    const draft = template('FIBO');
    const drawn = laidOut(draft, []);
    const head = (of: Draft) =>
      drawn(of)[0]
        ?.map(({ text }) => text)
        .join('');
    expect(head(draft)).not.toContain('of the settings before');
    expect(head(editedDraft(draft))).toContain('of the settings before');
  });
});

describe('the rows of an editor', () => {
  it('are made once for a form, its check and what is unfolded', () => {
    const draft = template('FIBO');
    const editor = openedEditor({ type: 'FIBO', botId: null, title: 'New', draft, now: NOON });
    const rows = rowsOfEditor(editor);
    expect(rowsOfEditor(movedFocus(editor, 'down'))).toBe(rows);
    const path = 'channels[0].depositePercent';
    const check = { draft, problems: [{ path, message: 'is wrong' }], warnings: [] };
    const marked = rowsOfEditor({ ...editor, check });
    expect(marked).not.toBe(rows);
    expect(marked.some(({ remark }) => remark?.path === path)).toBe(true);
    expect(rowsOfEditor({ ...editor, unfolded: ['market'] }).length).toBeGreaterThan(rows.length);
    expect(rowsOfEditor({ ...editor, form: { ...editor.form } })).toEqual(rows);
  });
});
