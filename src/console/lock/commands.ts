/**
 * Locking and unlocking this terminal, the panic of a locked terminal, and the PIN. The desk decides; this
 * file only asks it.
 */
import { errorText, type Outcome } from '../../domain/errors.ts';
import {
  ask,
  closeDialog,
  openDialog,
  patchDialog,
  type Session,
  say,
  tell,
  wholeDesk,
} from '../app/session.ts';
import { leave } from '../desk/commands.ts';
import { modeOf } from '../dialogs/mode.ts';
import { isQuestion } from '../dialogs/question.ts';
import { countWords, panicCounts, USUAL_PARTS } from '../panic/panic.ts';
import { remotePanic } from '../panic/remote-panic.ts';
import { type Dialog, topDialog } from '../state/ui.ts';
import { confirmLockPanic, type LockDialog, lockFields, newLock } from './lock.ts';

export function lockNow(session: Session): void {
  void ask(session, 'session.lock', {});
}

/** Covers the terminal whenever the desk says that it is locked; returns a function that ends that. */
export function followLock(session: Session): () => void {
  // Before the first state nobody knows whether money is at risk.
  let mode: ReturnType<typeof modeOf> = 'LIVE';
  const cover = (): void => {
    const state = wholeDesk(session);
    const { lock, dialogs } = session.ui.getState();
    if (!state?.me?.locked) {
      if (state && lock) session.ui.setState({ lock: null, dialogs: lock.kept });
      return;
    }
    const [first, ...others] = dialogs;
    const isCovered = first?.kind === 'lock' && others.every(isOfLock);
    if (lock && isCovered) return;
    const covers = first?.kind === 'lock' ? first : newLock(state.me);
    session.ui.setState({
      lock: {
        mode: lock?.mode ?? mode,
        // A dialog that a late response has opened waits as well.
        kept: [
          ...(lock?.kept ?? []),
          ...dialogs.filter((one) => one.kind !== 'lock' && !isOfLock(one) && !isQuestion(one)),
        ],
      },
      dialogs: [covers, ...(lock ? others.filter(isOfLock) : [])],
      message: null,
    });
  };
  const ends = [
    session.desk.subscribe(({ state }) => {
      if (state && !state.me?.locked) mode = modeOf(state);
      cover();
    }),
    session.ui.subscribe(({ dialogs }, before) => {
      if (dialogs !== before.dialogs) cover();
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function isOfLock(dialog: Dialog): boolean {
  return dialog.kind === 'confirm' && dialog.action.type === 'lock-panic';
}

/** Handles Enter: runs the row in focus. */
export function enterLock(session: Session, { focus, busy }: LockDialog): boolean {
  if (busy) return true;
  if (focus === 'leave') leave(session, 'detach');
  else if (focus === 'panic') openLockPanic(session);
  else void unlock(session);
  return true;
}

async function unlock(session: Session): Promise<void> {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'lock') return;
  const { pin, focus } = dialog;
  patchDialog(session, 'lock', () => ({ busy: true, refusal: null, pin: '' }));
  const refusal = await problemOf(session.client.call('session.unlock', focus === 'pin' ? { pin } : {}));
  patchDialog(session, 'lock', () => ({ busy: false, refusal }));
}

/** The problem of a request; null: it succeeded. */
async function problemOf(asked: Promise<Outcome<unknown>>): Promise<string | null> {
  try {
    const outcome = await asked;
    return outcome.ok ? null : outcome.error.message;
  } catch (error) {
    return errorText(error);
  }
}

function openLockPanic(session: Session): void {
  const { panic, lock } = session.ui.getState();
  if (panic?.running) patchDialog(session, 'lock', () => ({ refusal: 'a panic is still at work' }));
  else openDialog(session, confirmLockPanic(lock?.mode ?? 'LIVE'));
}

/** Runs after the confirmation word was typed. The items are shown by name once the terminal is unlocked. */
export async function startLockPanic(session: Session): Promise<void> {
  closeDialog(session);
  if (session.ui.getState().panic?.running) return;
  session.ui.setState({ panic: { parts: USUAL_PARTS, items: [], running: true } });
  try {
    const run = await remotePanic(session.client, USUAL_PARTS, (panic) => session.ui.setState({ panic }));
    session.ui.setState({ panic: run });
  } catch (error) {
    const text = `the panic has ended early: ${errorText(error)}`;
    session.ui.setState(({ panic }) => ({ panic: panic && { ...panic, running: false } }));
    patchDialog(session, 'lock', () => ({ refusal: text }));
  }
  const { panic, lock } = session.ui.getState();
  if (!lock && panic) tell(session, `panic: ${countWords(panicCounts(panic.items))}`, 'ok');
}

/** The rows of the lock screen: what can be done at this terminal while it is locked. */
export function fieldsOf(session: Session): readonly string[] {
  const me = wholeDesk(session)?.me;
  return me ? lockFields(me) : ['leave'];
}

// --- the PIN ---

export function openPin(session: Session): void {
  if (wholeDesk(session)?.me?.local === false) {
    say(session, 'the PIN is set at a terminal of the desk’s own machine', 'warn');
    return;
  }
  openDialog(session, { kind: 'pin', pin: '', again: '', focus: 'pin', busy: false, refusal: null });
}

export async function setPin(session: Session): Promise<void> {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'pin' || form.busy) return;
  const { pin, again } = form;
  if (pin !== again) {
    patchDialog(session, 'pin', () => ({
      again: '',
      focus: 'again',
      refusal: 'the two are not the same: type it again',
    }));
    return;
  }
  patchDialog(session, 'pin', () => ({ busy: true, refusal: null }));
  const refusal = await problemOf(session.client.call('session.pin', { pin: pin === '' ? null : pin }));
  if (refusal !== null) {
    patchDialog(session, 'pin', () => ({ busy: false, refusal, pin: '', again: '', focus: 'pin' }));
    return;
  }
  session.ui.setState(({ dialogs }) => ({ dialogs: dialogs.filter(({ kind }) => kind !== 'pin') }));
  tell(
    session,
    pin === '' ? 'the PIN is taken away' : 'the PIN is set: a new terminal of this machine asks for it, too',
    'ok',
  );
}
