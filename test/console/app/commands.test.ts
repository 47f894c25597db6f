/**
 * Commands whose context has changed before they act: another bot's detail, a form that is not in front any
 * more.
 */

import { expect, it } from 'vitest';
import { newUi } from '../../../src/console/app/features.ts';
import type { Session } from '../../../src/console/app/session.ts';
import { openRules, withRule } from '../../../src/console/bots/commands.ts';
import { topDialog } from '../../../src/console/state/ui.ts';
import { detailOf, someBots } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';

function session() {
  const bots = someBots();
  const ui = newUi(120, 40);
  const state = deskState({ bots });
  const changed: string[] = [];
  const on = {
    ui,
    desk: { getState: () => ({ state, lost: null }) },
    fieldChanged: (what: string) => changed.push(what),
  } as unknown as Session;
  return { on, ui, bots, changed };
}

it('the rules of a bot are never taken from the detail of another one', () => {
  const { on, ui, bots, changed } = session();
  const running = Object.values(bots).filter(({ runId, type }) => runId !== undefined && type !== 'ALARM');
  const [one, other] = running;
  if (!one || !other) throw new Error('two bots must run');
  const form = () => {
    const dialog = topDialog(ui.getState());
    return dialog?.kind === 'bot-rule' ? dialog : null;
  };
  const at = (detail: typeof one) => {
    ui.setState((now) => ({
      dialogs: [],
      bots: { ...now.bots, selection: { id: one.id, index: 0 }, detail: detailOf(detail, {}) },
    }));
    openRules(on);
    return form();
  };
  expect(at(one)).toMatchObject({ id: one.id, runId: one.runId, detail: { bot: { id: one.id } } });
  expect(at(other)).toMatchObject({ id: one.id, runId: one.runId, detail: null });
  const asked = form();
  expect(asked && withRule(asked)).toBe(asked);
  // The desk is asked about the right bot.
  expect(changed).toEqual(['bot-rule', 'bot-rule']);
});
