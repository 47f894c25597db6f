/** A box over the screen, opaque and centred. Rows are lines, lines with a text field, or static tables. */
import { Box } from 'ink';
import type { ReactNode } from 'react';
import { TextField, type TextFieldProps } from '../forms/TextField.tsx';
import { StillTable } from '../lists/StillTable.tsx';
import type { StillTableData } from '../lists/still-table.ts';
import { clean } from '../ui/clean.ts';
import { fitLine, type Line, lineWidth, type Span, span } from '../ui/line.ts';
import { Row } from '../ui/Row.tsx';
import type { Token } from '../ui/theme.ts';

export type DialogRow =
  | Line
  | { readonly before: Line; readonly field: TextFieldProps; readonly after: Line }
  /** A table that takes `height` rows of the screen. */
  | { readonly table: StillTableData; readonly height: number };

export interface DialogFrameProps {
  readonly title: string;
  readonly rows: readonly DialogRow[];
  readonly width: number;
  /** The area in which the box is centred. */
  readonly room: { readonly width: number; readonly height: number };
  readonly tone?: Token;
  readonly foot?: Line;
  /** How many of the last rows are always shown if there is no room for all. */
  readonly keep?: number;
}

export function DialogFrame({
  title,
  rows,
  width,
  room,
  tone = 'border',
  foot = [],
  keep = 0,
}: DialogFrameProps) {
  const inner = width - 4;
  const most = room.height - 2;
  const shown = fitRows(rows, most, keep);
  const left = Math.max(0, Math.floor((room.width - width) / 2));
  const above = Math.max(0, Math.floor((room.height - heightOf(shown) - 2) / 2));
  const name = ` ${clean(title, width - 6)} `;
  const top: Line = [
    span('╭─', tone),
    span(name, 'title'),
    span(`${'─'.repeat(Math.max(0, width - 3 - lineWidth([span(name)])))}╮`, tone),
  ];
  const end = foot.length > 0 ? [span(' '), ...foot, span(' ')] : [];
  const bottom: Line = [
    span(`╰${'─'.repeat(Math.max(0, width - 3 - lineWidth(end)))}`, tone),
    ...end,
    span('─╯', tone),
  ];
  return (
    <Box position="absolute" flexDirection="column" marginLeft={left} marginTop={above} width={width}>
      <Row line={top} width={width} opaque />
      {shown.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its position
        <Inside key={index} row={row} inner={inner} tone={tone} />
      ))}
      <Row line={bottom} width={width} opaque />
    </Box>
  );
}

function heightOf(rows: readonly DialogRow[]): number {
  return rows.reduce((sum, row) => sum + ('table' in row ? row.height : 1), 0);
}

/** Returns the rows that fit, with the last `keep` of them; a table is shortened to fit. */
function fitRows(rows: readonly DialogRow[], most: number, keep: number): readonly DialogRow[] {
  if (heightOf(rows) <= most) return rows;
  const end = rows.slice(rows.length - keep);
  const shown: DialogRow[] = [];
  let left = most - heightOf(end);
  for (const row of rows.slice(0, rows.length - keep)) {
    if (left <= 0) break;
    shown.push('table' in row && row.height > left ? { ...row, height: left } : row);
    left -= heightOf([row]);
  }
  return [...shown, ...end];
}

function Inside({ row, inner, tone }: { row: DialogRow; inner: number; tone: Token }): ReactNode {
  const open = span('│ ', tone);
  const close = span(' │', tone);
  if (!('field' in row || 'table' in row))
    return <Row line={[open, ...fitLine(row, inner), close]} width={inner + 4} opaque />;
  if ('table' in row) return <InsideTable {...row} inner={inner} open={open} close={close} />;
  const before = lineWidth(row.before);
  const after = Math.max(0, inner - before - row.field.width);
  return (
    <Box height={1}>
      <Row line={[open, ...row.before]} width={before + 2} opaque />
      <TextField key={row.field.id} {...row.field} />
      <Row line={[...fitLine(row.after, after), close]} width={after + 2} opaque />
    </Box>
  );
}

interface InsideTableProps {
  readonly table: StillTableData;
  readonly height: number;
  readonly inner: number;
  readonly open: Span;
  readonly close: Span;
}

function InsideTable({ table, height, inner, open, close }: InsideTableProps): ReactNode {
  const side = (part: Span) => (
    <Box flexDirection="column" width={2} flexShrink={0}>
      {Array.from({ length: height }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its position
        <Row key={at} line={[part]} width={2} opaque />
      ))}
    </Box>
  );
  return (
    <Box height={height}>
      {side(open)}
      <StillTable {...table} width={inner} height={height} />
      {side(close)}
    </Box>
  );
}
