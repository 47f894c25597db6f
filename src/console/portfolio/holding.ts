/** Selling or protecting the row under the cursor: a holding on spot, and the market it is sold on. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { dec, floorTo, str, ZERO } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { deskState, type Session, say } from '../app/session.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { openPair } from '../orders/exits/pair.ts';
import { openDraft } from '../orders/ticket/commands.ts';
import { emptyDraft } from '../orders/ticket/ticket-draft.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { type BalanceRow, marketOfBalance, type PortfolioView, shownBalances } from './portfolio-list.ts';

/** Quantity at first in the ticket of a sale: a share of the free balance. */
const FIRST_SHARE = '50%';

interface Holding {
  readonly row: BalanceRow;
  readonly instrument: Instrument;
}

/** The selected holding; null where its asset is not traded, or its account is not a spot account. */
function holdingOf(state: DeskState, view: PortfolioView): Holding | null {
  const rows = shownBalances(state, view);
  const row = rows[selectedIndex(rows, view.selection)];
  const market = marketOfBalance(state, view);
  const instrument = market && instrumentOf(state.instruments, market);
  const isSpot = state.accounts.some(({ id, kind }) => id === market?.exchange && kind === 'spot');
  return row && instrument && isSpot ? { row, instrument } : null;
}

/** The holding; null with a message where there is none. */
function chosen(session: Session): Holding | null {
  const state = deskState(session);
  const holding = state && holdingOf(state, session.ui.getState().portfolio);
  if (!holding) say(session, 'only what is held on spot, and is traded there, can be sold from here', 'warn');
  return holding;
}

/** Opens a ticket that sells half of the free balance at market; `%` goes through the quarters. */
export function sellPart(session: Session): void {
  const holding = chosen(session);
  if (!holding) return;
  const { exchange, symbol } = holding.instrument;
  openDraft(
    session,
    { ...emptyDraft(exchange, symbol), side: 'SELL', type: 'MARKET', quantity: FIRST_SHARE },
    'quantity',
  );
}

/** Opens a take-profit and a stop for the free balance, cut to the step size. */
export function pairHolding(session: Session): void {
  const holding = chosen(session);
  if (!holding) return;
  const { row, instrument } = holding;
  const { exchange, symbol, stepSize } = instrument;
  const quantity = floorTo(dec(row.free), dec(stepSize));
  if (quantity <= ZERO) say(session, `${row.asset}: less than one step is free, ${stepSize}`, 'warn');
  else openPair(session, { exchange, symbol, side: 'SELL', quantity: str(quantity), entry: null });
}
