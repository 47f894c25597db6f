/** The dialog of a take-profit and a stop for something held: a position, or a holding on spot. */
import type { DeskState } from '../../../desk/console/protocol.ts';
import { ask, deskState, openDialog, type Session, say } from '../../app/session.ts';
import { resolvePrice } from '../../entry/prices.ts';
import { type FormKind, REVIEW } from '../../forms/form.ts';
import { type InfoRow, topDialog } from '../../state/ui.ts';
import { instrumentOf } from '../../trading/instruments.ts';
import { exact } from '../../ui/format.ts';
import { priceFactsOf } from '../ticket/typed.ts';
import { confirmExits, type Exits, outcomeWords, pairOn } from './exits.ts';
import { PairView } from './PairView.tsx';

export interface PairDialog {
  readonly kind: 'pair';
  readonly exchange: string;
  readonly symbol: string;
  /** Side of the exits. */
  readonly side: 'BUY' | 'SELL';
  /** Quantity of both exits, in base units. */
  readonly quantity: string;
  /** Entry price; null: not known. */
  readonly entry: string | null;
  readonly takeProfit: string;
  readonly stopLoss: string;
  readonly focus: 'takeProfit' | 'stopLoss' | typeof REVIEW;
  readonly refusal: string | null;
}

export function openPair(
  session: Session,
  held: Pick<PairDialog, 'exchange' | 'symbol' | 'side' | 'quantity' | 'entry'>,
): void {
  const first = { takeProfit: '', stopLoss: '', focus: 'takeProfit', refusal: null } as const;
  openDialog(session, { kind: 'pair', ...held, ...first });
}

/** Both prices as plain figures on the tick; a text instead: what is wrong with one of them. */
export function exitsOf(state: DeskState, dialog: PairDialog): Exits | string {
  const facts = priceFactsOf(state, dialog);
  if (!facts) return `${dialog.symbol} is not traded on ${dialog.exchange}`;
  const found = { takeProfit: '', stopLoss: '' };
  for (const [field, name] of [
    ['takeProfit', 'take-profit'],
    ['stopLoss', 'stop'],
  ] as const) {
    const meant = resolvePrice(dialog[field], facts);
    if (meant?.price == null) return `${name}: ${meant?.problem ?? 'write a price'}`;
    found[field] = meant.price;
  }
  return found;
}

async function review(session: Session): Promise<void> {
  const state = deskState(session);
  const dialog = topDialog(session.ui.getState());
  if (!state || dialog?.kind !== 'pair') return;
  const exits = exitsOf(state, dialog);
  const bot = typeof exits === 'string' ? exits : pairOn(heldOf(dialog), exits);
  if (typeof exits === 'string' || typeof bot === 'string') {
    say(session, typeof bot === 'string' ? bot : '', 'warn');
    return;
  }
  const checked = await ask(session, 'bots.check', { type: bot.type, settings: bot.settings });
  const now = topDialog(session.ui.getState());
  if (!checked || now !== dialog) return;
  if (checked.problems.length > 0) say(session, checked.text, 'warn');
  else
    openDialog(
      session,
      confirmExits(state, bot, rowsOf(state, dialog, exits), {
        title: 'Take-profit and stop',
        next: 'Both are watched by this desk: the one that fills cancels the other. Stops that rest already stay.',
        verb: 'place both exits',
      }),
    );
}

function heldOf({ exchange, symbol, side, quantity }: PairDialog) {
  return { exchange, symbol, side, quantity };
}

function rowsOf(state: DeskState, dialog: PairDialog, exits: Exits): InfoRow[] {
  const { exchange, symbol, side, quantity, entry } = dialog;
  const instrument = instrumentOf(state.instruments, dialog);
  const long = side === 'SELL';
  return [
    { name: 'account', value: exchange },
    {
      name: 'closes',
      value: `${long ? 'LONG' : 'SHORT'} ${exact(quantity)} ${symbol}`,
      tone: long ? 'buy' : 'sell',
    },
    ...(entry === null
      ? []
      : [
          {
            name: 'comes to',
            value: outcomeWords(
              { side: long ? 'BUY' : 'SELL', quantity, price: entry },
              exits,
              instrument?.quote ?? '',
            ),
          },
        ]),
  ];
}

export const PAIR: FormKind<PairDialog> = {
  kind: 'pair',
  View: PairView,
  confirmed: true,
  fields: () => ['takeProfit', 'stopLoss', REVIEW],
  text: (dialog) =>
    dialog.focus === REVIEW ? null : { id: `pair.${dialog.focus}`, value: dialog[dialog.focus] },
  withText: (dialog, text) => ({ ...dialog, [dialog.focus]: text, refusal: null }),
  review: (session) => void review(session),
};

declare module '../../state/ui.ts' {
  interface Dialogs {
    readonly pair: PairDialog;
  }
}
