/**
 * The lines of a position's detail: figures, what protects it, how it trades, the brackets of its symbol.
 * Pure.
 */
import type { ClockView, DeskState } from '../../desk/console/protocol.ts';
import { str, ZERO } from '../../domain/decimal.ts';
import { spotAssetOf } from '../../domain/instrument.ts';
import type { OrderView } from '../../domain/order.ts';
import type { LeverageBracket } from '../../domain/position.ts';
import { timeNote } from '../app/header.ts';
import { statusSpan } from '../orders/order-columns.ts';
import { trailWords } from '../orders/order-words.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { closingOrders, coverOf, notionalOf, type PositionRow, sizeOf } from '../trading/positions.ts';
import {
  amount,
  dayTime,
  exact,
  span as length,
  MISSING,
  onStep,
  percent,
  read,
  rounded,
} from '../ui/format.ts';
import { cell, keyed, type Line, type Span, span } from '../ui/line.ts';
import { gainTone } from '../ui/tones.ts';
import { NAME, two } from '../ui/two-columns.ts';
import { COVER_TONE, gainSpan, liquidationSpan, sideSpan } from './position-columns.ts';

/** Index of the bracket that a notional falls into; -1 without brackets. */
export function tierOf(brackets: readonly LeverageBracket[], notional: string | null): number {
  const value = read(notional);
  if (value === null || brackets.length === 0) return -1;
  const at = brackets.findIndex(({ notionalCap }) => value <= (read(notionalCap) ?? ZERO));
  return at < 0 ? brackets.length - 1 : at;
}

/** `wall`: the desk's wall clock, Unix ms; shows since when a stop protects. */
export function positionDetailLines(
  position: PositionRow,
  state: Pick<DeskState, 'orders' | 'futures' | 'instruments'> & { readonly clock: Pick<ClockView, 'live'> },
  brackets: readonly LeverageBracket[] | undefined,
  wall: number,
  width: number,
): readonly Line[] {
  const gain = read(position.returnPercent);
  const rule = instrumentOf(state.instruments, position);
  const price = (text: string | null): Line => [span(rounded(text, rule?.tickSize))];
  const hedge = state.futures[position.exchange]?.hedgeMode === true;
  const notional = notionalOf(position);
  const lines: Line[] = [
    [
      span('  '),
      { ...sideSpan(position), bold: true },
      span(` ${exact(sizeOf(position))} `),
      span(position.symbol, 'text', { bold: true }),
      span('  '),
      gainSpan(position.unrealizedProfit),
      span(`  ${percent(gain)}`, gainTone(gain)),
    ],
    protection(position, wall, state.clock),
    two(width, ['entry', price(position.entryPrice)], ['mark', price(position.markPrice)]),
    two(
      width,
      ['break-even', [...price(position.breakEvenPrice), span(' entry fees in', 'muted')]],
      ['notional', [span(amount(notional, 2))]],
    ),
    two(width, ['liquidation', price(position.liquidationPrice)], ['distance', [liquidationSpan(position)]]),
    two(
      width,
      ['leverage', [span(`${position.leverage}x ${position.marginType}`)]],
      ['margin', [span(amount(position.margin, 2))]],
    ),
    two(
      width,
      ['account', [span(position.exchange)]],
      ['hedge mode', [span(hedge ? `on · ${position.side}` : 'off: one-way')]],
    ),
  ];
  if (rule?.multiplier !== undefined)
    lines.push([
      span(`  ${'one is'.padEnd(NAME)} `, 'muted'),
      span(`${rule.multiplier} ${spotAssetOf(rule)}`),
    ]);
  if (rule?.delisted) lines.push([span('  ! no longer traded here', 'warn')]);
  lines.push(...restingLines(closingOrders(position, state.orders), rule?.tickSize));
  lines.push(...bracketLines(brackets, notional, position.leverage));
  return lines;
}

