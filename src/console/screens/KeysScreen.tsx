/** API keys: who may sign requests, how far they reach and how they are used; a detail pane behind Enter. */
import { Box } from 'ink';
import type { ReactNode } from 'react';
import { Beside } from '../components/Beside.tsx';
import { useConsole, useDesk, useUi } from '../components/context.ts';
import { keyed, type Line, rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { headLine, placeColumns, rowLine } from '../components/table.ts';
import { keyColumns } from '../model/key-columns.ts';
import { shownKeys } from '../model/lists.ts';
import { selectedIndex, windowStart } from '../model/order-list.ts';
import { KeyDetailPane } from './KeyDetailPane.tsx';

/** From here on the detail stands beside the list. */
const WIDE = 150;

export function KeysScreen({ width, height }: { width: number; height: number }): ReactNode {
  const wanted = useUi((ui) => ui.keys.detailOpen);
  const detailOpen = useDesk((state) => wanted && state.keys.length > 0);
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
        <KeyDetailPane width={detailWidth} height={detailHeight} />
      </Box>
    </Beside>
  );
}

function List({ width, height }: { width: number; height: number }): ReactNode {
  const { session } = useConsole();
  const keys = useDesk((state) => state.keys);
  const view = useUi((ui) => ui.keys);
  // "Today" ends with a minute.
  useUi((ui) => ui.minute);
  const rows = shownKeys({ keys });
  const placed = placeColumns(keyColumns(session.wall()), width - 4);
  const at = selectedIndex(rows, view.selection);
  const room = Math.max(0, height - 2);
  const start = windowStart(at, rows.length, room);
  const shown = rows.slice(start, start + room);
  const active = rows.filter((key) => key.revokedAt === null).length;
  const info: Line = [span(`${active} active, ${rows.length - active} revoked`, 'muted')];
  const focused = view.detailOpen && view.pane === 'list';
  if (rows.length === 0) {
    return (
      <>
        <Row line={rule('Keys', info, width, focused)} width={width} />
        <Rows lines={EMPTY} width={width} height={height - 1} />
      </>
    );
  }
  return (
    <>
      <Row line={rule('Keys', info, width, focused)} width={width} />
      <Row line={headLine(placed, { title: '', sign: '' })} width={width} />
      {shown.map((key, index) => (
        <Row
          key={key.id}
          line={rowLine(placed, key, start + index === at)}
          width={width}
          selected={start + index === at}
        />
      ))}
      <Rows lines={[]} width={width} height={Math.max(0, room - shown.length)} />
    </>
  );
}

const EMPTY: readonly Line[] = [
  [],
  [span('  No keys yet. Programs sign their requests with an Ed25519 key.', 'muted')],
  [],
  [
    keyed('key.generate', '  n'),
    span(' generates one here, ', 'muted'),
    keyed('key.paste', 'p'),
    span(' registers a public key you have.', 'muted'),
  ],
];
