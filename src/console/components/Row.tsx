/** One line of the terminal as one `<Text>`: the output edge. Cuts and pads to the width, so no row ever wraps. */
import { Text } from 'ink';
import { memo, type ReactNode } from 'react';
import { toAscii } from '../glyphs.ts';
import type { Style, Theme } from '../theme.ts';
import { useUi } from './context.ts';
import { fitLine, type Line, type Span } from './line.ts';

function drawn({ text, tone, bold, inverse }: Span, theme: Theme, key: number): ReactNode {
  const style: Style = tone ? theme.styles[tone] : theme.styles.text;
  if (!style.color && !style.bold && !style.dim && !bold && !inverse) return text;
  return (
    <Text key={key} color={style.color} bold={bold || style.bold} dimColor={style.dim} inverse={inverse}>
      {text}
    </Text>
  );
}

interface RowProps {
  readonly line: Line;
  readonly width: number;
  /** The row under the cursor; shown by a background, or inverse where there is no colour. */
  readonly selected?: boolean;
}

function sameRow(a: RowProps, b: RowProps): boolean {
  return (
    a.width === b.width &&
    a.selected === b.selected &&
    a.line.length === b.line.length &&
    a.line.every((part, index) => samePart(part, b.line[index]))
  );
}

function samePart(a: Span, b: Span | undefined): boolean {
  return a.text === b?.text && a.tone === b.tone && a.bold === b.bold && a.inverse === b.inverse;
}

/** Drawn again only when its line says something else: most rows of a tick do not. */
export const Row = memo(function Row({ line, width, selected }: RowProps): ReactNode {
  const theme = useUi((ui) => ui.theme);
  const ascii = useUi((ui) => ui.ascii);
  const parts = fitLine(line, width);
  const spans = ascii ? parts.map((part) => ({ ...part, text: toAscii(part.text) })) : parts;
  const background = selected ? theme.styles.selected.color : undefined;
  return (
    <Text wrap="truncate" backgroundColor={background} inverse={selected && !background}>
      {spans.map((part, index) => drawn(part, theme, index))}
    </Text>
  );
}, sameRow);

/** Lines under each other, cut or padded to `height` rows. */
export function Rows({
  lines,
  width,
  height,
}: {
  lines: readonly Line[];
  width: number;
  height: number;
}): ReactNode {
  const rows: ReactNode[] = [];
  for (let at = 0; at < height; at++) rows.push(<Row key={at} line={lines[at] ?? []} width={width} />);
  return rows;
}
