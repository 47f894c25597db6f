/** Positions of all futures accounts, what protects them, and their sum; a detail pane behind Enter. */
import { Box } from 'ink';
import type { ReactNode } from 'react';
import { Beside } from '../components/Beside.tsx';
import { useDesk, useUi } from '../components/context.ts';
import { keyed, type Line, rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { headLine, placeColumns, rowLine } from '../components/table.ts';
import { selectedIndex, windowStart } from '../model/order-list.ts';
import { positionColumns, totalsLine } from '../model/position-columns.ts';
import { positionTotals, shownPositions } from '../model/positions.ts';
import { PositionDetailPane } from './PositionDetailPane.tsx';

/** From here on the detail stands beside the list. */
const WIDE = 150;

export function PositionsScreen({ width, height }: { width: number; height: number }): ReactNode {
  const wanted = useUi((ui) => ui.positions.detailOpen);
  const detailOpen = useDesk((state) => wanted && shownPositions(state).length > 0);
  const beside = width >= WIDE;
  if (!detailOpen) return <List width={width} height={height} />;
  const detailWidth = beside ? Math.floor(width * 0.42) : width;
  const detailHeight = beside ? height : Math.ceil(height * 0.65);
  const listWidth = beside ? width - detailWidth - 2 : width;
  return (
    <Beside wide={beside}>
      <Box flexDirection="column" width={listWidth} flexShrink={0}>
        <List width={listWidth} height={beside ? height : height - detailHeight} />
      </Box>
      <Box flexDirection="column" marginLeft={beside ? 2 : 0} width={detailWidth} flexShrink={0}>
        <PositionDetailPane width={detailWidth} height={detailHeight} />
      </Box>
    </Beside>
  );
}

function List({ width, height }: { width: number; height: number }): ReactNode {
  const futures = useDesk((state) => state.futures);
  const instruments = useDesk((state) => state.instruments);
  const view = useUi((ui) => ui.positions);
  const rows = shownPositions({ futures });
  const placed = placeColumns(positionColumns(instruments), width - 4);
  const at = selectedIndex(rows, view.selection);
  const room = Math.max(0, height - 4);
  const start = windowStart(at, rows.length, room);
  const shown = rows.slice(start, start + room);
  const info: Line = [span(modes(futures), 'muted')];
  const focused = view.detailOpen && view.pane === 'list';
  if (rows.length === 0) {
    return (
      <>
        <Row line={rule('Positions', info, width, focused)} width={width} />
        <Rows lines={[[], emptyLine()]} width={width} height={height - 1} />
      </>
    );
  }
  return (
    <>
      <Row line={rule('Positions', info, width, focused)} width={width} />
      <Row line={headLine(placed, { title: '', sign: '' })} width={width} />
      {shown.map((row, index) => (
        <Row
          key={row.id}
          line={rowLine(placed, row, start + index === at)}
          width={width}
          selected={start + index === at}
        />
      ))}
      <Row line={[]} width={width} />
      <Row line={totalsLine(positionTotals(rows))} width={width} />
      <Rows lines={[]} width={width} height={Math.max(0, room - shown.length)} />
    </>
  );
}

/** How each account trades: `paper-futures one-way`. */
function modes(futures: Readonly<Record<string, { readonly hedgeMode: boolean }>>): string {
  return Object.entries(futures)
    .map(([id, { hedgeMode }]) => `${id} ${hedgeMode ? 'hedge mode' : 'one-way'}`)
    .join(' · ');
}

function emptyLine(): Line {
  return [span('  no open positions · ', 'muted'), keyed('ticket.open', 'n'), span(' new order', 'muted')];
}
