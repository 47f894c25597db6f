/** The Bots screen: all bots, their state and profit; marks for actions on several; a detail behind Enter. */
import type { ReactNode } from 'react';
import { useConsole, useDesk, useUi } from '../app/context.ts';
import { ListAndDetail, type Size } from '../lists/ListAndDetail.tsx';
import { ListTable } from '../lists/ListTable.tsx';
import { useModeColumn } from '../lists/mode-column.ts';
import { listTitle, noMatch, sortMark } from '../lists/table.ts';
import { usePlacedColumns } from '../lists/use-columns.ts';
import { keyed, type Line, span } from '../ui/line.ts';
import { BotsDetailPane } from './BotsDetailPane.tsx';
import { botColumns, botSums } from './bot-columns.ts';
import type { BotSort } from './bot-forms.ts';
import { shownBots } from './bot-list.ts';
import type { BotsView } from './bots-view.ts';

/** Rows of the list above its detail: title, heads, and some bots around the selected one. */
const LIST_ABOVE = 6;

export function BotsScreen({ width, height }: Size): ReactNode {
  const wanted = useUi((ui) => ui.bots.detailOpen);
  const some = useDesk((state) => Object.keys(state.bots).length > 0);
  return (
    <ListAndDetail
      List={List}
      Detail={BotsDetailPane}
      open={wanted && some}
      share={0.48}
      rows={height - LIST_ABOVE}
      width={width}
      height={height}
    />
  );
}

/** The column by which each sort order sorts. */
const SORTED: Record<BotSort, string> = {
  status: 'status',
  symbol: 'symbol',
  type: 'type',
  PnL: 'realised',
  age: '',
};

function List({ width, height }: Size): ReactNode {
  const { session } = useConsole();
  const bots = useDesk((state) => state.bots);
  const orders = useDesk((state) => state.orders);
  const clock = useDesk((state) => state.clock);
  const view = useUi((ui) => ui.bots);
  // Run times are shown in whole minutes; they change even if nothing else does.
  useUi((ui) => ui.minute);
  const rows = shownBots({ bots }, view);
  const usual = botColumns({ orders, clock }, session.wall());
  const columns = useModeColumn(usual, ({ exchange }) => exchange);
  return (
    <ListTable
      list="bots"
      title={listTitle('Bots', view.filter)}
      info={infoLine(view, rows.length, bots)}
      focused={view.detailOpen && view.pane === 'list'}
      placed={usePlacedColumns('bots', columns, width)}
      mark={sortMark(SORTED[view.sort], view.reverse)}
      rows={rows}
      empty={[[], ...emptyLines(view.filter)]}
      width={width}
      height={height}
    />
  );
}

function infoLine({ filter }: BotsView, shown: number, bots: Parameters<typeof shownBots>[0]['bots']): Line {
  return filter === '' ? botSums(Object.values(bots)) : [span(`${shown} shown`, 'muted')];
}

function emptyLines(filter: string): readonly Line[] {
  if (filter !== '') return [noMatch('no bots match', filter)];
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
