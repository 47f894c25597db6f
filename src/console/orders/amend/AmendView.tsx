/** The form that changes an order: its values, what each amounts to, and the desk's check of the change. */
import type { ReactNode } from 'react';
import { useDesk } from '../../app/context.ts';
import { DialogFrame, type DialogRow } from '../../dialogs/DialogFrame.tsx';
import { REVIEW } from '../../forms/form.ts';
import { exact, money } from '../../ui/format.ts';
import { keyed, type Line, span, wrapWords } from '../../ui/line.ts';
import type { Room } from '../../ui/room.ts';
import { type AmendDialog, amendFields, amendmentOf, labelOf, sizeWords } from './amend-form.ts';

const NAME = 11;

export function AmendView({ dialog, room }: { dialog: AmendDialog; room: Room }): ReactNode {
  const state = useDesk((desk) => desk);
  const { order, values, focus, whole, check, refusal } = dialog;
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const { change, problem } = amendmentOf(state, dialog);
  const rows: DialogRow[] = [
    [
      span(order.side, order.side === 'BUY' ? 'buy' : 'sell', { bold: true }),
      span(` ${sizeWords(order)} ${order.symbol} ${order.type}`),
      span(`  ${order.exchange}`, 'muted'),
    ],
    ...(order.closePosition
      ? []
      : [[span(`filled ${exact(order.executedQty)} of ${exact(order.origQty)}`, 'muted')]]),
    [],
  ];
  for (const field of amendFields(order)) {
    const here = focus === field;
    const meant = change[field];
    const isPlain = meant === undefined || String(meant) === values[field] || field === 'goodTillDate';
    const note: Line = isPlain
      ? here && (field === 'price' || field === 'stopPrice')
        ? [span('+ - a tick; last, -1%, +5t', 'muted')]
        : []
      : [span(`= ${exact(String(meant))}`, 'ok')];
    rows.push({
      before: [span(`${here ? '▸' : ' '} ${labelOf(field).padEnd(NAME)} `, here ? 'focus' : 'muted')],
      field: {
        id: `amend.${field}`,
        value: values[field],
        width: 20,
        focus: here,
        whole: here && whole && values[field] !== '',
      },
      after: [span('  '), ...note],
    });
  }
  rows.push([]);
  if (check && problem === null && check.problems.length === 0)
    rows.push([
      ...(order.closePosition
        ? []
        : [
            span('left ', 'muted'),
            span(exact(check.remaining)),
            span('  notional ', 'muted'),
            span(money(check.notional)),
            span('  '),
          ]),
      ...(check.anew ? [span('cancelled and placed anew', 'warn')] : []),
    ]);
  const wrong = problem ?? check?.problems[0]?.message ?? null;
  if (wrong !== null) for (const text of wrapWords(wrong, inner).slice(0, 2)) rows.push([span(text, 'warn')]);
  if (refusal !== null)
    for (const text of wrapWords(refusal, inner).slice(0, 3)) rows.push([span(text, 'danger')]);
  const onReview = focus === REVIEW;
  rows.push(
    [],
    [
      span(onReview ? '▸ ' : '  ', 'focus'),
      span(' Review ', onReview ? 'focus' : 'muted', { inverse: onReview }),
      keyed('form.review', onReview ? '  enter shows the confirmation' : '  ctrl-r reviews', 'muted'),
    ],
  );
  return <DialogFrame title="Change order" rows={rows} width={width} room={room} tone="focus" keep={2} />;
}
