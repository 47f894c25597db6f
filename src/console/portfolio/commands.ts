/** Commands of the Portfolio screen. A conversion is shown first and carried out only in `confirm.ts`. */

import { fixed } from '../../domain/decimal.ts';
import { confirmDust } from '../accounts/account-confirmations.ts';
import type { DustForm } from '../accounts/account-forms.ts';
import { ask, deskState, openDialog, patchDialog, type Session, say } from '../app/session.ts';
import { REVIEW } from '../forms/form.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { topDialog } from '../state/ui.ts';
import { SMALL_USD, shownBalances } from './portfolio-list.ts';

export function toggleSmall(session: Session): void {
  const { portfolio } = session.ui.getState();
  const hideSmall = !portfolio.hideSmall;
  session.ui.setState({ portfolio: { ...portfolio, hideSmall } });
  const limit = `${fixed(SMALL_USD, 0)} USD`;
  say(session, hideSmall ? `balances worth less than ${limit} are hidden` : 'every balance is shown');
}

/** Asks what could be converted on the account of the selected row, or else on the first spot account. */
export async function openDust(session: Session): Promise<void> {
  const state = deskState(session);
  if (!state) return;
  const { portfolio } = session.ui.getState();
  const rows = shownBalances(state, portfolio);
  const row = rows[selectedIndex(rows, portfolio.selection)];
  const spot = state.accounts.filter(({ kind }) => kind === 'spot').map(({ id }) => id);
  const exchange = row && spot.includes(row.exchange) ? row.exchange : spot[0];
  if (exchange === undefined) {
    say(session, 'no account that converts small balances', 'warn');
    return;
  }
  const form: DustForm = {
    kind: 'dust-form',
    exchange,
    offer: null,
    nextAt: 0,
    failed: null,
    left: [],
    focus: 'review',
    refusal: null,
  };
  openDialog(session, form);
  await loadDust(session, exchange);
}

async function loadDust(session: Session, exchange: string): Promise<void> {
  const outcome = await ask(session, 'portfolio.dust', { exchange });
  patchDialog(session, 'dust-form', (form) => {
    if (form.exchange !== exchange) return {};
    if (!outcome?.ok) return { failed: outcome ? outcome.error.message : 'the desk gave no answer' };
    const { assets, waitMs } = outcome.data;
    const focus = assets[0]?.asset ?? 'review';
    return { offer: assets, nextAt: waitMs === 0 ? 0 : session.wall() + waitMs, failed: null, focus };
  });
}

/** Opens the confirmation of the chosen assets. */
export function reviewDust(session: Session): void {
  const state = deskState(session);
  const form = topDialog(session.ui.getState());
  if (!state || form?.kind !== 'dust-form') return;
  const problem = dustProblem(form, session.wall());
  if (problem !== null) say(session, problem, 'warn');
  else openDialog(session, confirmDust(state, form));
}

/** Why a conversion is not possible; null when it is. */
export function dustProblem({ offer, failed, nextAt, left }: DustForm, wall: number): string | null {
  if (failed !== null) return failed;
  if (offer === null) return 'still asking the exchange';
  if (offer.length === 0) return 'there is nothing to convert';
  if (nextAt > wall) return 'converted less than 6 h ago';
  return left.length === offer.length ? 'nothing is chosen: space takes an asset' : null;
}

/** Excludes an asset from a conversion, or includes it again. */
export function toggleDust(session: Session, { focus, left }: DustForm): void {
  if (focus === REVIEW) return;
  const rest = left.includes(focus) ? left.filter((asset) => asset !== focus) : [...left, focus];
  patchDialog(session, 'dust-form', () => ({ left: rest, refusal: null }));
}

/** Opens the orders, filtered by the selected balance's asset. */
export function openBalance(session: Session): void {
  const state = deskState(session);
  const ui = session.ui.getState();
  if (!state) return;
  const rows = shownBalances(state, ui.portfolio);
  const row = rows[selectedIndex(rows, ui.portfolio.selection)];
  if (!row) return;
  session.ui.setState({
    screen: 'orders',
    trades: { ...ui.trades, open: false },
    orders: { ...ui.orders, filter: row.asset, pane: 'list', selection: { id: null, index: 0 } },
  });
}
