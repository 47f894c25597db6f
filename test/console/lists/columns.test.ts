/** The columns of a list and their order are chosen with keys, take effect at once, and are remembered. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chosenColumns,
  cycled,
  readColumns,
  shifted,
  titlesOf,
  USUAL_COLUMNS,
} from '../../../src/console/lists/columns.ts';
import { type Column, placeColumns } from '../../../src/console/lists/table.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import type { Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { account, deskState } from '../support/some-desk.ts';

const open = rigPerTest();

/** The head line of the list, without the sort mark. */
const head = (screen: Rig): readonly string[] =>
  (screen.screenLines().find((line) => / symbol /.test(line)) ?? '')
    .replace(/[▼▲]/g, '')
    .trim()
    .split(/\s{2,}/)
    .map((title) => title.trim());

describe('the columns of a list', () => {
  it('are shown always, or never, or as there is room', async () => {
    const screen = await open(new FakeDesk());
    await screen.press('2');
    expect(head(screen)).toEqual(['time', 'symbol', 'side', 'type', 'quantity', 'price', 'fill', 'status']);
    await screen.press('|');
    await screen.shows('Columns');
    for (let tries = 0; tries < 12 && !/▸ \[.\] account/.test(screen.screenText()); tries++)
      await screen.press('j');
    await screen.press(' ', '|');
    expect(head(screen)).toContain('account');
    await screen.press('|', ' ', ' ', '\r');
    expect(head(screen)).not.toContain('time');
    await screen.press('|', '0', '\r');
    expect(head(screen)).toEqual(['time', 'symbol', 'side', 'type', 'quantity', 'price', 'fill', 'status']);
  });

  it('are moved, and found again by their operator', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', '|', 'J', 'J', '\r');
    expect(head(screen).slice(0, 3)).toEqual(['symbol', 'side', 'time']);
    const written = () => desk.calls.filter(({ method }) => method === 'memory.write').at(-1)?.params;
    await screen.until(() => written() !== undefined);
    const { memory } = written() as { memory: Record<string, unknown> };
    const later = new FakeDesk();
    later.answers['memory.read'] = () => memory;
    const again = await open(later);
    await again.press('2');
    await again.until(() => head(again)[0] === 'symbol');
    expect(head(again).slice(0, 3)).toEqual(['symbol', 'side', 'time']);
  });

  it('never lose the one that tells real money from other', async () => {
    const usual = deskState();
    const place = { name: 'acme', venue: 'acme', place: 'LIVE', state: 'ready' } as const;
    const accounts = [...usual.accounts, account('acme-spot', { connection: place, paper: null })];
    const screen = await open(new FakeDesk(deskState({ accounts })));
    await screen.press('2', '|');
    expect(screen.screenText()).not.toMatch(/\[.\] mode/);
    await screen.press('J', '\r');
    expect(head(screen).slice(0, 2)).toEqual(['mode', 'symbol']);
  });

  it('are none on the Overview', async () => {
    const screen = await open(new FakeDesk());
    await screen.press('|');
    await screen.shows('there are no columns to choose here');
  });
});

const column = (title: string, priority: number): Column<null> => ({
  title,
  priority,
  width: 5,
  cell: () => ({ text: '' }),
});
const TITLES = ['mode', 'a', 'b', '', 'c', 'd'];
const ALL = TITLES.map((title, at) => column(title, title === 'mode' ? 0 : at + 1));
const OWN = ['a', 'b', 'c', 'd'];

describe('a choice of columns', () => {
  it('loses and doubles none, whatever was chosen, and keeps one at least', () => {
    const step = fc.tuple(fc.constantFrom('cycle', 'shift'), fc.constantFrom(...OWN), fc.constantFrom(-1, 1));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let choice = USUAL_COLUMNS;
        for (const [what, title, by] of steps) {
          const titles = titlesOf(TITLES, choice);
          expect(titles.toSorted()).toEqual(OWN);
          choice = what === 'cycle' ? cycled(choice, titles, title, by) : shifted(choice, titles, title, by);
        }
        const shown = chosenColumns(ALL, choice).map(({ title }) => title);
        expect(shown[0]).toBe('mode');
        expect(shown.toSorted()).toEqual(TITLES.filter((title) => !choice.never.includes(title)).toSorted());
        expect(shown.filter((title) => OWN.includes(title)).length).toBeGreaterThan(0);
        expect(shown.filter((title) => OWN.includes(title))).toEqual(
          titlesOf(TITLES, choice).filter((title) => !choice.never.includes(title)),
        );
      }),
    );
  });

  it('puts what is always wanted before what is by room, where there is not room for both', () => {
    const choice = { ...USUAL_COLUMNS, always: ['d'] };
    const placed = placeColumns(chosenColumns(ALL, choice), 19).map(({ column: { title } }) => title);
    expect(placed).toEqual(['mode', 'a', 'd']);
  });

  it('is read as far as it is one', () => {
    const kept = {
      orders: { order: ['a', 7, 'a'], always: 'x', never: ['b'.repeat(99)] },
      other: {},
      bots: 3,
    };
    expect(readColumns(kept, ['orders', 'bots'])).toEqual({
      orders: { order: ['a'], always: [], never: [] },
      bots: USUAL_COLUMNS,
    });
    expect(readColumns(null, ['orders'])).toEqual({});
  });
});
