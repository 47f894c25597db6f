/** The ticket: the fields that apply, the engine's remark beside each, and the consequences of the order. */
import type { ReactNode } from 'react';
import type { TicketCheck } from '../../../desk/console/protocol.ts';
import { foreignLetters } from '../../../domain/lookalike.ts';
import { inCapitals } from '../../../domain/market-name.ts';
import { useConsole, useDesk } from '../../app/context.ts';
import { DialogFrame, type DialogRow } from '../../dialogs/DialogFrame.tsx';
import type { Dialog } from '../../state/ui.ts';
import { symbolsOf } from '../../trading/instruments.ts';
import { priceOf } from '../../trading/prices.ts';
import { cellWidth, clean } from '../../ui/clean.ts';
import { balance, MISSING, money, onStep, percent, percentChange, read, signed } from '../../ui/format.ts';
import { sparkline } from '../../ui/glyphs.ts';
import { keyed, type Line, type Span, span, wrapWords } from '../../ui/line.ts';
import type { Room } from '../../ui/room.ts';
import { ticketChart } from './chart-ticket.ts';
import { type FuturesFigures, futuresFigures, marginText } from './futures-ticket.ts';
import { draftOrder, type TicketField, ticketAccounts, ticketFields } from './ticket-draft.ts';
import { type TypedTicket, typedTicket } from './typed.ts';

const LABEL = 15;
const LONGEST_CHOICE = 18;
/** Width of a value in cells: smaller on a narrow ticket, so that the problem fits beside it. */
function valueRoom(inner: number): number {
  return inner < 80 ? 19 : 22;
}
/** Least and most rows of the chart. */
const CHART_FROM = 7;
const CHART_MOST = 12;

type TicketDialog = Extract<Dialog, { kind: 'ticket' }>;

export function TicketView({ dialog, room }: { dialog: TicketDialog; room: Room }): ReactNode {
  const { session } = useConsole();
  const accounts = useDesk((state) => state.accounts);
  const instruments = useDesk((state) => state.instruments);
  const price = useDesk((state) => priceOf(state, dialog.draft.exchange, dialog.draft.symbol));
  const { draft, check } = dialog;
  const width = Math.min(room.width - 2, 96);
  const inner = width - 4;
  const futures = useDesk((state) => state.futures);
  const fields = ticketFields(draft, ticketAccounts({ accounts, futures }));
  const state = useDesk((desk) => desk);
  const typed = typedTicket(state, draft, check, session.riskPercent);
  const { order } = draftOrder(typed.draft, fields, 0);
  const figures = futuresFigures({ accounts, futures }, order, check);
  const symbols = symbolsOf(instruments, draft.exchange);
  const tick = instruments.find(
    ({ exchange, symbol }) => exchange === draft.exchange && symbol === draft.symbol,
  )?.tickSize;
  const form = fields.map((field) => fieldRow(field, dialog, inner, symbols, meaningOf(typed, field)));
  const change = percentChange(price?.open24h, price?.last);
  const figureRows = checkRows(check, inner, cutProblem(dialog, inner), figures);
  const left = room.height - 2 - form.length - figureRows.length - 3;
  const chart =
    left < CHART_FROM
      ? []
      : ticketChart(state, typed.draft, { width: inner, height: Math.min(left, CHART_MOST) });
  const tail: DialogRow[] = [
    buttonRow(dialog),
    [span('─'.repeat(inner), 'border')],
    [
      span('last ', 'muted'),
      // Prices of the same moment: a mark price from the check beside the current last price would mix two
      // moments.
      span(onStep(check?.mark ? check.last : (price?.last ?? check?.last), tick)),
      ...(check?.mark ? [span('  mark ', 'muted'), span(onStep(check.mark, tick))] : []),
      ...(price?.stale === undefined ? [] : [span(`  ! stale: ${price.stale}`, 'danger')]),
      span('  24 h ', 'muted'),
      span(dayChange(change), change === null || change === 0n ? 'muted' : change < 0n ? 'down' : 'up'),
      span('  '),
      ...(chart.length > 0 ? [] : [span(sparkline(price?.spark ?? [], Math.min(40, inner - 50)), 'muted')]),
    ],
    ...chart,
    ...figureRows,
  ];
  const room2 = room.height - 2 - tail.length;
  const at = fields.findIndex((field) => field.id === dialog.field);
  const focus = at < 0 ? fields.length - 1 : at;
  const start = Math.min(Math.max(0, focus - room2 + 2), Math.max(0, form.length - room2));
  const title = `${draft.side} ${draft.symbol || 'new order'}`;
  return (
    <DialogFrame
      title={title}
      rows={[...form.slice(start, start + room2), ...tail]}
      width={width}
      room={room}
      tone={draft.side === 'BUY' ? 'buy' : 'sell'}
    />
  );
}

/** Change within 24 h, `▲ +1.36 %`. */
function dayChange(change: bigint | null): string {
  return change === null || change === 0n ? percent(change) : `${change > 0n ? '▲' : '▼'} ${percent(change)}`;
}

