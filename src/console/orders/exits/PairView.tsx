/** The form of a take-profit and a stop: both prices, what they amount to, and the current market price. */
import type { ReactNode } from 'react';
import { useDesk } from '../../app/context.ts';
import { DialogFrame, type DialogRow } from '../../dialogs/DialogFrame.tsx';
import { resolvePrice } from '../../entry/prices.ts';
import { REVIEW } from '../../forms/form.ts';
import { instrumentOf } from '../../trading/instruments.ts';
import { priceOf } from '../../trading/prices.ts';
import { exact, onStep } from '../../ui/format.ts';
import { keyed, type Line, span, wrapWords } from '../../ui/line.ts';
import type { Room } from '../../ui/room.ts';
import { priceFactsOf } from '../ticket/typed.ts';
import type { PairDialog } from './pair.ts';

const NAME = 12;

export function PairView({ dialog, room }: { dialog: PairDialog; room: Room }): ReactNode {
  const state = useDesk((desk) => desk);
  const { exchange, symbol, side, quantity, entry, focus, refusal } = dialog;
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const facts = priceFactsOf(state, dialog);
  const tick = instrumentOf(state.instruments, dialog)?.tickSize;
  const long = side === 'SELL';
  const rows: DialogRow[] = [
    [
      span(long ? 'LONG' : 'SHORT', long ? 'buy' : 'sell', { bold: true }),
      span(` ${exact(quantity)} ${symbol}`),
      span(`  ${exchange}`, 'muted'),
    ],
    [
      span('last ', 'muted'),
      span(onStep(priceOf(state, exchange, symbol)?.last, tick)),
      ...(entry === null ? [] : [span('  entry ', 'muted'), span(onStep(entry, tick))]),
    ],
    [],
  ];
  for (const [field, name] of [
    ['takeProfit', 'take-profit'],
    ['stopLoss', 'stop'],
  ] as const) {
    const here = focus === field;
    const meant = facts ? resolvePrice(dialog[field], facts) : null;
    const note: Line =
      meant?.problem != null
        ? [span(meant.problem, 'warn')]
        : meant && meant.words !== ''
          ? [span(`= ${onStep(meant.price, tick)}`, 'ok')]
          : here
            ? [span('number, +2%, -1%, -5t', 'muted')]
            : [];
    rows.push({
      before: [span(`${here ? '▸' : ' '} ${name.padEnd(NAME)} `, here ? 'focus' : 'muted')],
      field: { id: `pair.${field}`, value: dialog[field], width: 20, focus: here },
      after: [span('  '), ...note],
    });
  }
  rows.push([], [span('one cancels the other; both are watched by this desk', 'muted')]);
  if (refusal !== null)
    for (const text of wrapWords(refusal, inner).slice(0, 2)) rows.push([span(text, 'danger')]);
  const onReview = focus === REVIEW;
  rows.push(
    [],
    [
      span(onReview ? '▸ ' : '  ', 'focus'),
      span(' Review ', onReview ? 'focus' : 'muted', { inverse: onReview }),
      keyed('form.review', onReview ? '  enter shows the confirmation' : '  ctrl-r reviews', 'muted'),
    ],
  );
  return (
    <DialogFrame title="Take-profit and stop" rows={rows} width={width} room={room} tone="focus" keep={2} />
  );
}
