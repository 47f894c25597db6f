/** What confirmed dialogs of Portfolio and Accounts do on the desk. Only `confirm.ts` calls it. */
import { assertNever, type Outcome } from '../../domain/errors.ts';
import type { DustConversion } from '../../domain/position.ts';
import { ask, openDialog, type Session, tell } from '../app/session.ts';
import { settle } from '../dialogs/settle.ts';
import type { Dialog } from '../state/ui.ts';
import { counted, exact } from '../ui/format.ts';
import { speedText } from './account-confirmations.ts';
import type { AccountAction } from './account-forms.ts';
import { madeKeyLines } from './connect-form.ts';

/** Returns the data on success; else shows the refusal in the form and the message line, and returns null. */
function settled<T>(
  session: Session,
  action: AccountAction,
  form: Dialog | null,
  outcome: Outcome<T> | null,
  goesOn = false,
): { data: T } | null {
  const problem = outcome === null ? 'no answer' : outcome.ok ? null : `refused: ${outcome.error.message}`;
  settle(session, action, form, problem, goesOn);
  if (problem !== null) tell(session, problem, 'danger');
  return outcome?.ok ? { data: outcome.data } : null;
}

/** Does a confirmed action on the desk. `form`: the form that was confirmed. */
export async function performAccount(
  session: Session,
  action: AccountAction,
  form: Dialog | null,
): Promise<void> {
  switch (action.type) {
    case 'dust': {
      const { exchange, assets } = action;
      const setting = { kind: 'dust', assets } as const;
      const done = settled(session, action, form, await ask(session, 'futures.set', { exchange, setting }));
      if (done) tell(session, converted(done.data as DustConversion | null), 'ok');
      return;
    }
    case 'paper-settings': {
      const { exchange, change } = action;
      const outcome = await ask(session, 'paper.configure', { exchange, change });
      if (settled(session, action, form, outcome)) tell(session, `${exchange}: settings changed`, 'ok');
      return;
    }
    case 'connect': {
      const { request, rights } = action;
      const outcome = await ask(session, 'connections.add', { ...request, rights });
      const done = settled(session, action, form, outcome);
      if (done) tell(session, `${request.name} is connected: ${done.data.accounts.join(', ')}`, 'ok');
      return;
    }
    case 'make-key': {
      const { request } = action;
      const outcome = await ask(session, 'connections.makeKey', request);
      const done = settled(session, action, form, outcome, true);
      if (!done) return;
      tell(session, `a key for ${request.name} is made`, 'ok');
      const lines = madeKeyLines(done.data.publicKey);
      openDialog(session, { kind: 'notice', title: `The public key of ${request.name}`, lines, offset: 0 });
      return;
    }
    case 'disconnect': {
      const { name } = action;
      const outcome = await ask(session, 'connections.remove', { name, word: name });
      if (settled(session, action, form, outcome)) tell(session, `${name} is disconnected`, 'ok');
      return;
    }
    case 'new-addresses': {
      const { name, to } = action;
      const outcome = await ask(session, 'connections.confirm', { name, to, word: name });
      if (settled(session, action, form, outcome)) tell(session, `${name} uses its new addresses`, 'ok');
      return;
    }
    case 'guards': {
      const { exchange, change } = action;
      const outcome = await ask(session, 'guards.set', { exchange, change });
      if (settled(session, action, form, outcome)) tell(session, `${exchange}: guards changed`, 'ok');
      return;
    }
    case 'loss-lift': {
      const { exchange } = action;
      const outcome = await ask(session, 'guards.lift', { exchange });
      if (settled(session, action, form, outcome)) tell(session, `${exchange} takes entries`, 'ok');
      return;
    }
    case 'paper-balance': {
      const { exchange, asset, amount } = action;
      const outcome = await ask(session, 'paper.balance', { exchange, asset, amount });
      if (settled(session, action, form, outcome))
        tell(session, `${exchange}: ${exact(amount)} ${asset} free`, 'ok');
      return;
    }
    case 'paper-reset': {
      const { exchange } = action;
      const outcome = await ask(session, 'paper.reset', { exchange });
      if (settled(session, action, form, outcome)) tell(session, `${exchange} is a new account`, 'ok');
      return;
    }
    case 'key-rights': {
      const { exchange, rights } = action;
      const outcome = await ask(session, 'exchange.confirmRights', { exchange, rights });
      if (settled(session, action, form, outcome)) tell(session, `${exchange} takes entries`, 'ok');
      return;
    }
    case 'take-over': {
      const { exchange, of } = action;
      const outcome = await ask(session, 'exchange.takeOver', { exchange, of });
      if (settled(session, action, form, outcome)) tell(session, `${exchange} is traded from here`, 'ok');
      return;
    }
    case 'paper-fault': {
      const outcome = await ask(session, 'paper.fault', action.request);
      if (settled(session, action, form, outcome))
        tell(session, `${action.request.exchange}: fault set`, 'ok');
      return;
    }
    case 'paper-faults': {
      const { exchange, change, heal } = action;
      const outcome = await ask(session, 'paper.faults', { exchange, change, heal });
      if (settled(session, action, form, outcome))
        tell(session, heal ? `${exchange}: all faults off` : `${exchange}: fault set`, 'ok');
      return;
    }
    case 'feed-speed': {
      const outcome = await ask(session, 'feed.speed', { speed: action.speed });
      const done = settled(session, action, form, outcome);
      if (done) tell(session, `the feed plays at ${speedText(done.data.speed)}`, 'ok');
      return;
    }
    default:
      assertNever(action);
  }
}

function converted(conversion: DustConversion | null): string {
  if (!conversion) return 'converted';
  const { converted: list, received, toAsset } = conversion;
  return `${counted(list.length, 'asset')} became ${exact(received)} ${toAsset}`;
}
