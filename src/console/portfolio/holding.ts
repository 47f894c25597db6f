/** What the row under the cursor can be traded as: a holding on spot and the market it is sold on. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { dec, floorTo, str, ZERO } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { deskState, type Session, say } from '../app/session.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { openPair } from '../orders/exits/pair.ts';
import { openDraft } from '../orders/ticket/commands.ts';
import { emptyDraft } from '../orders/ticket/ticket-draft.ts';
import { type BalanceRow, type PortfolioView, shownBalances } from './portfolio-list.ts';

/** Quotes in which a holding is sold, the first that is traded. */
const QUOTES = ['USDT', 'USDC', 'FDUSD', 'USD'];

/** What the first order of a sale is for, percent of what is free. */
const FIRST_SHARE = '50%';

interface Holding {
  readonly row: BalanceRow;
  readonly instrument: Instrument;
}

/** The market of the row under the cursor; null where its asset is not sold for dollars, or not on spot. */
export function holdingOf(state: DeskState, view: PortfolioView): Holding | null {
  const rows = shownBalances(state, view);
  const row = rows[selectedIndex(rows, view.selection)];
  if (!row) return null;
  const spot = state.accounts.find(
    ({ id, kind }) => kind === 'spot' && (id === row.exchange || row.sharedWith.includes(id)),
  );
  for (const quote of QUOTES) {
    const instrument = state.instruments.find(
      (one) => one.exchange === spot?.id && one.base === row.asset && one.quote === quote && !one.delisted,
    );
    if (instrument) return { row, instrument };
  }
  return null;
}

/** The holding, or why there is none in the message line. */
function chosen(session: Session): Holding | null {
  const state = deskState(session);
  const holding = state && holdingOf(state, session.ui.getState().portfolio);
  if (!holding)
    say(session, 'only what is held on spot and traded for dollars can be sold from here', 'warn');
  return holding;
}

/** A ticket that sells half of what is free at market; `%` goes through the quarters. */
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

/** A take-profit and a stop on what is free of it, cut to the step. */
export function pairHolding(session: Session): void {
  const holding = chosen(session);
  if (!holding) return;
  const { row, instrument } = holding;
  const { exchange, symbol, stepSize } = instrument;
  const quantity = floorTo(dec(row.free), dec(stepSize));
  if (quantity <= ZERO) say(session, `${row.asset}: less than one step is free, ${stepSize}`, 'warn');
  else openPair(session, { exchange, symbol, side: 'SELL', quantity: str(quantity), entry: null });
}
