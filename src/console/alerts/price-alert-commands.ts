/** Commands of price alerts: one key makes an alert, one removes the marked ones. */

import type { DeskState } from '../../desk/console/protocol.ts';
import {
  ask,
  closeDialog,
  deskState,
  openDialog,
  patchDialog,
  refused,
  type Session,
  say,
  tell,
} from '../app/session.ts';
import { question } from '../dialogs/question.ts';
import { settle } from '../dialogs/settle.ts';
import { keyOf } from '../input/overrides.ts';
import { chosenIn } from '../lists/list-views.ts';
import { marketInView } from '../orders/ticket/commands.ts';
import type { ConfirmDialog } from '../state/ui.ts';
import { topDialog } from '../state/ui.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { accountsAt } from '../trading/prices.ts';
import { selectedPrice } from '../trading/watch.ts';
import { counted, onStep, read } from '../ui/format.ts';
import {
  alertBot,
  type PriceAlert,
  priceAlerts,
  priceText,
  resolveAlert,
  selectedPriceAlert,
} from './price-alerts.ts';

/** Opens the form for the symbol under the cursor, else the watchlist's; at the crosshair's price, if any. */
export function newPriceAlert(session: Session): void {
  const state = deskState(session);
  if (!state) return;
  const { exchange: usual, symbol, crosshair } = marketInView(session);
  const trades = (exchange: string) => instrumentOf(state.instruments, { exchange, symbol }) !== undefined;
  const others = accountsAt(state.accounts, selectedPrice(state, session.ui.getState())).map(({ id }) => id);
  const exchange = trades(usual) ? usual : (others.find(trades) ?? usual);
  if (symbol === '' || exchange === '') say(session, 'no symbol is selected', 'warn');
  else
    openDialog(session, {
      kind: 'price-alert',
      exchange,
      symbol,
      value: crosshair,
      busy: false,
      refusal: null,
    });
}

/** Sets the alert on Enter, without a question: an alert sends no order, and one key removes it. */
export async function setPriceAlert(session: Session): Promise<void> {
  const state = deskState(session);
  const dialog = topDialog(session.ui.getState());
  if (!state || dialog?.kind !== 'price-alert' || dialog.busy) return;
  const { exchange, symbol } = dialog;
  const { instrument, price, problem, above } = resolveAlert(state, dialog);
  if (!instrument || price === null) {
    say(session, problem ?? 'type the price that it is to tell of', 'warn');
    return;
  }
  if (
    priceAlerts(state).some(
      (one) => one.exchange === exchange && one.symbol === symbol && read(one.price) === read(price),
    )
  ) {
    say(session, 'there is an alert at that price already', 'warn');
    return;
  }
  patchDialog(session, 'price-alert', () => ({ busy: true, refusal: null }));
  const outcome = await ask(session, 'bots.manage', { bot: alertBot(instrument, price) });
  const refusal = refused(session, outcome);
  patchDialog(session, 'price-alert', () => ({ busy: false, refusal }));
  if (refusal !== null) return;
  if (topDialog(session.ui.getState())?.kind === 'price-alert') closeDialog(session);
  const where = `${keyOf(session.bindings, 'screen.alerts')}, ${keyOf(session.bindings, 'alerts.prices')} lists it`;
  const way = above ? 'above' : 'below';
  tell(session, `alert set: ${symbol} ${way} ${onStep(price, instrument.tickSize)}; ${where}`, 'ok');
}

// --- the list of price alerts ---

export function togglePriceAlerts(session: Session): void {
  const { 'price-alerts': view, alerts } = session.ui.getState();
  session.ui.setState({
    'price-alerts': { ...view, open: !view.open, filtering: false },
    alerts: { ...alerts, filtering: false },
  });
}

/** Removes the marked alerts, or the one under the cursor, after a question. */
export function removePriceAlerts(session: Session): void {
  const state = deskState(session);
  if (!state) return;
  const ids = new Set(chosenIn(state, session.ui.getState(), 'price-alerts'));
  const alerts = priceAlerts(state).filter(({ id }) => ids.has(id));
  if (alerts.length === 0) say(session, 'no price alert is selected', 'warn');
  else openDialog(session, confirmRemoval(state, alerts));
}

/** How many alerts a question names. */
const NAMED = 6;

function confirmRemoval(state: DeskState, alerts: readonly PriceAlert[]): ConfirmDialog {
  const many = alerts.length > 1;
  const words = ({ symbol, ...alert }: PriceAlert) =>
    `${symbol} at ${priceText({ symbol, ...alert }, state.instruments)}`;
  const more = alerts.length > NAMED ? [`and ${alerts.length - NAMED} more`] : [];
  return question(state, {
    title: many ? `Remove ${counted(alerts.length, 'price alert')}` : 'Remove price alert',
    rows: [
      {
        name: many ? 'accounts' : 'account',
        value: [...new Set(alerts.map(({ exchange }) => exchange))].join(', '),
      },
      { name: many ? 'alerts' : 'alert', value: [...alerts.slice(0, NAMED).map(words), ...more].join('  ') },
    ],
    next: 'Nothing is told of these prices any more; no order is touched.',
    keep: many ? 'Keep them' : 'Keep it',
    verb: many ? `remove ${counted(alerts.length, 'alert')}` : 'remove the alert',
    action: { type: 'price-alerts-remove', ids: alerts.map(({ id }) => id) },
  });
}

/** Removes the confirmed alerts; one that has fired meanwhile is already gone. */
export async function removeConfirmed(session: Session, action: PriceAlertAction): Promise<void> {
  const problems: string[] = [];
  for (const id of action.ids) {
    const outcome = deskState(session)?.bots[id]
      ? await ask(session, 'bots.delete', { id, force: true })
      : null;
    if (outcome && !outcome.ok) problems.push(outcome.error.message);
  }
  settle(session, action, null, null);
  const [first] = problems;
  if (first !== undefined) tell(session, `${problems.length} not removed: ${first}`, 'danger');
  else tell(session, `${counted(action.ids.length, 'price alert')} removed`, 'ok');
}

export interface PriceAlertAction {
  readonly type: 'price-alerts-remove';
  readonly ids: readonly string[];
}

export function copyPrice(session: Session): void {
  const state = deskState(session);
  const alert = state ? selectedPriceAlert(state, session.ui.getState()['price-alerts']) : null;
  if (!alert) return;
  session.copy(alert.price);
  say(session, `copied ${alert.price}`);
}

declare module '../state/ui.ts' {
  interface Actions {
    readonly 'price-alerts': PriceAlertAction;
  }
}
