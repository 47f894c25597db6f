/** The only place that places, cancels, splits, starts, stops, deletes, revokes or registers: after `y` in an open confirmation. */

import type { KeyExample } from '../../desk/console/protocol.ts';
import type { AccessKey } from '../../domain/access-key.ts';
import type { Outcome } from '../../domain/errors.ts';
import { assertNever } from '../../domain/errors.ts';
import type { OrderView } from '../../domain/order.ts';
import { counted, exact } from '../format.ts';
import { newKeyLines } from '../model/key-detail.ts';
import { orderWords } from '../model/order-words.ts';
import { hasWord } from '../model/question.ts';
import { resultNotice } from '../model/still-table.ts';
import { ask, closeDialog, deskState, openDialog, patchDialog, type Session, say, tell } from '../session.ts';
import { type Action, type Dialog, topDialog } from '../state/ui.ts';
import { performAccount } from './account-actions.ts';
import { performBot } from './bot-actions.ts';
import { hereTried } from './keys.ts';
import { panicAgain, startPanic } from './panic.ts';
import { formUnder, settle } from './settle.ts';
import { leave } from './system.ts';

/** Closes the dialog in front. Who has typed the word is told that nothing came of it. */
export function closeUndone(session: Session): void {
  const dialog = topDialog(session.ui.getState());
  closeDialog(session);
  if (dialog?.kind === 'confirm' && !dialog.busy && dialog.word !== undefined && hasWord(dialog))
    say(session, 'nothing was done', 'warn');
}

export function confirmYes(session: Session): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'confirm' || dialog.busy || !hasWord(dialog)) return;
  if (dialog.action.type === 'cancel-all' && dialog.action.ids.length === 0) return;
  const form = formUnder(session.ui.getState().dialogs, dialog.action);
  patchDialog(session, 'confirm', () => ({ busy: true }));
  void perform(session, dialog.action, form);
}

function refused(session: Session, outcome: Outcome<unknown> | null): string | null {
  if (outcome === null) return 'no answer';
  if (outcome.ok) return null;
  const { message, reason } = outcome.error;
  const text = reason ? `refused: ${message} (${reason})` : `refused: ${message}`;
  tell(session, text, 'danger');
  return text;
}

async function perform(session: Session, action: Action, form: Dialog | null): Promise<void> {
  switch (action.type) {
    case 'place': {
      const outcome = await ask(session, 'orders.place', action.order);
      const problem = refused(session, outcome);
      settle(session, action, form, problem);
      if (outcome?.ok) {
        const { side, origQty, symbol, status, id, unresolved } = outcome.data;
        const what = unresolved ? 'unresolved, the desk is asking the exchange' : status;
        tell(session, `${side} ${exact(origQty)} ${symbol}: ${what} · ${id}`, unresolved ? 'warn' : 'ok');
        session.ui.setState((ui) => ({ orders: { ...ui.orders, selection: { id, index: 0 } } }));
      }
      return;
    }
    case 'futures': {
      const { exchange, setting, done } = action;
      const outcome = await ask(session, 'futures.set', { exchange, setting });
      const problem = refused(session, outcome);
      settle(session, action, form, problem);
      if (problem === null) tell(session, done, 'ok');
      return;
    }
    case 'cancel': {
      const outcome = await ask(session, 'orders.cancel', { exchange: action.exchange, id: action.id });
      settle(session, action, form, null);
      if (refused(session, outcome) === null && outcome?.ok) {
        tell(
          session,
          `${outcome.data.symbol} ${outcome.data.cancelPending ? 'cancel wanted' : outcome.data.status}`,
          'ok',
        );
      }
      return;
    }
    case 'split': {
      const { exchange, id, prices } = action;
      const outcome = await ask(session, 'orders.split', { exchange, id, prices });
      const problem = refused(session, outcome);
      settle(session, action, form, problem);
      if (outcome?.ok) tell(session, `split into ${counted(outcome.data.length, 'order')}`, 'ok');
      return;
    }
    case 'cancel-all':
      await cancelAll(session, action);
      return;
    case 'generate':
    case 'register':
      await registerKey(session, action, form);
      return;
    case 'revoke': {
      const outcome = await ask(session, 'keys.revoke', { id: action.id });
      settle(session, action, form, null);
      if (refused(session, outcome) === null && outcome?.ok) {
        const sockets = outcome.data.closedSockets;
        tell(session, `revoked ${outcome.data.key.label}; ${counted(sockets, 'socket')} closed`, 'ok');
      }
      return;
    }
    case 'maintenance':
      await switchMaintenance(session, action, form);
      return;
    case 'vault-lock': {
      const outcome = await ask(session, 'vault.lock', {});
      settle(session, action, form, null);
      if (refused(session, outcome) === null) tell(session, 'the vault is locked', 'ok');
      return;
    }
    case 'panic':
      await startPanic(session, action.parts);
      return;
    case 'panic-again':
      await panicAgain(session);
      return;
    case 'stop-desk':
      leave(session, 'stop');
      return;
    case 'dust':
    case 'connect':
    case 'make-key':
    case 'disconnect':
    case 'new-addresses':
    case 'guards':
    case 'paper-settings':
    case 'paper-balance':
    case 'paper-reset':
    case 'key-rights':
    case 'loss-lift':
    case 'take-over':
    case 'paper-fault':
    case 'paper-faults':
    case 'feed-speed':
      await performAccount(session, action, form);
      return;
    case 'bot-create':
    case 'bot-patch':
    case 'bots-start':
    case 'bots-stop':
    case 'bots-delete':
    case 'bot-message':
      await performBot(session, action, form);
      return;
    default:
      assertNever(action);
  }
}

