/** The lines of the order detail: fields, the state of an unresolved one, fills, events. Pure. */
import type { DeskState, OrderDetail } from '../../desk/console/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import { timeNote } from '../app/header.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { isOpen, mainPrice, settles } from '../trading/orders.ts';
import { priceOf } from '../trading/prices.ts';
import {
  dateTime,
  dayTime,
  exact,
  filledPercent,
  groupedWords,
  moment,
  onStep,
  percent,
  percentChange,
  rounded,
  timeOfDay,
} from '../ui/format.ts';
import { type Line, lineWidth, span } from '../ui/line.ts';
import { bracketAt, exitsWords } from './exits/bracket.ts';
import { HELD, statusSpan } from './order-columns.ts';
import { trailWords } from './order-words.ts';

const NAME = 11;

function two(width: number, left: [string, Line], right: [string, Line]): Line {
  const half = Math.floor(width / 2);
  const gap = Math.max(2, half - NAME - 3 - lineWidth(left[1]));
  return [
    span(`  ${left[0].padEnd(NAME)} `, 'muted'),
    ...left[1],
    span(' '.repeat(gap)),
    span(`${right[0].padEnd(NAME)} `, 'muted'),
    ...right[1],
  ];
}

export function detailLines(
  order: OrderView,
  detail: OrderDetail | null,
  state: DeskState,
  wall: number,
  width: number,
): readonly Line[] {
  const last = priceOf(state, order.exchange, order.symbol)?.last ?? null;
  const { tickSize, delisted } = instrumentOf(state.instruments, order) ?? {};
  const price = (text: string | null | undefined): Line => [span(onStep(text, tickSize))];
  const lines: Line[] = [
    [
      span('  '),
      span(order.side, order.side === 'BUY' ? 'buy' : 'sell', { bold: true }),
      span(` ${exact(order.origQty)} `),
      span(order.symbol, 'text', { bold: true }),
      span(` ${order.type}  `),
      statusSpan(order),
    ],
    two(width, ['account', [span(order.exchange)]], ['in force', [span(inForce(order))]]),
    two(width, ['price', price(order.price)], ['stop', price(order.stopPrice)]),
    ...trailLines(order, tickSize, width),
    two(
      width,
      ['filled', [span(`${exact(order.executedQty)}  ${filledPercent(order.executedQty, order.origQty)}`)]],
      ['at', price(order.fillPrice)],
    ),
    two(
      width,
      ['last', price(last)],
      ['distance', [span(isOpen(order) ? percent(percentChange(last, mainPrice(order))) : '–')]],
    ),
    two(width, ['asked by', [span(askedBy(order, detail))]], ['market', [span(dateTime(order.orderTime))]]),
  ];
  const flags = [
    order.reduceOnly && 'reduce only',
    order.closePosition && 'close position',
    order.trailing && `trailing ${order.trailing.delta} bp`,
    order.positionSide !== 'BOTH' && order.positionSide,
    order.splitFrom && `split from ${order.splitFrom}`,
    isOpen(order) && (order.held || order.specific.emulated === true) && (order.held ? HELD : 'emulated'),
    order.waiting && 'not sent yet',
    delisted && 'no longer traded',
    order.splitting ? 'being split' : order.cancelPending && 'cancel pending',
  ].filter((flag) => typeof flag === 'string' && flag !== '');
  const bracket = isOpen(order) ? bracketAt(state, order) : null;
  if (bracket) lines.push([span('  exits      ', 'muted'), span(exitsWords(bracket, tickSize))]);
  if (flags.length > 0) lines.push([span('  flags      ', 'muted'), span(flags.join(' · '))]);
  const stale = order.held && isOpen(order) ? priceOf(state, order.exchange, order.symbol)?.stale : undefined;
  if (stale !== undefined)
    lines.push([span(`  ! held here, and no prices arrive: ${stale}; it cannot fire`, 'danger')]);
  if (order.text) lines.push([span('  note       ', 'muted'), span(order.text)]);
  if (order.unresolved && isOpen(order)) lines.push(...unresolvedPart(order, wall));
  lines.push([], [span('  Why', 'title'), ...timeNote(state.clock, 'wall', '  ')]);
  if (!detail) lines.push([span('  loading', 'muted')]);
  for (const event of detail?.events ?? []) {
    lines.push([
      span(`  ${timeOfDay(event.at)}  `, 'muted'),
      span(event.kind.padEnd(13)),
      span(
        ` ${groupedWords(event.text)}`,
        event.kind === 'rejected' || event.kind === 'unknown' ? 'warn' : 'text',
      ),
    ]);
  }
  if (detail && detail.fills.length > 0) {
    lines.push(
      [],
      [
        span('  Fills', 'title'),
        span(` ${detail.fills.length}`, 'muted'),
        ...timeNote(state.clock, 'market', '  '),
      ],
    );
    for (const fill of detail.fills) {
      lines.push([
        span(`  ${dayTime(fill.time)}  `, 'muted'),
        span(`${exact(fill.qty)} at ${onStep(fill.price, tickSize)}`),
        span(`  fee ${exact(fill.comm)} ${fill.commAsset}  ${fill.maker ? 'maker' : 'taker'}`, 'muted'),
      ]);
    }
  }
  return lines;
}

/** How far an open trailing stop has followed, and where it fires now. */
function trailLines(order: OrderView, tick: string | undefined, width: number): readonly Line[] {
  const { trailing, trail } = order;
  if (!trailing || !isOpen(order)) return [];
  if (trail) {
    const best: Line = [span(rounded(trail.best, tick))];
    const level: Line = [span(rounded(trail.level, tick), 'text', { bold: true })];
    return [two(width, ['best so far', best], ['fires at', level])];
  }
  return [[span(`  ${'trails'.padEnd(NAME)} `, 'muted'), span(trailWords(order, tick), 'muted')]];
}

/** Who requested the order, from its history; until that is loaded, the kind of actor. */
export function askedBy(order: OrderView, detail: OrderDetail | null): string {
  const created = detail?.events.find((event) => event.kind === 'created')?.text ?? '';
  const named = /asked by (operator|(?:key|bot) \S+)/.exec(created)?.[1];
  if (named !== undefined) return named;
  if (order.creator === 'BOT') return `bot ${order.creatorId}`;
  return order.creator === 'UI' ? 'operator' : 'a key';
}

function inForce(order: OrderView): string {
  return order.goodTillDate === undefined
    ? order.timeInForce
    : `${order.timeInForce} ${moment(order.goodTillDate)}`;
}

function unresolvedPart(order: OrderView, wall: number): readonly Line[] {
  const { unresolved } = order;
  if (!unresolved) return [];
  return [
    [],
    [
      span(order.contradiction ? '  ! open at its exchange: ' : '  ! the outcome got lost: ', 'danger', {
        bold: true,
      }),
      span(unresolved.cause, 'warn'),
    ],
    [
      span(`  ${settles(order, wall)}`, 'warn'),
      span(` · asked ${unresolved.asked} times · it is never sent a second time`, 'muted'),
    ],
  ];
}
