/** A box over the screen, opaque and centred. Its rows are lines, or a line with a text field in it. */
import { Box } from 'ink';
import type { ReactNode } from 'react';
import { clean } from '../clean.ts';
import { fitLine, type Line, lineWidth, span } from '../components/line.ts';
import { Row } from '../components/Row.tsx';
import { TextField, type TextFieldProps } from '../components/TextField.tsx';
import type { Token } from '../theme.ts';

export type DialogRow =
  | Line
  | { readonly before: Line; readonly field: TextFieldProps; readonly after: Line };

export interface DialogFrameProps {
  readonly title: string;
  readonly rows: readonly DialogRow[];
  readonly width: number;
  /** Room to be centred in. */
  readonly room: { readonly width: number; readonly height: number };
  readonly tone?: Token;
  readonly foot?: Line;
  /** Rows that are kept at the end when there is not room for all. */
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
  const shown =
    rows.length <= most ? rows : [...rows.slice(0, most - keep), ...rows.slice(rows.length - keep)];
  const left = Math.max(0, Math.floor((room.width - width) / 2));
  const above = Math.max(0, Math.floor((room.height - shown.length - 2) / 2));
  const name = ` ${clean(title)} `;
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

function Inside({ row, inner, tone }: { row: DialogRow; inner: number; tone: Token }): ReactNode {
  const open = span('│ ', tone);
  const close = span(' │', tone);
  if (!('field' in row)) return <Row line={[open, ...fitLine(row, inner), close]} width={inner + 4} opaque />;
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
