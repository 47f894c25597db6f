/** The Alerts screen: the alerts of ALARM and NOTIFY with their deliveries. Enter opens one of them. */

import type { ReactNode } from 'react';
import { useDesk, useUi } from '../app/context.ts';
import { timeNote } from '../app/header.ts';
import type { Size } from '../lists/ListAndDetail.tsx';
import { ListTable } from '../lists/ListTable.tsx';
import { isUsualOrder } from '../lists/list-views.ts';
import { listTitle, noMatch, sortMark } from '../lists/table.ts';
import { usePlacedColumns } from '../lists/use-columns.ts';
import { counted } from '../ui/format.ts';
import { keyed, type Line, span } from '../ui/line.ts';
import { ALERT_SORTS, alertColumns, shownAlerts, unseen } from './alert-list.ts';
import { PriceAlertsView } from './PriceAlertsView.tsx';
import { priceAlerts } from './price-alerts.ts';

export function AlertsScreen(size: Size): ReactNode {
  const prices = useUi((ui) => ui['price-alerts'].open);
  return prices ? <PriceAlertsView {...size} /> : <Told {...size} />;
}

function Told({ width, height }: Size): ReactNode {
  const alerts = useDesk((state) => state.alerts);
  const bots = useDesk((state) => state.bots);
  const live = useDesk((state) => state.clock.live);
  const view = useUi((ui) => ui.alerts);
  const muted = useDesk(({ mutes }) => mutes.bots.length + mutes.targets.length);
  const rows = shownAlerts({ alerts, bots }, view);
  const fresh = unseen(alerts);
  const waiting = priceAlerts({ bots }).length;
  const count = view.filter === '' ? `${alerts.length} in all` : `${rows.length} of ${alerts.length} shown`;
  const info: Line = [
    ...(waiting > 0
      ? [
          span(`${counted(waiting, 'price')} waited for: `, 'muted'),
          keyed('alerts.prices', 'p'),
          span(' · ', 'muted'),
        ]
      : []),
    ...(view.muted ? [span('bell off · ', 'warn')] : []),
    ...(muted > 0 ? [span(`${muted} muted · `, 'warn')] : []),
    span(fresh > 0 ? `${fresh} new` : 'none new', fresh > 0 ? 'warn' : 'muted'),
    span(` · ${count}`, 'muted'),
    ...timeNote({ live }, 'wall'),
  ];
  const mark = sortMark(view.sort, view.reverse);
  const first = isUsualOrder(ALERT_SORTS, view) ? '' : mark.title;
  return (
    <ListTable
      list="alerts"
      title={listTitle('Alerts', view.filter)}
      info={info}
      placed={usePlacedColumns('alerts', alertColumns(bots), width, first)}
      mark={mark}
      rows={rows}
      empty={[[], ...(alerts.length === 0 ? EMPTY : [noMatch('no alerts match', view.filter)])]}
      width={width}
      height={height}
    />
  );
}

const EMPTY: readonly Line[] = [
  [span('  no alerts yet', 'muted')],
  [
    span('  ALARM and NOTIFY bots tell of prices and markets: ', 'muted'),
    keyed('screen.bots', '3'),
    span(', then ', 'muted'),
    keyed('bot.new', 'n'),
  ],
];
