/** The list of waiting price alerts, shown in place of the alerts that have fired. */
import type { ReactNode } from 'react';
import type { Instrument } from '../../domain/instrument.ts';
import { useDesk, useUi } from '../app/context.ts';
import type { Size } from '../lists/ListAndDetail.tsx';
import { ListTable } from '../lists/ListTable.tsx';
import { isUsualOrder } from '../lists/list-views.ts';
import { type Column, listTitle, noMatch, sortMark } from '../lists/table.ts';
import { usePlacedColumns } from '../lists/use-columns.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { type Prices, priceOf } from '../trading/prices.ts';
import { counted, dayTime, onStep, percent, percentChange, read } from '../ui/format.ts';
import { keyed, type Line, span } from '../ui/line.ts';
import { PRICE_ALERT_SORTS, type PriceAlert, priceText, shownPriceAlerts } from './price-alerts.ts';

export function PriceAlertsView({ width, height }: Size): ReactNode {
  const bots = useDesk((state) => state.bots);
  const instruments = useDesk((state) => state.instruments);
  const accounts = useDesk((state) => state.accounts);
  const prices = useDesk((state) => state.prices);
  const view = useUi((ui) => ui['price-alerts']);
  const rows = shownPriceAlerts({ bots, instruments }, view);
  const mark = sortMark(view.sort, view.reverse);
  const first = isUsualOrder(PRICE_ALERT_SORTS, view) ? '' : mark.title;
  return (
    <ListTable
      list="price-alerts"
      title={listTitle('Price alerts', view.filter)}
      info={[span(`${counted(rows.length, 'price')} waited for`, 'muted')]}
      placed={usePlacedColumns('price-alerts', columnsOf(instruments, { accounts, prices }), width, first)}
      mark={mark}
      rows={rows}
      empty={[[], ...(view.filter === '' ? NONE : [noMatch('no price alerts match', view.filter)])]}
      width={width}
      height={height}
    />
  );
}

const NONE: readonly Line[] = [
  [span('  no price is waited for', 'muted')],
  [
    span('  On Overview, Orders and Positions ', 'muted'),
    keyed('alert.new', 'A'),
    span(' sets one for the symbol under the cursor', 'muted'),
  ],
];

function columnsOf(instruments: readonly Instrument[], prices: Prices): readonly Column<PriceAlert>[] {
  const lastOf = ({ exchange, symbol }: PriceAlert) => priceOf(prices, exchange, symbol)?.last;
  return [
    { title: 'symbol', width: 12, priority: 1, cell: ({ symbol }) => span(symbol) },
    {
      title: 'price',
      width: 13,
      align: 'right',
      priority: 1,
      cell: (alert) => span(priceText(alert, instruments)),
    },
    { title: 'tells', width: 10, priority: 2, cell: (alert) => way(alert, lastOf(alert)) },
    {
      title: 'last',
      width: 13,
      align: 'right',
      priority: 3,
      cell: (alert) => span(onStep(lastOf(alert), instrumentOf(instruments, alert)?.tickSize)),
    },
    {
      title: 'distance',
      width: 10,
      align: 'right',
      priority: 2,
      cell: (alert) => span(percent(percentChange(lastOf(alert), alert.price))),
    },
    { title: 'account', width: 13, grow: 1, priority: 4, cell: ({ exchange }) => span(exchange, 'muted') },
    { title: 'made', width: 14, priority: 5, cell: ({ createdAt }) => span(dayTime(createdAt), 'muted') },
  ];
}

function way({ price }: PriceAlert, last: string | undefined) {
  const [at, now] = [read(price), read(last)];
  if (at === null || now === null) return span('–', 'muted');
  return at > now ? span('▲ above', 'up') : span('▼ below', 'down');
}
