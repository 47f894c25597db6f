/** All bots with what they do and earn; marks for what is done to several; a detail behind Enter. */
import type { ReactNode } from 'react';
import type { BotsView } from '../bots/bots-view.ts';
import { useConsole, useDesk, useUi } from '../components/context.ts';
import { ListAndDetail, type Size } from '../components/ListAndDetail.tsx';
import { ListTable } from '../components/ListTable.tsx';
import { keyed, type Line, span } from '../components/line.ts';
import { listTitle, noMatch, placeColumns, sortMark } from '../components/table.ts';
import { botColumns, botSums } from '../model/bot-columns.ts';
import type { BotSort } from '../model/bot-forms.ts';
import { shownBots } from '../model/bot-list.ts';
import { BotsDetailPane } from './BotsDetailPane.tsx';

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

/** The column that shows what is sorted by. */
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
  // Run times are of whole minutes or more where nothing else moves.
  useUi((ui) => ui.minute);
  const rows = shownBots({ bots }, view);
  return (
    <ListTable
      list="bots"
      title={title(view)}
      info={infoLine(view, rows.length, bots)}
      focused={view.detailOpen && view.pane === 'list'}
      placed={placeColumns(botColumns({ orders, clock }, view.marked, session.wall()), width - 4)}
      mark={sortMark(SORTED[view.sort], view.reverse)}
      rows={rows}
      empty={[[], ...emptyLines(view.filter)]}
      width={width}
      height={height}
    />
  );
}

function title({ filter, sort }: BotsView): string {
  return `${listTitle('Bots', filter)}${sort === 'age' ? ', newest first' : ''}`;
}

function infoLine(
  { marked, filter }: BotsView,
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
