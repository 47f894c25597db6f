/** The state of every list: filter, sort and pane work the same way in all of them. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALL_BINDINGS } from '../../../src/console/app/bindings.ts';
import { newUi, PARTS } from '../../../src/console/app/features.ts';
import {
  activeFilter,
  endedFilter,
  hasPane,
  inDetail,
  isUsualOrder,
  leftLists,
  listInView,
  nextSorted,
  otherPane,
  reversed,
  startedFilter,
  steppedBack,
  withList,
} from '../../../src/console/lists/list-views.ts';
import type { ListId, ScreenId, UiState } from '../../../src/console/state/ui.ts';
import { LIST_IDS, sortsOf } from '../support/parts.ts';

describe('the state of a list', () => {
  const anyList = fc.constantFrom(...LIST_IDS);
  const first = newUi(80, 24).getState();
  const at = (list: ListId, ui: UiState = first): UiState => {
    const open = {
      trades: { ...ui.trades, open: list === 'trades' },
      pnl: { ...ui.pnl, open: list === 'pnl' || list === 'pnl-trades' },
      'price-alerts': { ...ui['price-alerts'], open: list === 'price-alerts' },
      operators: { ...ui.operators, open: list === 'operators' },
      sessions: { ...ui.sessions, open: list === 'sessions' },
      'pnl-trades': { ...ui['pnl-trades'], open: list === 'pnl-trades' },
    };
    return { ...ui, ...open, screen: PARTS.places[list].of ?? (list as ScreenId) };
  };

  it.each(LIST_IDS)('%s: filter, sort and reverse are on the keys of all lists', (list) => {
    const keys = (name: string) =>
      ALL_BINDINGS.filter(({ command, scope }) => command === `${list}.${name}` && scope === list).flatMap(
        (binding) => binding.keys,
      );
    expect([keys('filter'), keys('sort'), keys('reverse')]).toEqual([['/'], ['o'], ['O']]);
    expect(listInView(at(list))).toBe(list);
    expect(isUsualOrder(sortsOf(list), first[list])).toBe(true);
  });

  it.each(LIST_IDS)('%s: the sorts come round, each once', (list) => {
    const seen: string[] = [];
    let ui = first;
    for (const _ of sortsOf(list)) {
      seen.push(ui[list].sort);
      ui = nextSorted(ui, list);
    }
    expect(seen).toEqual([...sortsOf(list)]);
    expect(ui).toEqual(first);
    expect(isUsualOrder(sortsOf(list), reversed(ui, list)[list])).toBe(false);
    expect(reversed(reversed(ui, list), list)).toEqual(first);
  });

  it('whatever is done to one list leaves the others as they are, and esc leads out of all of it', () => {
    const steps: Record<string, (ui: UiState, list: ListId) => UiState> = {
      filter: startedFilter,
      keep: (ui, list) => endedFilter(ui, list, true),
      clear: (ui, list) => endedFilter(ui, list, false),
      type: (ui, list) => (activeFilter(ui) ? withList(ui, list, { filter: `${ui[list].filter}x` }) : ui),
      open: (ui, list) => (hasPane(ui[list]) ? withList(ui, list, { detailOpen: true }) : ui),
      pane: otherPane,
      sort: nextSorted,
      reverse: reversed,
      leave: leftLists,
    };
    fc.assert(
      fc.property(anyList, fc.array(fc.constantFrom(...Object.keys(steps))), (list, names) => {
        const before = at(list);
        let ui = before;
        for (const name of names) {
          ui = steps[name]?.(ui, list) ?? ui;
          const view = ui[list];
          // A filter never has the focus while the detail beside it has it.
          if (name === 'filter') expect(inDetail(view)).toBe(false);
          if (name === 'leave') expect(view.filtering || inDetail(view)).toBe(false);
          if (name === 'clear') expect(view.filter).toBe('');
        }
        for (const other of LIST_IDS) if (other !== list) expect(ui[other]).toBe(before[other]);
        for (let times = 0; times < 4; times++) ui = steppedBack(ui, list) ?? ui;
        expect(steppedBack(ui, list)).toBeNull();
        const { filter } = ui[list];
        expect({ filter, detail: inDetail(ui[list]) }).toEqual({ filter: '', detail: false });
      }),
    );
  });
});
