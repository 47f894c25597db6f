/** All bots with what they do and earn; marks for what is done to several; a detail behind Enter. */
import { Box } from 'ink';
import type { ReactNode } from 'react';
import { Beside } from '../components/Beside.tsx';
import { useConsole, useDesk, useUi } from '../components/context.ts';
import { FilterRow } from '../components/FilterRow.tsx';
import { keyed, type Line, rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { headLine, placeColumns, rowLine } from '../components/table.ts';
import { botColumns, botSums } from '../model/bot-columns.ts';
import type { BotSort } from '../model/bot-forms.ts';
import { shownBots } from '../model/bot-list.ts';
import { selectedIndex, windowStart } from '../model/order-list.ts';
import type { UiState } from '../state/ui.ts';
import { BotsDetailPane } from './BotsDetailPane.tsx';

/** From here on the detail stands beside the list. */
const WIDE = 150;
/** Rows of the list above its detail: title, heads, and some bots around the selected one. */
const LIST_ABOVE = 6;

export function BotsScreen({ width, height }: { width: number; height: number }): ReactNode {
  const wanted = useUi((ui) => ui.bots.detailOpen);
  const some = useDesk((state) => Object.keys(state.bots).length > 0);
  const beside = width >= WIDE;
  if (!wanted || !some) return <List width={width} height={height} />;
  const detailWidth = beside ? Math.floor(width * 0.48) : width;
  const detailHeight = beside ? height : height - LIST_ABOVE;
  const listWidth = beside ? width - detailWidth - 2 : width;
  return (
    <Beside wide={beside}>
      <Box flexDirection="column" width={listWidth} flexShrink={0}>
        <List width={listWidth} height={beside ? height : LIST_ABOVE} />
      </Box>
      <Box flexDirection="column" marginLeft={beside ? 2 : 0} width={detailWidth} flexShrink={0}>
        <BotsDetailPane width={detailWidth} height={detailHeight} />
      </Box>
    </Beside>
  );
}

/** The column that shows what is sorted by. */
const SORTED: Record<BotSort, string> = {
  status: 'status',
  symbol: 'symbol',
  type: 'type',
  PnL: 'realised',
  age: '',
};

function List({ width, height }: { width: number; height: number }): ReactNode {
  const { session } = useConsole();
  const bots = useDesk((state) => state.bots);
  const orders = useDesk((state) => state.orders);
  const clock = useDesk((state) => state.clock);
  const view = useUi((ui) => ui.bots);
  // Run times are of whole minutes or more where nothing else moves.
  useUi((ui) => ui.minute);
  const rows = shownBots({ bots }, view);
  const placed = placeColumns(botColumns({ orders, clock }, view.marked, session.wall()), width - 4);
  const at = selectedIndex(rows, view.selection);
  const filterRow = view.filtering || view.filter !== '' ? 1 : 0;
  const room = Math.max(0, height - 2 - filterRow);
  const start = windowStart(at, rows.length, room);
  const shown = rows.slice(start, start + room);
  const focused = view.detailOpen && view.pane === 'list';
  const head = headLine(placed, { title: SORTED[view.sort], sign: view.reverse ? '▲' : '▼' });
  return (
    <>
      <Row line={rule(title(view), infoLine(view, rows.length, bots), width, focused)} width={width} />
      {filterRow > 0 && (
        <FilterRow id="bots.filter" value={view.filter} focus={view.filtering} width={width} />
      )}
      <Row line={head} width={width} />
      {shown.map((row, index) => (
        <Row
          key={row.id}
          line={rowLine(placed, row, start + index === at)}
          width={width}
          selected={start + index === at}
        />
      ))}
      {rows.length === 0 && <Rows lines={[[], ...emptyLines(view.filter)]} width={width} height={room} />}
      {rows.length > 0 && <Rows lines={[]} width={width} height={Math.max(0, room - shown.length)} />}
    </>
  );
}

function title({ filter, sort }: UiState['bots']): string {
  const by = sort === 'age' ? ', newest first' : '';
  return filter === '' ? `Bots${by}` : `Bots matching "${filter}"${by}`;
}

function infoLine(
  { marked, filter }: UiState['bots'],
  shown: number,
  bots: Parameters<typeof shownBots>[0]['bots'],
): Line {
  const there = marked.filter((id) => bots[id]).length;
  return [
    ...(there > 0 ? [span(`${there} marked`, 'focus', { bold: true }), span(' · ', 'muted')] : []),
    ...(filter === '' ? botSums(Object.values(bots)) : [span(`${shown} shown`, 'muted')]),
  ];
}

function emptyLines(filter: string): readonly Line[] {
  if (filter !== '')
    return [
      [
        span(`  no bots match "${filter}" · `, 'muted'),
        keyed('list.back', 'esc'),
        span(' clears the filter', 'muted'),
      ],
    ];
  return [
    [
      span('  no bots · ', 'muted'),
      keyed('bot.new', 'n'),
      span(' writes one, ', 'muted'),
      keyed('bot.new-json', 'N'),
      span(' takes JSON', 'muted'),
    ],
    [span('  It is kept as NEW and trades only once it is started.', 'muted')],
  ];
}
