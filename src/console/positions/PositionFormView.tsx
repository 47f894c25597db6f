/**
 * The forms of the Positions screen: the price of a close or a stop with its live check, and the settings.
 */
import type { ReactNode } from 'react';
import { useConsole, useDesk } from '../app/context.ts';
import type { Session } from '../app/session.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import {
  coverOf,
  isLong,
  notionalOf,
  openPositions,
  type PositionRow,
  sizeOf,
} from '../trading/positions.ts';
import { exact, MISSING, money, percent, read, rounded, signed } from '../ui/format.ts';
import { cell, keyed, type Line, span, wrapWords } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { orderOf, priceTyped } from './asked-order.ts';
import { formProblem, settingNow } from './commands.ts';
import { tierOf } from './position-detail.ts';
import { asksOrder, type PositionAsk, type PositionForm } from './position-form.ts';
import { maxLeverage, positionChoices, positionFields } from './position-orders.ts';

const NAME = 11;
const TIERS_SHOWN = 6;

const WORDS: Record<PositionAsk, { title: string; label: string; hint: string }> = {
  limit: {
    title: 'Close by limit',
    label: 'price',
    hint: 'a LIMIT of the whole amount that only reduces',
  },
  stop: {
    title: 'Protective stop',
    label: 'stop price',
    hint: 'a STOP_MARKET that closes the whole position, by the mark price',
  },
  part: {
    title: 'Close a part at market',
    label: 'part',
    hint: 'at the current price; what is left of it stays open',
  },
  trail: {
    title: 'Trailing stop',
    label: 'trails by %',
    hint: 'closes the whole amount once the price has turned by so much from its best',
  },
  leverage: { title: 'Leverage', label: 'leverage', hint: 'of the symbol, long and short' },
  marginType: {
    title: 'Margin type',
    label: 'margin type',
    hint: 'only while the symbol has no position and no orders',
  },
  hedgeMode: {
    title: 'Hedge mode',
    label: 'hedge mode',
    hint: 'of the whole account; only while it has no positions and no orders',
  },
  marginMode: { title: 'Margin mode', label: 'margin mode', hint: 'of the whole account' },
};

export function PositionFormView({ dialog, room }: { dialog: PositionForm; room: Room }): ReactNode {
  const { session } = useConsole();
  const futures = useDesk((state) => state.futures);
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const { what, focus, symbol } = dialog;
  const position = openPositions({ futures }).find(
    (row) => row.symbol === symbol && row.exchange === dialog.exchange && isOne(row, dialog),
  );
  const words = WORDS[what];
  const rows: DialogRow[] = [[span('account '.padEnd(NAME + 3), 'muted'), span(dialog.exchange)]];
  const ofSymbol = what !== 'hedgeMode' && what !== 'marginMode';
  const tick = useDesk(
    ({ instruments }) =>
      instruments.find((each) => each.symbol === symbol && each.exchange === dialog.exchange)?.tickSize,
  );
  if (ofSymbol && position) rows.push(...positionLines(position, tick));
  else if (ofSymbol) rows.push([span('no position of this symbol', 'muted')]);
  rows.push([]);
  const label = (id: PositionForm['focus'], name: string): Line => [
    span(`${focus === id ? '▸' : ' '} ${name.padEnd(NAME)} `, focus === id ? 'focus' : 'muted'),
  ];
  if (positionFields(what).includes('symbol')) {
    rows.push({
      before: label('symbol', 'symbol'),
      field: { id: 'position.symbol', value: symbol, width: 20, focus: focus === 'symbol' },
      after: [],
    });
  }
  const choices = positionChoices(what);
  const now = settingNow(session, dialog);
  const aside: Line = now === '' ? meaning(session, dialog, position) : [span(`  now ${now}`, 'muted')];
  if (choices.length > 0) {
    const chosen: Line =
      focus === 'value'
        ? [span('◂ ', 'key'), span(dialog.value, 'text', { bold: true }), span(' ▸', 'key')]
        : [span(dialog.value)];
    rows.push([...label('value', words.label), ...chosen, ...aside]);
  } else {
    rows.push({
      before: label('value', words.label),
      field: { id: 'position.value', value: dialog.value, width: 20, focus: focus === 'value' },
      after: aside,
    });
  }
  rows.push([span(`  ${words.hint}`, 'muted')], []);
  if (asksOrder(what)) rows.push(...checkLines(dialog, inner));
  if (what === 'leverage') rows.push(...bracketRows(dialog, position));
  const problem = dialog.value.trim() === '' ? null : formProblem(session, dialog);
  if (problem !== null)
    for (const text of wrapWords(problem, inner).slice(0, 2)) rows.push([span(text, 'warn')]);
  if (dialog.refusal !== null)
    for (const text of wrapWords(dialog.refusal, inner).slice(0, 2)) rows.push([span(text, 'danger')]);
  rows.push(
    [],
    [
      span(focus === 'review' ? '▸ ' : '  ', 'focus'),
      span(' Review ', focus === 'review' ? 'focus' : 'muted', { inverse: focus === 'review' }),
      keyed(
        'form.review',
        focus === 'review' ? '  enter shows the confirmation; nothing is sent yet' : '  ctrl-r reviews',
        'muted',
      ),
    ],
  );
  return <DialogFrame title={words.title} rows={rows} width={width} room={room} tone="focus" keep={2} />;
}

