/**
 * Cancelling all shown orders: protective stops and the orders of running bots are left out unless they are
 * chosen, each group with its own key. Pure.
 */
import type { DeskState } from '../../desk/console/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import { question } from '../dialogs/question.ts';
import type { BulkCancel, ConfirmDialog, InfoRow } from '../state/ui.ts';
import { isOpen } from '../trading/orders.ts';
import { counted, MISSING } from '../ui/format.ts';
import { isProtective, runningBot } from './consequences.ts';
import { notionals } from './order-words.ts';

/** The orders that are left out unless chosen. */
export interface LeftOut {
  readonly stops: readonly OrderView[];
  readonly bots: readonly OrderView[];
}

/** The key that chooses each group. */
export type BulkKeys = Readonly<Record<keyof LeftOut, string>>;

/** The groups left out; a stop of a running bot counts as the bot's order. */
export function leftOutOf(state: DeskState, orders: readonly OrderView[]): LeftOut {
  const bots = orders.filter((order) => runningBot(state, order));
  const stops = orders.filter((order) => !runningBot(state, order) && isProtective(state, order));
  return { bots, stops };
}

export function confirmCancelAll(
  state: DeskState,
  listed: readonly OrderView[],
  bulk: Omit<BulkCancel, 'listed'>,
  keys: BulkKeys,
): ConfirmDialog {
  const { bots, stops } = leftOutOf(state, listed);
  const out = new Set([...(bulk.bots ? [] : bots), ...(bulk.stops ? [] : stops)]);
  const orders = listed.filter((order) => !out.has(order));
  const symbols = [...new Set(orders.map((order) => order.symbol))];
  const buys = orders.filter((order) => order.side === 'BUY').length;
  const what = counted(orders.length, 'order');
  return {
    ...question(state, {
      title: orders.length === 0 ? 'Cancel all shown: nothing is chosen yet' : `Cancel ${what}`,
      rows: [
        {
          name: 'accounts',
          value: [...new Set(orders.map((order) => order.exchange))].join(', ') || MISSING,
        },
        { name: 'filter', value: bulk.filter === '' ? 'none: every open order' : bulk.filter },
        { name: 'orders', value: `${orders.length}: ${buys} BUY, ${orders.length - buys} SELL` },
        {
          name: 'symbols',
          value: symbols.slice(0, 8).join(' ') + (symbols.length > 8 ? ' …' : '') || MISSING,
        },
        { name: 'notional', value: notionals(state, orders) || MISSING },
        ...choiceRows(bulk, keys, stops.length, bots.length),
      ],
      next:
        orders.length === 0
          ? 'Nothing is chosen to be cancelled.'
          : 'Each order is cancelled; fills stay. The result of each is shown.',
      verb: `cancel ${what}`,
      keep: orders.length === 1 ? 'Keep it' : 'Keep them',
      word: `cancel ${orders.length}`,
      action: { type: 'cancel-all', ids: orders.map((order) => order.id) },
    }),
    bulk: { ...bulk, listed: listed.map(({ id }) => id) },
  };
}

function choiceRows(
  { stops, bots }: Omit<BulkCancel, 'listed'>,
  keys: BulkKeys,
  stopCount: number,
  botCount: number,
): InfoRow[] {
  const row = (name: string, on: boolean, key: string, what: string, effect: string): InfoRow => ({
    name,
    value: `${on ? '[x]' : '[ ]'} ${key}  ${what}${on ? `: ${effect}` : ', left out'}`,
    tone: on ? 'danger' : 'muted',
  });
  const rows: InfoRow[] = [];
  if (stopCount > 0)
    rows.push(
      row('stops', stops, keys.stops, counted(stopCount, 'protective stop'), 'nothing ends the loss then'),
    );
  if (botCount > 0)
    rows.push(
      row(
        'bots',
        bots,
        keys.bots,
        `${counted(botCount, 'order')} of running bots`,
        'they will place them again',
      ),
    );
  return rows;
}

/** The question with one group chosen or left out; about the same orders, in their current state. */
export function toggledBulk(
  state: DeskState,
  asked: ConfirmDialog,
  part: 'stops' | 'bots',
  keys: BulkKeys,
): ConfirmDialog | null {
  if (!asked.bulk) return null;
  const listed = asked.bulk.listed.flatMap((id) => state.orders[id] ?? []).filter(isOpen);
  return confirmCancelAll(state, listed, { ...asked.bulk, [part]: !asked.bulk[part] }, keys);
}
