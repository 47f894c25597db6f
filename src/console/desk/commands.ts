/** Commands for leaving and stopping the desk, and the controls of the feed. */

import { ask, openDialog, patchDialog, type Session, say, wholeDesk } from '../app/session.ts';
import { confirmLeave } from '../bots/bot-confirmations.ts';
import { isDirty } from '../bots/editor/editor.ts';
import { topDialog } from '../state/ui.ts';
import { isRunning } from '../trading/bots.ts';

export function leave(session: Session, action: 'detach' | 'stop'): void {
  session.exit({ action });
}

/** Asks whether the desk goes on; a console on another process's desk leaves at once if nothing is lost. */
export function openQuit(session: Session): void {
  if (session.hosting || isBusy(session)) askQuit(session);
  else leave(session, 'detach');
}

/** Opens the question that offers leaving and stopping. */
export function askQuit(session: Session): void {
  openDialog(session, { kind: 'quit', shownAt: null, stopping: false });
}

/** Tells whether leaving would interrupt a panic or lose unsaved edits. */
function isBusy(session: Session): boolean {
  const { panic, dialogs } = session.ui.getState();
  return panic?.running === true || dialogs.some((dialog) => dialog.kind === 'bot-editor' && isDirty(dialog));
}

/** Handles ctrl-c: asks from anywhere; a second one, or one at a locked terminal, leaves without stopping. */
export function quitNow(session: Session): void {
  if (wholeDesk(session)?.me?.locked) {
    leave(session, 'detach');
    return;
  }
  if (topDialog(session.ui.getState())?.kind === 'quit') leave(session, 'detach');
  else openQuit(session);
}

/** Stops the desk. While bots run, the person has to confirm it: the bots do nothing from then on. */
export function stopDesk(session: Session): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'quit' || dialog.stopping) return;
  const state = wholeDesk(session);
  const running = Object.values(state?.bots ?? {}).filter(isRunning);
  if (state && running.length > 0) {
    openDialog(session, confirmLeave(state, running));
    return;
  }
  patchDialog(session, 'quit', () => ({ stopping: true }));
  leave(session, 'stop');
}

export function toggleFeed(session: Session): void {
  const clock = wholeDesk(session)?.clock;
  if (!clock) return;
  if (clock.ended) say(session, 'the replay has ended', 'warn');
  else void control(session, clock.held ? 'play' : 'pause');
}

export function stepFeed(session: Session): void {
  const clock = wholeDesk(session)?.clock;
  if (!clock) return;
  if (clock.held) void control(session, 'step');
  else say(session, 'pause the feed first (p)', 'warn');
}

async function control(session: Session, action: 'play' | 'pause' | 'step'): Promise<void> {
  const answer = await ask(session, 'feed.control', { action });
  if (!answer) return;
  if (!answer.ok) say(session, answer.error.message, 'warn');
  else if (action !== 'step') say(session, answer.data.held ? 'feed held' : 'feed plays');
}