/** What the typed value amounts to, where the value does not say so itself. */
function meaning(session: Session, form: PositionForm, position: PositionRow | undefined): Line {
  const { what, value } = form;
  if (!position) return [];
  if (what === 'part') {
    const quantity = orderOf(session, form)?.quantity;
    return [span(`  = ${quantity === undefined ? 'all of it' : exact(quantity)}`, 'ok')];
  }
  if (what !== 'limit' && what !== 'stop') return [];
  const price = priceTyped(session, position, value.trim());
  return price === null || price === value.trim() ? [] : [span(`  = ${exact(price)}`, 'ok')];
}

/** Whether the form is about this row: a close or a stop is for one position, a setting for the symbol. */
function isOne(row: PositionRow, { what, key, long }: PositionForm): boolean {
  return !asksOrder(what) || (row.key === key && isLong(row) === long);
}

function positionLines(position: PositionRow, tick: string | undefined): Line[] {
  const long = isLong(position);
  const { cover, percent: share } = coverOf(position);
  const gain = read(position.unrealizedProfit);
  return [
    [
      span(long ? 'LONG' : 'SHORT', long ? 'buy' : 'sell', { bold: true }),
      span(` ${exact(sizeOf(position))} ${position.symbol}`),
      span(
        `  entry ${rounded(position.entryPrice, tick)}  mark ${rounded(position.markPrice, tick)}`,
        'muted',
      ),
    ],
    [
      span(`PnL ${gain === null ? MISSING : signed(gain, 2)}  `, 'muted'),
      ...(position.liquidationPrice === null
        ? [span('no liquidation price  ', 'muted')]
        : [
            span('liquidation ', 'muted'),
            span(rounded(position.liquidationPrice, tick)),
            span(` (${percent(read(position.liquidationDistance))})  `, 'muted'),
          ]),
      span('protective stop ', 'muted'),
      span(cover === 'NO' ? cover : `${cover} ${share}`, cover === 'yes' ? 'ok' : 'warn'),
    ],
  ];
}

function checkLines({ check }: PositionForm, inner: number): Line[] {
  const distance = read(check?.distance);
  return [
    [
      span('notional ', 'muted'),
      span(money(check?.notional)),
      span('  fee ', 'muted'),
      span(`${money(check?.fee)} ${check?.feeAsset ?? ''}`),
      span('  distance ', 'muted'),
      span(distance === null ? MISSING : `${signed(distance, 2)} %`),
    ],
    ...wrapWords(check?.next ?? '', inner)
      .slice(0, 2)
      .map((text) => [span(text, 'muted')]),
  ];
}

function bracketRows({ brackets }: PositionForm, position: PositionRow | undefined): Line[] {
  if (!brackets) return [[span('brackets: not known yet', 'muted')]];
  if (brackets.length === 0) return [[span('the exchange names no brackets', 'muted')]];
  const at = tierOf(brackets, position ? notionalOf(position) : null);
  const start = Math.min(Math.max(0, at - 2), Math.max(0, brackets.length - TIERS_SHOWN));
  const lines: Line[] = [
    [span(`1x to ${maxLeverage(brackets)}x; the larger the position, the less:`, 'muted')],
  ];
  brackets.slice(start, start + TIERS_SHOWN).forEach((tier, index) => {
    const here = start + index === at;
    lines.push([
      span(here ? '▸ ' : '  ', 'focus'),
      cell(`${tier.initialLeverage}x`, 5, 'right', here ? 'focus' : 'text'),
      span('  up to ', 'muted'),
      cell(exact(tier.notionalCap), 15, 'right', here ? 'focus' : 'text'),
      span(here ? '  the position is here' : '', 'focus'),
    ]);
  });
  return lines;
}
