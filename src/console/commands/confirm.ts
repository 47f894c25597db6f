/** The only place that places, cancels, splits, revokes or registers: after `y` in an open confirmation. */
import type { Outcome } from '../../domain/errors.ts';
import { assertNever } from '../../domain/errors.ts';
import { exact } from '../format.ts';
import { ask, deskState, openDialog, patchDialog, type Session, tell } from '../session.ts';
import { type Action, type Dialog, type NoticeLine, topDialog } from '../state/ui.ts';

export function confirmYes(session: Session): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'confirm' || dialog.busy) return;
  if (dialog.word !== undefined && dialog.typed !== dialog.word) return;
  patchDialog(session, 'confirm', () => ({ busy: true }));
  void perform(session, dialog.action);
}

/** Closes the confirmation and, when it went well, the form of one of these kinds under it. */
function finish(session: Session, went: boolean, ...forms: Dialog['kind'][]): void {
  session.ui.setState(({ dialogs }) => {
    const at = dialogs.findLastIndex((entry) => entry.kind === 'confirm');
    if (at < 0) return {};
    const rest = dialogs.filter((_, index) => index !== at);
    const under = rest.at(-1);
    if (went && under && forms.includes(under.kind)) rest.pop();
    return { dialogs: rest };
  });
}

function refused(session: Session, outcome: Outcome<unknown> | null): string | null {
  if (outcome === null) return 'no answer';
  if (outcome.ok) return null;
  const { message, reason } = outcome.error;
  const text = reason ? `refused: ${message} (${reason})` : `refused: ${message}`;
  tell(session, text, 'danger');
  return text;
}

async function perform(session: Session, action: Action): Promise<void> {
  switch (action.type) {
    case 'place': {
      const outcome = await ask(session, 'orders.place', action.order);
      const problem = refused(session, outcome);
      finish(session, problem === null, 'ticket', 'position-form');
      if (problem !== null) {
        patchDialog(session, 'ticket', () => ({ refusal: problem }));
        patchDialog(session, 'position-form', () => ({ refusal: problem }));
      }
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
      finish(session, problem === null, 'position-form');
      if (problem === null) tell(session, done, 'ok');
      else patchDialog(session, 'position-form', () => ({ refusal: problem }));
      return;
    }
    case 'cancel': {
      const outcome = await ask(session, 'orders.cancel', { exchange: action.exchange, id: action.id });
      finish(session, true);
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
      finish(session, problem === null, 'split');
      if (outcome?.ok) tell(session, `split into ${outcome.data.length} orders`, 'ok');
      return;
    }
    case 'cancel-all':
      await cancelAll(session, action.ids);
      return;
    case 'generate':
    case 'register':
      await registerKey(session, action);
      return;
    case 'revoke': {
      const outcome = await ask(session, 'keys.revoke', { id: action.id });
      finish(session, true);
      if (refused(session, outcome) === null && outcome?.ok) {
        const sockets = outcome.data.closedSockets;
        tell(
          session,
          `revoked ${outcome.data.key.label}; ${sockets} socket${sockets === 1 ? '' : 's'} closed`,
          'ok',
        );
      }
      return;
    }
    default:
      assertNever(action);
  }
}

async function cancelAll(session: Session, ids: readonly string[]): Promise<void> {
  const results = await ask(session, 'orders.cancelAll', { ids });
  finish(session, true);
  if (!results) return;
  const failed = results.filter((result) => !result.outcome.ok);
  if (failed.length === 0) {
    tell(session, `${results.length} orders: cancelled or cancel wanted`, 'ok');
    return;
  }
  const orders = deskState(session)?.orders ?? {};
  openDialog(session, {
    kind: 'notice',
    title: `${results.length - failed.length} of ${results.length} orders cancelled`,
    offset: 0,
    lines: results.map(({ id, outcome }) => ({
      text: `${(orders[id]?.symbol ?? '').padEnd(10)} ${id}  ${outcome.ok ? outcome.data.status : outcome.error.message}`,
      tone: outcome.ok ? 'ok' : 'danger',
    })),
  });
}

async function registerKey(
  session: Session,
  action: Extract<Action, { type: 'generate' | 'register' }>,
): Promise<void> {
  const settings = { label: action.label, tier: action.tier };
  if (action.type === 'register') {
    const outcome = await ask(session, 'keys.register', { ...settings, publicKey: action.publicKey });
    const problem = refused(session, outcome);
    finish(session, problem === null, 'key-form');
    patchDialog(session, 'key-form', () => ({ problem }));
    if (outcome?.ok) tell(session, `registered ${outcome.data.label} (${outcome.data.id.slice(0, 8)})`, 'ok');
    return;
  }
  const outcome = await ask(session, 'keys.generate', settings);
  const problem = refused(session, outcome);
  finish(session, problem === null, 'key-form');
  patchDialog(session, 'key-form', () => ({ problem }));
  if (!outcome?.ok) return;
  const { key, path, example } = outcome.data;
  const lines: NoticeLine[] = [
    { text: 'Public key (its id)', tone: 'title' },
    { text: key.id },
    { text: '' },
    { text: 'Private key: written once, readable by you only', tone: 'title' },
    { text: path },
    { text: '' },
    { text: 'A request by hand: sign these bytes for GET /v2/ping', tone: 'title' },
    ...example.message.split('\n').map((text) => ({ text: `  ${text}` })),
    { text: '' },
    { text: 'Their signature', tone: 'title' },
    { text: `  ${example.signature}` },
    { text: '' },
    { text: 'Try it', tone: 'title' },
    { text: `  ${example.command}` },
  ];
  openDialog(session, { kind: 'notice', title: `Key ${key.label}, tier ${key.tier}`, offset: 0, lines });
}
