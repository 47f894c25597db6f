/** What the confirmed dialogs of the Portfolio and Accounts screens do on the desk. Called by `confirm.ts` only. */
import { assertNever, type Outcome } from '../../domain/errors.ts';
import type { DustConversion } from '../../domain/position.ts';
import { exact } from '../format.ts';
import { speedText } from '../model/account-confirmations.ts';
import type { AccountAction } from '../model/account-forms.ts';
import { ask, patchDialog, type Session, tell } from '../session.ts';

/** Closes the confirmation of this action, wherever it stands, and the form under it when it went well. */
function finish(session: Session, action: AccountAction, problem: string | null): void {
  session.ui.setState(({ dialogs }) => {
    const at = dialogs.findIndex((entry) => entry.kind === 'confirm' && entry.action === action);
    if (at < 0) return {};
    const kind = dialogs[at - 1]?.kind;
    const own = problem === null && (kind === 'account-form' || kind === 'dust-form');
    return { dialogs: dialogs.filter((_, index) => index !== at && !(own && index === at - 1)) };
  });
  if (problem === null) return;
  patchDialog(session, 'account-form', () => ({ refusal: problem }));
  patchDialog(session, 'dust-form', () => ({ refusal: problem }));
  tell(session, problem, 'danger');
}

/** Gives what was answered when it went well; else the refusal stands in the form and the message line. */
function settled<T>(session: Session, action: AccountAction, outcome: Outcome<T> | null): { data: T } | null {
  const problem = outcome === null ? 'no answer' : outcome.ok ? null : `refused: ${outcome.error.message}`;
  finish(session, action, problem);
  return outcome?.ok ? { data: outcome.data } : null;
}

export async function performAccount(session: Session, action: AccountAction): Promise<void> {
  switch (action.type) {
    case 'dust': {
      const { exchange, assets } = action;
      const setting = { kind: 'dust', assets } as const;
      const done = settled(session, action, await ask(session, 'futures.set', { exchange, setting }));
      if (done) tell(session, converted(done.data as DustConversion | null), 'ok');
      return;
    }
    case 'paper-settings': {
      const { exchange, change } = action;
      const outcome = await ask(session, 'paper.configure', { exchange, change });
      if (settled(session, action, outcome)) tell(session, `${exchange}: settings changed`, 'ok');
      return;
    }
    case 'paper-balance': {
      const { exchange, asset, amount } = action;
      const outcome = await ask(session, 'paper.balance', { exchange, asset, amount });
      if (settled(session, action, outcome))
        tell(session, `${exchange}: ${exact(amount)} ${asset} free`, 'ok');
      return;
    }
    case 'paper-reset': {
      const { exchange } = action;
      const outcome = await ask(session, 'paper.reset', { exchange });
      if (settled(session, action, outcome)) tell(session, `${exchange} is a new account`, 'ok');
      return;
    }
    case 'paper-fault': {
      const outcome = await ask(session, 'paper.fault', action.request);
      if (settled(session, action, outcome)) tell(session, `${action.request.exchange}: fault set`, 'ok');
      return;
    }
    case 'paper-faults': {
      const { exchange, change, heal } = action;
      const outcome = await ask(session, 'paper.faults', { exchange, change, heal });
      if (settled(session, action, outcome))
        tell(session, heal ? `${exchange}: all faults off` : `${exchange}: fault set`, 'ok');
      return;
    }
    case 'feed-speed': {
      const outcome = await ask(session, 'feed.speed', { speed: action.speed });
      const done = settled(session, action, outcome);
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
  return `${list.length} asset${list.length === 1 ? '' : 's'} became ${exact(received)} ${toAsset}`;
}
