/**
 * The first screen: money, orders, links and the feed on top; then what is urgent, the watchlist, bots,
 * alerts and the log.
 */
import { Box } from 'ink';
import { type ReactNode, useMemo } from 'react';
import { useShallow } from 'zustand/shallow';
import { lastAlertLines, unseen } from '../alerts/alert-list.ts';
import { useConsole, useDesk, useUi, useWholeDesk } from '../app/context.ts';
import { timeNote } from '../app/header.ts';
import { overviewBots, overviewLines, overviewSums } from '../bots/bot-overview.ts';
import { mixedModes } from '../dialogs/mode.ts';
import { selectedIndex, windowStart } from '../lists/cursor.ts';
import { useModeColumn } from '../lists/mode-column.ts';
import { headLine, placeColumns, rowLine } from '../lists/table.ts';
import { logLine } from '../log/log-view.ts';
import { orderColumns } from '../orders/order-columns.ts';
import { countWords, isPending, panicCounts } from '../panic/panic.ts';
import type { UiState } from '../state/ui.ts';
import { hasMarkets, keyOfMarket } from '../trading/prices.ts';
import { asRow, watchedPrices } from '../trading/watch.ts';
import { listInView } from '../trading/watchlists.ts';
import { Beside } from '../ui/Beside.tsx';
import { LineChart } from '../ui/Chart.tsx';
import { shortValue } from '../ui/chart-line.ts';
import { keyed, type Line, rule, span } from '../ui/line.ts';
import { Row, Rows } from '../ui/Row.tsx';
import {
  focusedPart,
  logRows,
  type OverviewPart,
  openOrders,
  overviewCounts,
  overviewLayout,
  type PartBox,
  partRows,
  SUMMARY_ROWS,
  unprotectedLine,
  unprotectedPositions,
  withCursor,
} from './overview-parts.ts';
import { equityTone, feedLines, moneyLines, orderLines, unresolvedLines } from './summary.ts';
import { nearestOrders, watchColumns } from './watchlist.ts';

export function OverviewScreen({ width, height }: { width: number; height: number }): ReactNode {
  const watchlists = useUi((ui) => ui.watchlists);
  const counts = useDesk(useShallow((state) => overviewCounts(state, watchlists)));
  const layout = overviewLayout(counts, width, height);
  const chosen = useUi((ui) => ui.overview.part);
  const focus = focusedPart(chosen, layout);
  const { main, side, mainWidth, sideWidth, curve } = layout;
  return (
    <>
      <Summary width={width} focus={focus} />
      <Beside>
        <Box flexDirection="column" width={mainWidth} flexShrink={0}>
          {main.map((box) => (
            <Part key={box.part} box={box} width={mainWidth} focus={focus} />
          ))}
        </Box>
        {layout.wide && (
          <Box flexDirection="column" marginLeft={2} width={sideWidth} flexShrink={0}>
            {curve > 0 && <EquityCurve width={sideWidth} height={curve} />}
            {side.map((box) => (
              <Part key={box.part} box={box} width={sideWidth} focus={focus} />
            ))}
          </Box>
        )}
      </Beside>
    </>
  );
}

interface PartProps {
  readonly width: number;
  readonly height: number;
  readonly focused: boolean;
}

const PARTS: Record<Exclude<OverviewPart, 'equity' | 'links'>, (props: PartProps) => ReactNode> = {
  unresolved: Unresolved,
  positions: Positions,
  watch: Watchlist,
  orders: OpenOrders,
  bots: Bots,
  alerts: Alerts,
  log: LogTail,
};

function Part({ box, width, focus }: { box: PartBox; width: number; focus: OverviewPart }): ReactNode {
  const { part, height } = box;
  if (part === 'equity' || part === 'links') return null;
  const View = PARTS[part];
  return <View width={width} height={height} focused={part === focus} />;
}

/** Row of a part's cursor; -1 while the part does not have the focus. */
function useCursor(part: OverviewPart, rows: readonly { readonly id: string }[], focused: boolean): number {
  const selection = useUi((ui) => (part === 'watch' ? ui.watch : ui.overview.selections[part]));
  return focused ? selectedIndex(rows, selection ?? { id: null, index: 0 }) : -1;
}

interface ListProps extends PartProps {
  readonly title: string;
  readonly info: Line;
  readonly lines: readonly Line[];
  /** Index of the line under the cursor; -1 without a cursor. */
  readonly at: number;
}

