/**
 * How a confirmation and the form under it end when the desk answers, whatever the person has done meanwhile.
 */
import { expect, it } from 'vitest';
import { PARTS } from '../../../src/console/app/features.ts';
import type { Session } from '../../../src/console/app/session.ts';
import { formUnder, settle } from '../../../src/console/dialogs/settle.ts';
import type { Action, Dialog, UiState } from '../../../src/console/state/ui.ts';

const ACTION = { type: 'place', order: {} } as unknown as Action;
const OTHER = { type: 'place', order: {} } as unknown as Action;
const confirm = (action = ACTION) => ({ kind: 'confirm', action }) as unknown as Dialog;
const ticket = (draft: object, check: object | null = null) =>
  ({ kind: 'ticket', draft, check, refusal: null }) as unknown as Dialog;
const HELP = { kind: 'help' } as unknown as Dialog;

const at = (dialogs: readonly Dialog[]) => ({ parts: PARTS, dialogs }) as unknown as UiState;

/** The dialogs that remain of those that are open when the answer comes. */
function left(dialogs: readonly Dialog[], form: Dialog | null, problem: string | null) {
  let now = dialogs;
  const ui = {
    setState: (change: (ui: UiState) => { dialogs: Dialog[] }) => ({ dialogs: now } = change(at(dialogs))),
  };
  settle({ ui } as unknown as Session, ACTION, form, problem);
  return now;
}

const draft = { symbol: 'BTCUSDT' };
const form = ticket(draft);

it('the form under a confirmation is the one that it came from', () => {
  expect(formUnder(at([form, confirm()]), ACTION)).toBe(form);
  expect(formUnder(at([form, confirm(OTHER)]), ACTION)).toBeNull();
  expect(formUnder(at([HELP, confirm()]), ACTION)).toBeNull();
  expect(formUnder(at([confirm()]), ACTION)).toBeNull();
});

it('both close when it went well; a problem stands in the form', () => {
  expect(left([form, confirm()], form, null)).toEqual([]);
  expect(left([form, confirm()], form, 'too small')).toEqual([{ ...form, refusal: 'too small' }]);
  expect(left([HELP, confirm()], null, null)).toEqual([HELP]);
});

it('a ticket that was left open closes as well, also when its check was looked at anew meanwhile', () => {
  const checked = ticket(draft, { margin: '1' });
  expect(left([checked], form, null)).toEqual([]);
  expect(left([checked, HELP], form, 'too small')).toEqual([{ ...checked, refusal: 'too small' }, HELP]);
});

it('what somebody has changed or opened meanwhile stays as it is', () => {
  const changed = ticket({ symbol: 'ETHUSDT' });
  for (const problem of [null, 'too small']) {
    expect(left([changed], form, problem)).toEqual([changed]);
    expect(left([changed, confirm(OTHER)], form, problem)).toEqual([changed, confirm(OTHER)]);
    expect(left([], form, problem)).toEqual([]);
  }
});