async function cancelAll(session: Session, action: Extract<Action, { type: 'cancel-all' }>): Promise<void> {
  // As they are now: what is cancelled may be gone from the list by the answer.
  const orders = deskState(session)?.orders ?? {};
  const names = new Map(action.ids.map((id) => [id, orders[id] ? orderWords(orders[id]) : '']));
  const results = await ask(session, 'orders.cancelAll', { ids: action.ids });
  settle(session, action, null, null);
  if (!results) return;
  const done = results.filter(({ outcome }) => outcome.ok).length;
  const all = counted(action.ids.length, 'order');
  tell(session, `${done} of ${all}: cancelled or cancel wanted`, done < results.length ? 'warn' : 'ok');
  openDialog(session, {
    kind: 'notice',
    title: `Cancelled ${done} of ${all}`,
    offset: 0,
    ...resultNotice(
      'order',
      action.ids.map((id) => {
        const outcome = results.find((result) => result.id === id)?.outcome;
        return { id, name: names.get(id) ?? '', ...cancelWords(outcome) };
      }),
    ),
  });
}

/** What came of the cancel of one of several; an order that the desk says nothing about has ended by itself. */
function cancelWords(outcome: Outcome<OrderView> | undefined): { good: boolean; text: string } {
  if (!outcome) return { good: true, text: 'had ended' };
  if (!outcome.ok) return { good: false, text: outcome.error.message };
  return {
    good: true,
    text: outcome.data.cancelPending ? 'cancel wanted' : outcome.data.status.toLowerCase(),
  };
}

async function switchMaintenance(
  session: Session,
  action: Extract<Action, { type: 'maintenance' }>,
  form: Dialog | null,
): Promise<void> {
  const { message } = action;
  const on = message !== null;
  const outcome = await ask(session, 'desk.maintenance', { on, ...(on ? { message } : {}) });
  const problem = refused(session, outcome);
  settle(session, action, form, problem);
  if (problem === null)
    tell(session, `maintenance ${on ? 'on: the API turns programs away' : 'off: the API serves'}`, 'ok');
}

async function registerKey(
  session: Session,
  action: Extract<Action, { type: 'generate' | 'register' }>,
  form: Dialog | null,
): Promise<void> {
  const { settings } = action;
  const outcome =
    action.type === 'generate'
      ? await ask(session, 'keys.generate', settings)
      : await ask(session, 'keys.register', { ...settings, publicKey: action.publicKey });
  const problem = refused(session, outcome);
  settle(session, action, form, problem);
  if (!outcome?.ok) return;
  if ('path' in outcome.data) {
    const { key, path, example } = outcome.data;
    showNewKey(session, key, path, example);
    return;
  }
  const key = outcome.data;
  tell(session, `registered ${key.label} (${key.id.slice(0, 8)})`, 'ok');
  const example = await ask(session, 'keys.example', { id: key.id });
  if (example && session.ui.getState().dialogs.length === 0) showNewKey(session, key, null, example);
}

/** What one needs to know of a new key, and a worked example. `path`: of the private key, when it was made here. */
function showNewKey(session: Session, key: AccessKey, path: string | null, example: KeyExample): void {
  const selection = { id: key.id, index: 0 };
  session.ui.setState(({ keys }) => ({ keys: { ...keys, filter: '', selection } }));
  openDialog(session, {
    kind: 'notice',
    title: `Key ${key.label}, tier ${key.tier}`,
    offset: 0,
    lines: newKeyLines(key, path, hereTried(session, example)),
    keyId: path === null ? undefined : key.id,
  });
}
