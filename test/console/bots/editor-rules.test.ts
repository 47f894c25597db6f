/**
 * The bot editor in edge cases: where the focus goes, what is added up, what is said of a draft and of its
 * replay.
 */
import { describe, expect, it } from 'vitest';
import type { Draft } from '../../../src/console/bots/editor/draft.ts';
import {
  type BotEditor,
  focusOf,
  movedFocus,
  openedEditor,
  rowsOfEditor,
  toProblem,
} from '../../../src/console/bots/editor/editor.ts';
import { stateWords } from '../../../src/console/bots/editor/lines.ts';
import { summaryLines } from '../../../src/console/bots/editor/live.ts';
import { stopsOf } from '../../../src/console/bots/editor/rows.ts';
import { str } from '../../../src/domain/decimal.ts';
import { NOON } from '../support/some-market.ts';

const PAIR = { base: 'BTC', quote: 'USDT' };
const channel = (name: string, depositePercent?: string) => ({
  name,
  fiboPrice: '100',
  ...(depositePercent === undefined ? {} : { depositePercent }),
});
const THREE: Draft = {
  symbol: PAIR,
  channels: [channel('0', '20'), channel('0.5', '30'), channel('1', '10.5')],
};

function editorOf(draft: Draft = THREE, change: Partial<BotEditor> = {}): BotEditor {
  return { ...openedEditor({ type: 'FIBO', botId: null, title: 'New', draft, now: NOON }), ...change };
}

const textOf = (line: readonly { text: string }[]) => line.map(({ text }) => text).join('');

describe('the shares of a list', () => {
  const shares = (draft: Draft) => {
    const row = rowsOfEditor(editorOf(draft)).find((one) => one.kind === 'list' && one.path === 'channels');
    if (row?.kind !== 'list') throw new Error('no list');
    return row.shares === null ? null : str(row.shares);
  };

  it.each([
    ['of all its entries', THREE, '60.5'],
    ['of those that give one', { channels: [channel('0', '20'), channel('1')] }, '20'],
    ['of those that can be read', { channels: [channel('0', 'x'), channel('1', '7')] }, '7'],
    ['and are none where none gives one', { channels: [channel('0'), channel('1')] }, null],
  ] as const)('are added up %s', (_what, draft, sum) => {
    expect(shares(draft as unknown as Draft)).toBe(sum);
  });
});

describe('the keyboard', () => {
  const stops = (editor: BotEditor) => rowsOfEditor(editor).map(stopsOf);

  it('stays in its column of a table, row by row, and there in the last one where a row has fewer', () => {
    for (const [row, own] of stops(editorOf()).entries()) {
      for (const [column, focus] of own.entries()) {
        for (const move of ['down', 'up'] as const) {
          const all = stops(editorOf());
          const next =
            move === 'down'
              ? all.findIndex((one, at) => at > row && one.length > 0)
              : all.findLastIndex((one, at) => at < row && one.length > 0);
          const moved = movedFocus(editorOf(THREE, { focus }), move);
          if (next < 0) expect(moved.focus).toBe(focus);
          else expect(moved.focus).toBe(all[next]?.[Math.min(column, (all[next]?.length ?? 0) - 1)]);
        }
      }
    }
    // The test needs rows with several columns.
    expect(Math.max(...stops(editorOf()).map((one) => one.length))).toBeGreaterThan(1);
  });

  it('goes round all of them one by one, and back', () => {
    const all = stops(editorOf()).flat();
    let editor = editorOf(THREE, { focus: all[0] as string });
    const seen = all.map(() => {
      const { focus } = editor;
      editor = movedFocus(editor, 'next');
      return focus;
    });
    expect(seen).toEqual(all);
    expect(editor.focus).toBe(all[0]);
    expect(movedFocus(editor, 'previous').focus).toBe(all.at(-1));
  });

  it('goes from problem to problem, and after the last one to the first', () => {
    const paths = ['channels[0].depositePercent', 'channels[1].fiboPrice', 'channels[2].name'];
    const problems = paths.map((path) => ({ path, message: 'is wrong' }));
    let editor = editorOf(THREE, {
      focus: 'review',
      check: { draft: THREE, problems, warnings: [] } as never,
    });
    const seen: string[] = [];
    for (let n = 0; n < 4; n++) {
      editor = toProblem(editor);
      seen.push(editor.focus);
    }
    expect(seen).toEqual([...paths, paths[0]]);
    // A single problem keeps the focus.
    const one = { draft: THREE, problems: problems.slice(1, 2), warnings: [] } as never;
    const only = toProblem(editorOf(THREE, { check: one }));
    expect([only.focus, toProblem(only).focus]).toEqual([paths[1], paths[1]]);
    expect(focusOf(only).row).toBeGreaterThan(0);
  });

  it('stays where it is without a problem; remarks are none', () => {
    const warnings = [{ path: 'channels[1].fiboPrice', message: 'is far away' }];
    const editor = editorOf(THREE, { check: { draft: THREE, problems: [], warnings } as never });
    expect(toProblem(editor)).toBe(editor);
  });
});