/** What the typed text means, or why it cannot be computed; null: it is a plain figure. */
function meaningOf({ meanings, problem }: TypedTicket, { id }: TicketField): Span | null {
  if (problem?.field === id) return span(problem.message, 'warn');
  const text = meanings[id];
  return text === undefined ? null : span(text, 'ok');
}

function fieldRow(
  field: TicketField,
  dialog: TicketDialog,
  inner: number,
  symbols: readonly string[],
  meaning: Span | null,
): DialogRow {
  const { whole } = dialog;
  const focus = dialog.field === field.id;
  const value = dialog.draft[field.id];
  const label = span(`${focus ? '▸' : ' '} ${field.label.padEnd(LABEL - 2)} `, focus ? 'focus' : 'muted');
  const problem = dialog.check?.problems.find((entry) => entry.field === field.id)?.message;
  const note = meaning ? [meaning] : noteLine(field, value, problem, focus, symbols);
  if (!field.choices) {
    const width = Math.min(valueRoom(inner), inner - LABEL - 1);
    return {
      before: [label],
      field: {
        id: `ticket.${field.id}`,
        value,
        width,
        focus,
        whole: whole && field.id === 'symbol' && value !== '',
      },
      after: [span('  '), ...note],
    };
  }
  const tone = field.id === 'side' ? (value === 'BUY' ? 'buy' : 'sell') : 'text';
  const shown = field.choices.includes(value) ? clean(value, LONGEST_CHOICE) : 'choose';
  const choice: Line = focus
    ? [span('◂ ', 'key'), span(shown, tone, { bold: true }), span(' ▸', 'key')]
    : [span(shown, tone)];
  const used = cellWidth(shown) + (focus ? 4 : 0);
  return [label, ...choice, span(' '.repeat(Math.max(0, valueRoom(inner) - used) + 2)), ...note];
}

/** The text beside a field: the engine's problem once something is typed, else a hint while it has focus. */
function noteLine(
  field: TicketField,
  value: string,
  problem: string | undefined,
  focus: boolean,
  symbols: readonly string[],
): Line {
  if (problem !== undefined && (value !== '' || !focus))
    return [span(problem, value === '' ? 'muted' : 'warn')];
  const foreign = field.id === 'symbol' && symbols.includes(value) ? foreignLetters(value) : '';
  if (foreign !== '') return [span(`letters outside A-Z: ${foreign}`, 'warn')];
  if (!focus) return [];
  if (field.id === 'symbol' && !symbols.includes(value)) {
    const start = inCapitals(value);
    const found = symbols.filter((symbol) => inCapitals(symbol).startsWith(start)).slice(0, 4);
    return [span(found.join(' ') || 'no such symbol on this account', 'muted')];
  }
  return [span(field.hint, 'muted')];
}

function buttonRow(dialog: TicketDialog): Line {
  const focus = dialog.field === 'review';
  const button = span(' Review ', focus ? 'focus' : 'muted', { inverse: focus });
  const note = dialog.refusal
    ? span(dialog.refusal, 'danger')
    : keyed(
        'form.review',
        focus ? 'enter shows the confirmation; nothing is sent yet' : 'ctrl-r reviews',
        'muted',
      );
  return [span(focus ? '▸ ' : '  ', 'focus'), button, span('  '), note];
}

/** A problem that does not fit beside its field: the focused field's, else the first. */
function cutProblem({ draft, field, check }: TicketDialog, inner: number): string | null {
  const written = (check?.problems ?? []).filter(
    ({ field: id }) => !(id in draft) || draft[id as keyof typeof draft] !== '',
  );
  const problem = (written.find((entry) => entry.field === field) ?? written[0])?.message ?? '';
  return cellWidth(clean(problem)) > inner - LABEL - valueRoom(inner) - 2 ? problem : null;
}

/** The figures of the check; `problem` replaces the description of what would happen. */
function checkRows(
  check: TicketCheck | null,
  inner: number,
  problem: string | null,
  figures: FuturesFigures | null,
): Line[] {
  const distance = read(check?.distance);
  const first: Line = [
    span('notional ', 'muted'),
    span(money(check?.notional)),
    span('  fee ', 'muted'),
    span(`${money(check?.fee)} ${check?.feeAsset ?? ''}`),
    span('  distance ', 'muted'),
    span(distance === null ? MISSING : `${signed(distance, 2)} %`),
  ];
  const second: Line = [
    span('available ', 'muted'),
    span(`${balance(check?.available)} ${check?.availableAsset ?? ''}`),
    ...(figures
      ? [
          span('  margin ', 'muted'),
          span(marginText(figures, check?.availableAsset ?? ''), figures.short ? 'warn' : 'text'),
        ]
      : []),
  ];
  const words = wrapWords(problem ?? check?.next ?? '', inner).slice(0, problem === null ? 2 : 3);
  return [first, second, ...words.map((line) => [span(line, problem === null ? 'muted' : 'warn')])];
}
