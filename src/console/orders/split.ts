/** The split form: its preview, and opening its confirmation. */

import { ask, deskState, openDialog, patchDialog, type Session, say } from '../app/session.ts';
import { type Dialog, topDialog } from '../state/ui.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { confirmSplit } from './confirmations.ts';
import { parseSplitPrices } from './split-prices.ts';

type SplitDialog = Extract<Dialog, { kind: 'split' }>;

/**
 * Requests the preview of the form's prices, and shows it if the form is unchanged; null: it has changed or
 * was closed.
 */
async function preview(session: Session, { order, text }: SplitDialog): Promise<SplitDialog | null> {
  const state = deskState(session);
  if (!state) return null;
  const instrument = instrumentOf(state.instruments, order);
  const isSame = (now: SplitDialog) => now.order.id === order.id && now.text === text;
  const { prices, problem } = parseSplitPrices(text, instrument?.tickSize);
  patchDialog(session, 'split', (now) => (isSame(now) ? { prices, problem } : {}));
  const answer =
    problem === null && prices.length > 0
      ? await ask(session, 'orders.splitPreview', { exchange: order.exchange, id: order.id, prices })
      : null;
  patchDialog(session, 'split', (now) => (isSame(now) ? { preview: answer, stale: false } : {}));
  const now = topDialog(session.ui.getState());
  return now?.kind === 'split' && isSame(now) ? now : null;
}

/** Reads the split's prices and requests the engine's preview; the last text wins. */
export async function previewSplit(session: Session): Promise<void> {
  const dialog = session.ui.getState().dialogs.findLast((entry) => entry.kind === 'split');
  if (dialog) await preview(session, dialog);
}

/** Opens the confirmation, if a new check by the engine finds no problem with exactly these prices. */
export async function reviewSplit(session: Session): Promise<void> {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'split') return;
  if (dialog.text.trim() === '') {
    say(session, 'write at least two prices', 'warn');
    return;
  }
  const now = await preview(session, dialog);
  const state = deskState(session);
  if (!now || !state) return;
  const problem = now.problem ?? now.preview?.problems[0];
  const order = state.orders[now.order.id] ?? now.order;
  if (problem) say(session, problem, 'warn');
  else if (now.preview) openDialog(session, confirmSplit(state, order, now.prices, now.preview.remaining));
}
