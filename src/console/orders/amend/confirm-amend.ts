/** The confirmation of a change: what changes, what remains, and how the change is carried out. Pure. */
import type { DeskState, Result } from '../../../desk/console/protocol.ts';
import type { Amendment, OrderView } from '../../../domain/order.ts';
import { question } from '../../dialogs/question.ts';
import type { ConfirmDialog, InfoRow } from '../../state/ui.ts';
import { guardRows } from '../../trading/guard-meters.ts';
import { instrumentOf } from '../../trading/instruments.ts';
import { priceOf } from '../../trading/prices.ts';
import { exact, moment, money, onStep, percent, percentChange } from '../../ui/format.ts';
import { stakeRows } from '../consequences.ts';
import { sizeWords } from './amend-form.ts';

export function confirmAmend(
  state: DeskState,
  order: OrderView,
  change: Amendment,
  check: Result<'orders.amendCheck'>,
): ConfirmDialog {
  const instrument = instrumentOf(state.instruments, order);
  const tick = instrument?.tickSize;
  const last = priceOf(state, order.exchange, order.symbol)?.last;
  const { price, quantity, stopPrice, goodTillDate } = change;
  const row = (name: string, before: string, after: string): InfoRow => ({
    name,
    value: `${before} → ${after}`,
    tone: 'warn',
  });
  const at = price ?? order.price ?? stopPrice ?? order.stopPrice;
  return question(state, {
    title: 'Change order',
    rows: [
      { name: 'account', value: order.exchange },
      {
        name: 'order',
        value: `${order.side} ${sizeWords(order)} ${order.symbol} ${order.type}`,
        tone: order.side === 'BUY' ? 'buy' : 'sell',
      },
      ...(price === undefined ? [] : [row('price', onStep(order.price, tick), onStep(price, tick))]),
      ...(stopPrice === undefined
        ? []
        : [row('stop price', onStep(order.stopPrice, tick), onStep(stopPrice, tick))]),
      ...(quantity === undefined ? [] : [row('quantity', exact(order.origQty), exact(quantity))]),
      ...(goodTillDate === undefined
        ? []
        : [row('good till', moment(order.goodTillDate ?? 0), moment(goodTillDate))]),
      ...(order.closePosition
        ? []
        : [
            { name: 'left', value: `${exact(check.remaining)} ${instrument?.base ?? ''}` },
            { name: 'notional', value: `${money(check.notional)} ${instrument?.quote ?? ''}` },
          ]),
      { name: 'distance', value: `${percent(percentChange(last, at))} from last ${onStep(last, tick)}` },
      ...guardRows(state, order.exchange, check.notional),
      ...(check.anew ? stakeRows(state, order) : []),
    ],
    next: check.anew
      ? 'Its exchange cannot change it in its place: it is cancelled, and what is left is placed anew, behind others of its price.'
      : 'It is changed in its place. With another price or a larger quantity it goes behind others of its price.',
    verb: 'change the order',
    keep: 'Keep it',
    action: { type: 'amend', exchange: order.exchange, id: order.id, change },
  });
}
