/** The lines of the Overview's summary and of the unresolved orders. Pure. */

import type { AccountView, ClockView, DeskState } from '../../desk/console/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import { SHUT_SHORT } from '../accounts/identity-lines.ts';
import { shownTime, shownZone } from '../app/header.ts';
import { type Modes, modeBefore } from '../dialogs/mode.ts';
import { orderFacts, settles } from '../trading/orders.ts';
import { openPositions, positionTotals } from '../trading/positions.ts';
import {
  amount,
  counted,
  exact,
  group,
  span as length,
  MISSING,
  percent,
  percentChange,
  read,
  signed,
} from '../ui/format.ts';
import { sparkline } from '../ui/glyphs.ts';
import { cell, type Line, span } from '../ui/line.ts';
import { SYMBOL, unresolvedOrders } from './overview-parts.ts';

/** Tone of today's PnL. */
export function equityTone({ usd, dayStartUsd }: DeskState['equity']): 'up' | 'down' | 'muted' {
  const now = read(usd);
  const start = read(dayStartUsd);
  return toneOf(now === null || start === null ? null : now - start);
}

function toneOf(value: bigint | null): 'up' | 'down' | 'muted' {
  return value === null || value === 0n ? 'muted' : value > 0n ? 'up' : 'down';
}

const NAME = 7;

function pair(name: string, ...value: Line): Line {
  return [span(` ${name.padEnd(NAME)} `, 'muted'), ...value];
}

export function moneyLines(state: DeskState, width: number): readonly Line[] {
  const { usd, btc, partial, spark, dayStartUsd } = state.equity;
  const now = read(usd);
  const start = read(dayStartUsd);
  const pnl = now === null || start === null ? null : now - start;
  const change = percentChange(dayStartUsd, usd);
  return [
    pair('equity', span(amount(usd, 2), 'text', { bold: true }), span(partial ? ' partial' : '', 'warn')),
    pair('BTC', span(btc === null ? MISSING : exact(btc))),
    pair(
      'today',
      span(pnl === null ? MISSING : signed(pnl, 2), toneOf(pnl)),
      span(`  ${percent(change)}`, toneOf(change)),
    ),
    [span(' '), span(sparkline(spark, Math.min(60, width)), toneOf(pnl))],
  ];
}

export function orderLines(state: DeskState): readonly Line[] {
  const { count, open, unresolved: unknown } = orderFacts(state.orders);
  const unresolved = unknown.length;
  const filling = open.filter((order) => /[1-9]/.test(order.executedQty)).length;
  return [
    pair('open', span(String(open.length)), span(`  ${count - open.length} ended`, 'muted')),
    pair('partly', span(String(filling)), span(' filled', 'muted')),
    pair('unknown', span(String(unresolved), unresolved > 0 ? 'danger' : 'text')),
    unprotectedLine(state),
  ];
}

/**
 * Stops that cannot reach their exchange, before all else; else the number of positions without a protective
 * stop.
 */
function unprotectedLine(state: DeskState): Line {
  const unsent = orderFacts(state.orders).withoutStop.length;
  if (unsent > 0) return pair('no stop', span(`${unsent} not reached`, 'danger', { bold: true }));
  const { count, open } = positionTotals(openPositions(state));
  if (count === 0) return pair('no stop', span(MISSING, 'muted'), span('  none open', 'muted'));
  return pair(
    'no stop',
    span(open > 0 ? `${open} of ${group(String(count))}` : 'none', open > 0 ? 'warn' : 'ok', {
      bold: open > 0,
    }),
    span(open > 0 ? ' positions' : ` of ${counted(count, 'position')}`, 'muted'),
  );
}

/** Rows for accounts below those of the feed. */
const LINKS = 2;

/**
 * The lines of the feed and the accounts. `minute`: wall clock. `at`: the account under the cursor, -1
 * without. Accounts that are down come first.
 */
export function feedLines(state: DeskState, minute: number, at = -1): readonly Line[] {
  const { clock } = state;
  const pace = clock.speed === 'max' ? 'max' : `x${clock.speed}`;
  const status = clock.ended
    ? span('ended', 'warn')
    : clock.held
      ? span('held', 'warn')
      : span('plays', 'ok');
  const zone = shownZone(clock, minute);
  const time = shownTime(clock, minute);
  const lines: Line[] = [
    pair('feed', status, span(` ${pace} `), span(clock.feed, 'muted')),
    pair(
      'market',
      // A date leaves room beside its year only for `UTC`; the header shows the year.
      span(clock.live || zone === 'UTC' ? time : time.slice('2026-'.length)),
      span(` ${zone}`, 'muted'),
      ...jumpOf(clock, minute),
    ),
  ];
  const chosen = state.accounts[at];
  const start = Math.max(0, Math.min(at, state.accounts.length - LINKS));
  const shown = chosen ? state.accounts.slice(start) : byTrouble(state.accounts);
  for (const account of shown.slice(0, LINKS)) {
    const { id, link, latencyMs, shut } = account;
    const up = link === 'up' && !shut;
    lines.push([
      account === chosen ? span('▸', 'focus') : span(' '),
      span(up ? '●' : '○', up ? 'ok' : 'danger'),
      span(` ${id}  `),
      span(shut ? SHUT_SHORT[shut.kind] : up ? latencyText(latencyMs) : 'link down', up ? 'muted' : 'danger'),
    ]);
  }
  return lines;
}

function latencyText(ms: number | null): string {
  return ms === null ? MISSING : `${Math.round(ms)} ms`;
}

/** A jump of the clock, shown for an hour: times around it are unreliable. */
function jumpOf({ jump }: ClockView, minute: number): Line {
  if (!jump || minute * 60_000 - jump.at > 3_600_000) return [];
  return [span(`  ${jump.byMs > 0 ? '+' : '-'}${length(Math.abs(jump.byMs))}`, 'warn')];
}

function byTrouble(accounts: DeskState['accounts']): DeskState['accounts'] {
  const isWell = ({ link, shut }: AccountView) => Number(link === 'up' && !shut);
  return [...accounts].sort((a, b) => isWell(a) - isWell(b));
}

/** `wall`: the desk's wall clock, Unix ms. */
export function unresolvedLines(
  orders: Readonly<Record<string, OrderView>>,
  wall: number,
  modes: Modes = null,
): readonly Line[] {
  return unresolvedOrders(orders).map((order) => [
    span('  ! ', 'danger', { bold: true }),
    ...modeBefore(modes, order.exchange),
    cell(order.symbol, SYMBOL, 'left'),
    span(` ${order.side.padEnd(4)} `, order.side === 'BUY' ? 'buy' : 'sell'),
    span(`${exact(order.origQty)}  `),
    span(settles(order, wall), 'warn'),
    span(`  asked ${order.unresolved?.asked ?? 0} times  `, 'muted'),
    span(order.unresolved?.cause ?? '', 'muted'),
  ]);
}
