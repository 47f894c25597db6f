/**
 * Panic: choosing the parts, and the run itself, which `confirm.ts` starts once its word was typed. Bots
 * first, then orders, then positions; then up to three checks for items that appeared meanwhile. Requests go
 * one after the other, with keys handled between them; each uses the desk's own commands.
 */

import { ask, openDialog, patchDialog, type Session, say, tell, wholeDesk } from '../app/session.ts';
import { withOwnKey } from '../input/overrides.ts';
import { topDialog } from '../state/ui.ts';
import {
  chosenParts,
  confirmPanic,
  confirmPanicAgain,
  countWords,
  isPending,
  itemKey,
  PANIC_PARTS,
  type PanicPart,
  type PanicRun,
  panicCounts,
  panicTargets,
  withItems,
  withTargets,
} from './panic.ts';
import { closesAgain, panicRequest, panicRequests } from './panic-request.ts';

/**
 * Number of checks for items that appeared meanwhile, and the wait before each until the desk's state has
 * arrived.
 */
const LOOKS = 3;
const LOOK_AFTER_MS = 300;

/** Opens the run that needs attention, else the choice of parts. */
export function openPanic(session: Session): void {
  if (!wholeDesk(session)) return;
  if (isPending(session.ui.getState().panic)) openDialog(session, { kind: 'panic-run', offset: 0 });
  else openForm(session);
}

/** Opens the form of a new run in place of the last run; refused while that is in progress. */
export function newPanic(session: Session): void {
  if (session.ui.getState().panic?.running) say(session, 'it is still at work', 'warn');
  else openForm(session);
}

function openForm(session: Session): void {
  session.ui.setState(({ dialogs }) => ({ dialogs: dialogs.filter(({ kind }) => kind !== 'panic-run') }));
  openDialog(session, {
    kind: 'panic',
    parts: { holdings: false, bots: true, orders: true, positions: true },
    focus: 'review',
  });
}

export function togglePart(session: Session): void {
  patchDialog(session, 'panic', ({ parts, focus }) =>
    focus === 'review' ? {} : { parts: { ...parts, [focus]: !parts[focus] } },
  );
}

/** Opens the confirmation, which asks for the word. */
export function reviewPanic(session: Session): void {
  const state = wholeDesk(session);
  const form = topDialog(session.ui.getState());
  if (!state || form?.kind !== 'panic') return;
  const parts = chosenParts(form.parts);
  const some = parts.some((part) => panicTargets(state, part).length > 0);
  if (parts.length === 0)
    say(session, withOwnKey(session.bindings, 'choice.next', 'nothing is chosen: space chooses'), 'warn');
  else if (!some) say(session, 'there is nothing to stop, to cancel or to close', 'warn');
  else openDialog(session, confirmPanic(state, parts));
}

export function reviewPanicAgain(session: Session): void {
  const state = wholeDesk(session);
  const { panic } = session.ui.getState();
  if (!state || !panic) return;
  if (panic.running) say(session, 'it is still at work', 'warn');
  else if (panicCounts(panic.items).failed === 0) say(session, 'nothing has failed');
  else openDialog(session, confirmPanicAgain(state, panic));
}

export function scrollPanic(session: Session, by: number): void {
  const most = session.ui.getState().panic?.items.length ?? 0;
  patchDialog(session, 'panic-run', ({ offset }) => ({ offset: Math.min(Math.max(0, offset + by), most) }));
}

// --- after the word was typed: called by `confirm.ts` only ---

export async function startPanic(session: Session, parts: readonly PanicPart[]): Promise<void> {
  if (session.ui.getState().panic?.running) return;
  await work(session, { parts, items: [], running: true }, false);
}

/** Tries the failed items again; those that are gone meanwhile count as done. */
export async function panicAgain(session: Session): Promise<void> {
  const state = wholeDesk(session);
  const { panic } = session.ui.getState();
  if (!state || !panic || panic.running) return;
  const there = new Set(
    PANIC_PARTS.flatMap((part) => panicTargets(state, part).map(({ id }) => itemKey({ part, id }))),
  );
  const changes = new Map(
    panic.items
      .filter(({ state: now }) => now === 'failed')
      .map((item) => [
        itemKey(item),
        there.has(itemKey(item))
          ? ({ state: 'waiting', text: '' } as const)
          : ({ state: 'done', text: 'is not there any more' } as const),
      ]),
  );
  await work(session, { ...withItems(panic, changes), running: true }, true);
}

/** Closes the dialogs that led here and shows the run. */
function show(session: Session, run: PanicRun): void {
  session.ui.setState(({ dialogs }) => ({
    panic: run,
    dialogs: [
      ...dialogs.filter(
        (dialog) =>
          dialog.kind !== 'panic' &&
          dialog.kind !== 'panic-run' &&
          !(dialog.kind === 'confirm' && dialog.action.type.startsWith('panic')),
      ),
      { kind: 'panic-run', offset: 0 },
    ],
  }));
}

async function work(session: Session, run: PanicRun, again: boolean): Promise<void> {
  show(session, run);
  // The result is ignored: where nothing can be stored, each request below is refused by itself.
  await ask(session, 'desk.panic', { phase: 'start', parts: run.parts, again });
  for (let look = 0; look <= LOOKS; look++) {
    if (look > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_AFTER_MS));
    let some = false;
    for (const part of run.parts) some = (await workPart(session, part)) || some;
    if (look > 0 && !some) break;
  }
  const outcomes = await closesAgain(
    { ask: (method, params) => ask(session, method, params) },
    session.ui.getState().panic?.items ?? [],
  );
  patchRun(session, (now) => withItems(now, outcomes));
  patchRun(session, (now) => ({ ...now, running: false }));
  const counts = panicCounts(session.ui.getState().panic?.items ?? []);
  await ask(session, 'desk.panic', { phase: 'end', ...counts });
  const bad = counts.failed > 0;
  tell(session, `panic: ${countWords(counts)}${bad ? ' · :panic shows them' : ''}`, bad ? 'danger' : 'ok');
}

function patchRun(session: Session, change: (run: PanicRun) => PanicRun): void {
  session.ui.setState(({ panic }) => (panic ? { panic: change(panic) } : {}));
}

/** Handles all waiting items of a part; false when there were none. */
async function workPart(session: Session, part: PanicPart): Promise<boolean> {
  const state = wholeDesk(session);
  if (state) patchRun(session, (run) => withTargets(run, state, part));
  const { parts = [] } = session.ui.getState().panic ?? {};
  const waiting = (session.ui.getState().panic?.items ?? []).filter(
    (item) => item.part === part && item.state === 'waiting',
  );
  for (const items of panicRequests(part, waiting, state)) {
    const working = new Map(items.map((item) => [itemKey(item), { state: 'working', text: '' } as const]));
    patchRun(session, (run) => withItems(run, working));
    const outcomes = await panicRequest(
      { ask: (method, params) => ask(session, method, params), state: wholeDesk(session), parts },
      part,
      items,
    );
    patchRun(session, (run) => withItems(run, outcomes));
    // Handle keys that arrived meanwhile before the next request.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return waiting.length > 0;
}
