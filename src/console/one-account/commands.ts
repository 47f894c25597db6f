/** Showing one account alone: data read for other accounts is read again. Changes nothing on the desk. */
import { showScreen } from '../app/navigation.ts';
import { closeDialog, openDialog, type Session, say, wholeDesk } from '../app/session.ts';
import { modeOf } from '../dialogs/mode.ts';
import { listIds, withMarks } from '../lists/list-views.ts';
import { reloadClosed } from '../orders/commands.ts';
import { reloadTrades } from '../orders/trades/commands.ts';
import { readBook } from '../pnl/commands.ts';
import type { UiState } from '../state/ui.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { marketAt } from '../trading/prices.ts';
import { ALL } from './choices.ts';

export function openOnly(session: Session): void {
  if (wholeDesk(session)) openDialog(session, { kind: 'only', focus: session.ui.getState().only ?? ALL });
}

/** Takes the choice of the dialog. Null: all accounts. */
export function chooseOnly(session: Session, only: string | null): void {
  closeDialog(session);
  lookAtOnly(session, only);
}

export function lookAtOnly(session: Session, only: string | null): void {
  const state = wholeDesk(session);
  if (!state) return;
  session.ui.setState({ only });
  if (only === null) say(session, 'all accounts');
  else say(session, `only ${only}, ${modeOf(state, [only])}: what is shown, and where orders go`);
}

/**
 * Reads data that depends on the account again whenever another account is chosen; returns a function that
 * ends that.
 */
export function followOnly(session: Session): () => void {
  return session.ui.subscribe((ui, before) => {
    if (ui.only === before.only) return;
    session.ui.setState((now) => ({
      ...unmarked(now),
      pnl: { ...now.pnl, account: ui.only },
      ...marketOf(session, now),
    }));
    reloadClosed(session);
    if (ui.trades.open) reloadTrades(session);
    readBook(session);
    if (ui.screen === 'market' && session.ui.getState().market.at === null)
      showScreen(session, ui.market.from);
  });
}

/** Removes marks from rows that may belong to another account. */
function unmarked(ui: UiState): UiState {
  return listIds(ui)
    .filter((list) => !ui.parts.places[list].whole && ui[list].marked.length > 0)
    .reduce((now, list) => withMarks(now, list, []), ui);
}

/**
 * Keeps the market screen on the same symbol where the account trades it; else clears it, so that it is left.
 */
function marketOf(session: Session, { only, market }: UiState): Partial<UiState> {
  const state = wholeDesk(session);
  const { at } = market;
  if (only === null || !state || !at || at.exchange === only) return {};
  const isTraded =
    marketAt(state.accounts, only) === at.market &&
    instrumentOf(state.instruments, { exchange: only, symbol: at.symbol }) !== undefined;
  return { market: { ...market, at: isTraded ? { ...at, exchange: only } : null } };
}