describe('what is said of a draft', () => {
  const said = (problems: number, texts: object, warnings = 0) => {
    const of = (count: number) => Array.from({ length: count }, (_, n) => ({ path: `p${n}`, message: 'm' }));
    const check = { draft: THREE, problems: of(problems), warnings: of(warnings) } as never;
    const editor = editorOf(THREE, { check });
    return textOf(stateWords({ ...editor, form: { ...editor.form, texts: texts as never } }));
  };

  it.each([
    [0, {}, 0, '✓ checked'],
    [0, {}, 2, '! checked, 2 remarks'],
    [2, {}, 1, '✗ 2 problems'],
    // Typed text that is not a value counts as a problem, though the desk does not know of it.
    [0, { 'deposit.value': '1x' }, 0, 'not saved · ✗ 1 problem'],
    [0, { 'deposit.value': '1x' }, 2, 'not saved · ✗ 1 problem'],
    [2, { 'deposit.value': '1x' }, 0, 'not saved · ✗ 2 problems'],
  ])('%d problems of the desk, typed %j, %d remarks: %s', (problems, texts, warnings, words) => {
    expect(said(problems, texts, warnings)).toBe(words);
  });

  it('is that it is being checked before the desk has spoken, and one problem told twice is one', () => {
    expect(textOf(stateWords(editorOf()))).toBe('checking …');
    const twice = [0, 1].map(() => ({ path: 'p', message: 'm' }));
    const check = { draft: THREE, problems: twice, warnings: [] } as never;
    expect(textOf(stateWords(editorOf(THREE, { check })))).toBe('✗ 1 problem');
  });
});

describe('the replay in one line', () => {
  const line = (realised: string, unrealised: string) => {
    const figures = {
      realised,
      unrealised,
      fees: '0',
      cycles: 1,
      fills: 2,
      budget: '100',
      asset: 'USDT',
      maxDrawdown: '0',
    };
    const preview = { ok: true, figures, candles: { count: 10 }, alerts: 0 };
    const view = { done: 'played', frameMs: 60_000, preview };
    const replay = { draft: THREE, was: { state: 'over', view } } as never;
    const [, words] = summaryLines(editorOf(THREE, { replay }));
    const sum = words.find(({ text }) => text.endsWith(' USDT'));
    return `${sum?.text} ${sum?.tone}`;
  };

  it.each([
    ['5', '-3', '+2.00 USDT up'],
    ['5', '-8', '-3.00 USDT down'],
    ['5', '-5', '0.00 USDT text'],
    ['0', '1.5', '+1.50 USDT up'],
  ])(
    'has what it has earned and what its position is worth together: %s and %s',
    (realised, unrealised, words) => {
      expect(line(realised, unrealised)).toBe(words);
    },
  );
});
