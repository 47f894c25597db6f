/** What ALARM and NOTIFY have told, newest first, and how far it has got. Enter opens one whole. */
import type { ReactNode } from 'react';
import { useDesk, useUi } from '../components/context.ts';
import { keyed, type Line, rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { headLine, placeColumns, rowLine } from '../components/table.ts';
import { alertColumns, shownAlerts, unseen } from '../model/alert-list.ts';
import { selectedIndex, windowStart } from '../model/order-list.ts';

export function AlertsScreen({ width, height }: { width: number; height: number }): ReactNode {
  const alerts = useDesk((state) => state.alerts);
  const bots = useDesk((state) => state.bots);
  const view = useUi((ui) => ui.alerts);
  const muted = useDesk(({ mutes }) => mutes.bots.length + mutes.targets.length);
  const rows = shownAlerts({ alerts });
  const placed = placeColumns(alertColumns(bots), width - 4);
  const at = selectedIndex(rows, view.selection);
  const room = Math.max(0, height - 2);
  const start = windowStart(at, rows.length, room);
  const shown = rows.slice(start, start + room);
  const fresh = unseen(alerts);
  const info: Line = [
    ...(view.muted ? [span('bell off · ', 'warn')] : []),
    ...(muted > 0 ? [span(`${muted} muted · `, 'warn')] : []),
    span(fresh > 0 ? `${fresh} new` : 'none new', fresh > 0 ? 'warn' : 'muted'),
    span(` · ${rows.length} in all`, 'muted'),
  ];
  return (
    <>
      <Row line={rule('Alerts', info, width)} width={width} />
      <Row line={headLine(placed, { title: '', sign: '' })} width={width} />
      {shown.map((row, index) => (
        <Row
          key={row.id}
          line={rowLine(placed, row, start + index === at)}
          width={width}
          selected={start + index === at}
        />
      ))}
      {rows.length === 0 && <Rows lines={[[], ...EMPTY]} width={width} height={room} />}
      {rows.length > 0 && <Rows lines={[]} width={width} height={Math.max(0, room - shown.length)} />}
    </>
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