/** A title and as many lines as there is room for, around the cursor. */
function List({ title, info, lines, at, width, height, focused }: ListProps): ReactNode {
  const room = Math.max(0, height - 1);
  const start = windowStart(at, lines.length, room);
  const shown = lines.slice(start, start + room);
  const hidden = lines.length - shown.length;
  const more: Line = hidden > 0 ? [span(`${shown.length} of ${lines.length}`, 'muted')] : [];
  const note =
    info.length > 0 && more.length > 0 ? [...info, span(' · ', 'muted'), ...more] : [...info, ...more];
  return (
    <>
      <Row line={rule(title, note, width, focused)} width={width} />
      {shown.map((line, index) => {
        const here = start + index === at;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its position
          <Row key={index} line={here ? withCursor(line) : line} width={width} selected={here} />
        );
      })}
      <Rows lines={[]} width={width} height={Math.max(0, room - shown.length)} />
    </>
  );
}

function Summary({ width, focus }: { width: number; focus: OverviewPart }): ReactNode {
  const state = useDesk((desk) => desk);
  const minute = useUi((ui) => ui.minute);
  const panic = useUi((ui) => ui.panic);
  const link = useCursor('links', state.accounts, focus === 'links');
  const left = Math.floor(width * 0.36);
  const middle = Math.floor(width * 0.28);
  const right = width - left - middle;
  const parts: [string, readonly Line[], number, boolean][] = [
    ['Equity and PnL', moneyLines(state, left - 4), left, focus === 'equity'],
    ['Orders', panicLines(panic) ?? orderLines(state), middle, false],
    ['Feed and links', feedLines(state, minute, link), right, focus === 'links'],
  ];
  return (
    <Beside>
      {parts.map(([title, lines, part, focused]) => (
        <Box key={title} flexDirection="column" width={part} flexShrink={0}>
          <Row line={[...rule(title, [], part - 2, focused), span('  ')]} width={part} />
          <Rows lines={lines} width={part} height={SUMMARY_ROWS - 1} />
        </Box>
      ))}
    </Beside>
  );
}

/** The panic in the middle of the summary, while it runs or has left something undone. */
function panicLines(run: UiState['panic']): readonly Line[] | null {
  if (!isPending(run)) return null;
  const counts = panicCounts(run.items);
  const tone = counts.failed > 0 ? 'danger' : 'warn';
  return [
    [span(run.running ? ' PANIC at work' : ' PANIC', tone, { bold: true })],
    [span(` ${countWords({ ...counts, failed: 0 })}`)],
    [span(` ${counts.failed} failed`, counts.failed > 0 ? 'danger' : 'muted')],
    [span(' '), keyed('panic.open', 'P'), span(' shows it', 'muted')],
  ];
}

function EquityCurve({ width, height }: { width: number; height: number }): ReactNode {
  const equity = useDesk((state) => state.equity);
  const info: Line = [span(`last ${equity.spark.length} min`, 'muted')];
  return (
    <>
      <Row line={rule('Equity', info, width)} width={width} />
      <LineChart
        values={equity.spark}
        width={width - 1}
        height={height - 2}
        tone={equityTone(equity)}
        label={shortValue}
      />
      <Row line={[]} width={width} />
    </>
  );
}

function Watchlist({ width, height, focused }: PartProps): ReactNode {
  const watchlists = useUi((ui) => ui.watchlists);
  const rows = useDesk(useShallow((state) => watchedPrices(state, watchlists)));
  const held = useDesk((state) => state.clock.held);
  const instruments = useDesk((state) => state.instruments);
  const orders = useDesk((state) => state.orders);
  const selection = useUi((ui) => ui.watch);
  const accounts = useDesk((state) => state.accounts);
  const keyOf = keyOfMarket(accounts);
  const steps = new Map(instruments.map((entry) => [keyOf(entry), entry.tickSize]));
  const nearest = useMemo(() => nearestOrders(orders, accounts), [orders, accounts]);
  const placed = placeColumns(watchColumns(steps, nearest, hasMarkets(accounts)), width - 4);
  const at = selectedIndex(rows.map(asRow), selection);
  const room = Math.max(0, height - 2);
  const start = windowStart(at, rows.length, room);
  const info: Line = rows.length > room ? [span(`${at + 1} of ${rows.length}`, 'muted')] : [];
  const shown = rows.slice(start, start + room);
  const list = listInView(watchlists);
  return (
    <>
      <Row line={rule(list ? `Watchlist ${list.name}` : 'Watchlist', info, width, focused)} width={width} />
      <Row line={headLine(placed, { title: '', sign: '' })} width={width} />
      {shown.map((row, index) => {
        const here = focused && start + index === at;
        return <Row key={asRow(row).id} line={rowLine(placed, row, here)} width={width} selected={here} />;
      })}
      {rows.length === 0 && <Row line={noPrices(held)} width={width} />}
      <Rows lines={[]} width={width} height={Math.max(0, room - Math.max(1, shown.length))} />
    </>
  );
}

function noPrices(held: boolean): Line {
  const why: Line = [
    span(' · the feed is held: ', 'muted'),
    keyed('feed.step', '.'),
    span(' steps, ', 'muted'),
    keyed('feed.toggle', 'p'),
    span(' plays', 'muted'),
  ];
  return [span('  no prices yet', 'muted'), ...(held ? why : [])];
}