function protection(position: PositionRow, wall: number, clock: Pick<ClockView, 'live'>): Line {
  const { cover, percent: share } = coverOf(position);
  const name = span(`  ${'stop'.padEnd(NAME)} `, 'muted');
  if (cover === 'NO')
    return [
      name,
      span('NO protective stop', 'warn', { bold: true }),
      keyed('position.stop', '  s adds one', 'muted'),
    ];
  const { heldQty, protectedSince: since } = position;
  if (cover === 'desk')
    return [
      name,
      span(`by this desk · ${share}`, COVER_TONE.desk, { bold: true }),
      span(` · ${exact(heldQty ?? '0')} of ${exact(sizeOf(position))}`),
      span('  does nothing while it is stopped', 'warn'),
    ];
  return [
    name,
    span(`at the exchange · ${share}`, COVER_TONE[cover]),
    span(` · ${exact(position.protectedQty)} of ${exact(sizeOf(position))}`),
    ...(heldQty === undefined ? [] : [span(` · by this desk ${exact(heldQty)}`, COVER_TONE.desk)]),
    ...(since === null
      ? []
      : [
          span(`  since ${dayTime(since)}`, 'muted'),
          ...timeNote(clock, 'wall', ' '),
          span(age(wall - since), 'muted'),
        ]),
  ];
}

function age(ms: number): string {
  return ms >= 0 ? `, ${length(ms)}` : '';
}

function restingLines(orders: readonly OrderView[], tick: string | undefined): Line[] {
  const lines: Line[] = [[], [span('  Resting orders that close it', 'title')]];
  if (orders.length === 0) return [...lines, [span('  none', 'muted')]];
  for (const order of orders) {
    const size = order.closePosition ? 'all of it' : exact(order.origQty);
    lines.push([
      span(`  ${order.type.padEnd(18)} `),
      span(`${size} `),
      ...(order.stopPrice === null
        ? []
        : [span(`stop ${onStep(order.stopPrice, tick)} `, 'text', { bold: true })]),
      ...trailSpans(order, tick),
      ...(order.price === undefined ? [] : [span(`at ${onStep(order.price, tick)} `)]),
      statusSpan(order),
      span(`  ${order.id}`, 'muted'),
    ]);
  }
  return lines;
}

/**
 * The trailing stop's current trigger price and the best price it follows; where those are not known, its
 * distance.
 */
function trailSpans(order: OrderView, tick: string | undefined): Span[] {
  const { trailing, trail } = order;
  if (!trailing) return [];
  if (!trail) return [span(`trails ${trailWords(order, tick)} `, 'muted')];
  return [
    span(`fires at ${rounded(trail.level, tick)} `, 'text', { bold: true }),
    span(`best ${rounded(trail.best, tick)} `, 'muted'),
  ];
}

function bracketLines(
  brackets: readonly LeverageBracket[] | undefined,
  notional: string | null,
  leverage: number,
): Line[] {
  const lines: Line[] = [[], [span('  Leverage brackets', 'title')]];
  if (!brackets) return [...lines, [span('  loading', 'muted')]];
  if (brackets.length === 0) return [...lines, [span('  the exchange names none', 'muted')]];
  lines.push(bracketLine(['at most', 'notional over', 'up to', 'maintenance'], 'muted', '  '));
  const at = tierOf(brackets, notional);
  brackets.forEach((tier, index) => {
    const here = index === at;
    const rate = read(tier.maintenanceMarginRate);
    const parts = [
      `${tier.initialLeverage}x`,
      exact(tier.notionalFloor),
      exact(tier.notionalCap),
      rate === null ? MISSING : `${amount(str(rate * 100n), 2)} %`,
    ];
    const note: Span[] = here
      ? [
          span('  now', 'focus'),
          ...(leverage > tier.initialLeverage ? [span(' · over its leverage', 'warn')] : []),
        ]
      : [];
    lines.push([...bracketLine(parts, here ? 'focus' : 'text', here ? '▸ ' : '  '), ...note]);
  });
  return lines;
}

function bracketLine(parts: readonly string[], tone: 'muted' | 'focus' | 'text', mark: string): Line {
  const [leverage = '', floor = '', cap = '', rate = ''] = parts;
  return [
    span(mark, 'focus'),
    cell(leverage, 7, 'right', tone),
    cell(floor, 16, 'right', tone),
    cell(cap, 16, 'right', tone),
    cell(rate, 13, 'right', tone),
  ];
}
