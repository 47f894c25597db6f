/** The first look: money, orders, links and the feed on top, the watchlist, bots and alerts, and what has happened last. */
import { Box } from 'ink';
import { type ReactNode, useMemo } from 'react';
import { useShallow } from 'zustand/shallow';
import type { DeskState, PriceView } from '../../desk/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import { useConsole, useDesk, useUi } from '../components/context.ts';
import { type Line, rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { headLine, placeColumns, rowLine } from '../components/table.ts';
import { lastAlertLines, unseen } from '../model/alert-list.ts';
import { overviewBots, overviewLines, overviewSums } from '../model/bot-overview.ts';
import { shownPrices } from '../model/lists.ts';
import { orderColumns } from '../model/order-columns.ts';
import { isOpen, orderRows, selectedIndex, windowStart } from '../model/order-list.ts';
import { feedLines, moneyLines, orderLines, unresolvedLines } from '../model/overview.ts';
import { nearestOrders, watchColumns } from '../model/watchlist.ts';
import { logLine } from './LogScreen.tsx';

/** From here on there is room for the log beside the watchlist. */
const WIDE = 150;
const SUMMARY = 5;

export function OverviewScreen({ width, height }: { width: number; height: number }): ReactNode {
  const waiting = useDesk((state) => Object.values(state.orders).filter(isWaiting).length);
  const wide = width >= WIDE;
  const side = wide ? Math.floor(width * 0.4) : width;
  const pending = waiting === 0 ? 0 : 1 + Math.min(waiting, wide ? 10 : 3);
  const botRows = useDesk((state) => botPart(state.bots, wide));
  const alertRows = useDesk((state) => alertPart(state.alerts, wide));
  const below = height - SUMMARY;
  const special = pending + botRows + alertRows;
  const least = wide || special < 4 ? 4 : 3;
  const logRows = wide ? below - special : Math.min(10, Math.max(least, Math.floor(height / 5)));
  const left = wide ? below : below - special - logRows;
  const symbols = useDesk((state) => Object.keys(state.prices).length);
  // Without prices one row says so.
  const spare = left - Math.max(1, symbols) - 2;
  const openRows = spare >= 6 ? spare : 0;
  const watchRows = left - openRows;
  const watchWidth = wide ? width - side - 2 : width;
  return (
    <>
      <Summary width={width} />
      <Box flexDirection={wide ? 'row' : 'column'}>
        <Box flexDirection="column" width={watchWidth} flexShrink={0}>
          <Watchlist width={watchWidth} height={watchRows} />
          {openRows > 0 && <OpenOrders width={watchWidth} height={openRows} />}
        </Box>
        <Box flexDirection="column" marginLeft={wide ? 2 : 0} width={side} flexShrink={0}>
          {waiting > 0 && <Unresolved width={side} height={pending} />}
          {botRows > 0 && <Bots width={side} height={botRows} />}
          {alertRows > 0 && <Alerts width={side} height={alertRows} />}
          <LogTail width={side} height={logRows} />
        </Box>
      </Box>
    </>
  );
}

function isWaiting(order: OrderView): boolean {
  return order.unresolved !== undefined && isOpen(order);
}

/** Rows for the bots: none without any, else their sums and a line for each that runs. */
function botPart(bots: DeskState['bots'], wide: boolean): number {
  if (Object.keys(bots).length === 0) return 0;
  return 1 + Math.min(overviewBots(bots).length, wide ? 12 : 3);
}

/** Rows for the last alerts: on a small screen only while one is not seen. */
function alertPart(alerts: DeskState['alerts'], wide: boolean): number {
  if (alerts.length === 0) return 0;
  if (wide) return 1 + Math.min(alerts.length, 5);
  return unseen(alerts) === 0 ? 0 : 2;
}

function Summary({ width }: { width: number }): ReactNode {
  const state = useDesk((desk) => desk);
  const minute = useUi((ui) => ui.minute);
  const left = Math.floor(width * 0.36);
  const middle = Math.floor(width * 0.28);
  const right = width - left - middle;
  const parts: [string, readonly Line[], number][] = [
    ['Equity and PnL', moneyLines(state, left - 4), left],
    ['Orders', orderLines(state), middle],
    ['Feed and links', feedLines(state, minute), right],
  ];
  return (
    <Box>
      {parts.map(([title, lines, part]) => (
        <Box key={title} flexDirection="column" width={part} flexShrink={0}>
          <Row line={[...rule(title, [], part - 2), span('  ')]} width={part} />
          <Rows lines={lines} width={part} height={SUMMARY - 1} />
        </Box>
      ))}
    </Box>
  );
}

function Watchlist({ width, height }: { width: number; height: number }): ReactNode {
  const rows = useDesk(useShallow(shownPrices));
  const held = useDesk((state) => state.clock.held);
  const instruments = useDesk((state) => state.instruments);
  const orders = useDesk((state) => state.orders);
  const selection = useUi((ui) => ui.watch);
  const steps = new Map(instruments.map((entry) => [entry.symbol, entry.tickSize]));
  const nearest = useMemo(() => nearestOrders(orders), [orders]);
  const placed = placeColumns(watchColumns(steps, nearest), width - 4);
  const at = selectedIndex(rows.map(asRow), selection);
  const room = Math.max(0, height - 2);
  const start = windowStart(at, rows.length, room);
  const info: Line = rows.length > room ? [span(`${at + 1} of ${rows.length}`, 'muted')] : [];
  const shown = rows.slice(start, start + room);
  return (
    <>
      <Row line={rule('Watchlist', info, width)} width={width} />
      <Row line={headLine(placed, { title: '', sign: '' })} width={width} />
      {shown.map((row, index) => (
        <Row
          key={row.symbol}
          line={rowLine(placed, row, start + index === at)}
          width={width}
          selected={start + index === at}
        />
      ))}
      {rows.length === 0 && <Row line={noPrices(held)} width={width} />}
      <Rows lines={[]} width={width} height={Math.max(0, room - Math.max(1, shown.length))} />
    </>
  );
}

function asRow({ symbol }: PriceView) {
  return { id: symbol };
}

function noPrices(held: boolean): Line {
  const why: Line = [
    span(' · the feed is held: ', 'muted'),
    span('.', 'key'),
    span(' steps, ', 'muted'),
    span('p', 'key'),
    span(' plays', 'muted'),
  ];
  return [span('  no prices yet', 'muted'), ...(held ? why : [])];
}

/** Where the watchlist leaves room: the open orders, newest first. */
function OpenOrders({ width, height }: { width: number; height: number }): ReactNode {
  const state = useDesk((desk) => desk);
  const second = useUi((ui) => ui.second);
  const open = useMemo(() => shownOpen(state.orders), [state.orders]);
  const placed = placeColumns(orderColumns(state.instruments, state.prices, second * 1_000), width - 4);
  const room = height - 3;
  const info: Line = open.length > room ? [span(`${room} of ${open.length}`, 'muted')] : [];
  return (
    <>
      <Row line={[]} width={width} />
      <Row line={rule('Open orders', info, width)} width={width} />
      <Row line={headLine(placed, { title: '', sign: '' })} width={width} />
      <Rows
        lines={open.slice(0, room).map((order) => rowLine(placed, order, false))}
        width={width}
        height={room}
      />
    </>
  );
}

function shownOpen(orders: Readonly<Record<string, OrderView>>): readonly OrderView[] {
  return orderRows(orders, { filter: '', sort: 'time', reverse: false, closed: null }).filter(isOpen);
}

function Unresolved({ width, height }: { width: number; height: number }): ReactNode {
  const orders = useDesk((state) => state.orders);
  const second = useUi((ui) => ui.second);
  const lines = unresolvedLines(orders, second * 1_000);
  const info: Line = [span('the desk asks the exchange', 'muted')];
  return (
    <>
      <Row line={rule('Unresolved', info, width)} width={width} />
      <Rows lines={lines} width={width} height={height - 1} />
    </>
  );
}

function Bots({ width, height }: { width: number; height: number }): ReactNode {
  const { session } = useConsole();
  const bots = useDesk((state) => state.bots);
  const orders = useDesk((state) => state.orders);
  const clock = useDesk((state) => state.clock);
  useUi((ui) => ui.minute);
  const lines = overviewLines({ bots, orders, clock }, session.wall(), width, height - 1);
  return (
    <>
      <Row line={rule('Bots', overviewSums(bots), width)} width={width} />
      <Rows lines={lines} width={width} height={height - 1} />
    </>
  );
}

function Alerts({ width, height }: { width: number; height: number }): ReactNode {
  const alerts = useDesk((state) => state.alerts);
  const bots = useDesk((state) => state.bots);
  const fresh = unseen(alerts);
  const info: Line = [
    span(fresh > 0 ? `${fresh} new · 8 shows them` : 'none new', fresh > 0 ? 'warn' : 'muted'),
  ];
  return (
    <>
      <Row line={rule('Alerts', info, width)} width={width} />
      <Rows lines={lastAlertLines({ alerts, bots }, height - 1)} width={width} height={height - 1} />
    </>
  );
}

function LogTail({ width, height }: { width: number; height: number }): ReactNode {
  const log = useDesk((state) => state.log);
  const room = Math.max(0, height - 1);
  return (
    <>
      <Row line={rule('Log', [], width)} width={width} />
      <Rows lines={log.slice(-room).map((line) => logLine(line))} width={width} height={room} />
    </>
  );
}