/** The open orders, newest first, where the watchlist leaves room. */
function OpenOrders({ width, height, focused }: PartProps): ReactNode {
  const state = useDesk((desk) => desk);
  const second = useUi((ui) => ui.second);
  const open = useMemo(() => openOrders(state.orders), [state.orders]);
  const at = useCursor('orders', open, focused);
  const usual = orderColumns(state, second * 1_000, state.clock);
  const placed = placeColumns(
    useModeColumn(usual, ({ exchange }) => exchange),
    width - 4,
  );
  const room = Math.max(0, height - 3);
  const start = windowStart(at, open.length, room);
  const shown = open.slice(start, start + room);
  const more: Line = open.length > room ? [span(`${shown.length} of ${open.length}`, 'muted')] : [];
  const info: Line = [...more, ...timeNote(state.clock, 'market', more.length > 0 ? ' · ' : '')];
  return (
    <>
      <Row line={[]} width={width} />
      <Row line={rule('Open orders', info, width, focused)} width={width} />
      <Row line={headLine(placed, { title: '', sign: '' })} width={width} />
      {shown.map((order, index) => {
        const here = start + index === at;
        return <Row key={order.id} line={rowLine(placed, order, here)} width={width} selected={here} />;
      })}
      <Rows lines={[]} width={width} height={Math.max(0, room - shown.length)} />
    </>
  );
}

function Unresolved(props: PartProps): ReactNode {
  const state = useDesk((desk) => desk);
  const second = useUi((ui) => ui.second);
  const at = useCursor('unresolved', partRows(state, 'unresolved'), props.focused);
  const modes = useWholeDesk(mixedModes);
  const lines = unresolvedLines(state.orders, second * 1_000, modes);
  const info: Line = [span('the desk asks the exchange', 'muted')];
  return <List {...props} title="Unresolved" info={info} lines={lines} at={at} />;
}

/** Positions that their stops do not cover completely. */
function Positions(props: PartProps): ReactNode {
  const futures = useDesk((state) => state.futures);
  const modes = useWholeDesk(mixedModes);
  const rows = unprotectedPositions({ futures });
  const at = useCursor('positions', rows, props.focused);
  return (
    <List
      {...props}
      title="Without a protective stop"
      info={[]}
      lines={rows.map((row) => unprotectedLine(row, modes))}
      at={at}
    />
  );
}

function Bots(props: PartProps): ReactNode {
  const { session } = useConsole();
  const bots = useDesk((state) => state.bots);
  const orders = useDesk((state) => state.orders);
  const clock = useDesk((state) => state.clock);
  const modes = useWholeDesk(mixedModes);
  useUi((ui) => ui.minute);
  const rows = overviewBots(bots);
  const at = useCursor('bots', rows, props.focused);
  const lines = overviewLines({ bots, orders, clock }, session.wall(), props.width, rows.length, modes);
  return <List {...props} title="Bots" info={overviewSums(bots)} lines={lines} at={at} />;
}

function Alerts(props: PartProps): ReactNode {
  const alerts = useDesk((state) => state.alerts);
  const bots = useDesk((state) => state.bots);
  const live = useDesk((state) => state.clock.live);
  const fresh = unseen(alerts);
  const at = useCursor('alerts', partRowsOf(alerts), props.focused);
  const info: Line =
    fresh > 0
      ? [span(`${fresh} new · `, 'warn'), keyed('screen.alerts', '8 shows them', 'warn')]
      : [span('none new', 'muted')];
  const title = [...info, ...timeNote({ live }, 'wall')];
  const count = Math.max(props.height - 1, at + 1);
  return (
    <List {...props} title="Alerts" info={title} lines={lastAlertLines({ alerts, bots }, count)} at={at} />
  );
}

function partRowsOf(alerts: readonly { readonly id: string }[]): readonly { readonly id: string }[] {
  return [...alerts].reverse();
}

/** The last lines of the log, the newest at the bottom as on the Log screen. */
function LogTail(props: PartProps): ReactNode {
  const log = useDesk((state) => state.log);
  const orders = useWholeDesk((state) => state.orders);
  const live = useDesk((state) => state.clock.live);
  const at = useCursor('log', logRows(log), props.focused);
  const room = Math.max(0, props.height - 1);
  const down = at < 0 ? 0 : Math.max(0, at - room + 1);
  const shown = log.slice(Math.max(0, log.length - room - down), log.length - down);
  const cursor = at < 0 ? -1 : shown.length - 1 - (at - down);
  return (
    <List
      {...props}
      title="Log"
      info={timeNote({ live }, 'wall', '')}
      lines={shown.map((line) => logLine(line, false, '', orders))}
      at={cursor}
    />
  );
}
