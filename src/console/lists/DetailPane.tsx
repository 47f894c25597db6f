/**
 * The detail of one row: its title, how much of it is still below, and its lines from the scroll position on.
 */
import type { ReactNode } from 'react';
import { type Line, rule, span } from '../ui/line.ts';
import { Row, Rows } from '../ui/Row.tsx';

interface DetailPaneProps {
  readonly title: string;
  readonly lines: readonly Line[];
  /** Rows scrolled, as asked for; drawing stops at the end of the lines. */
  readonly offset: number;
  readonly focused: boolean;
  /** Line under the title, always in view. */
  readonly tabs?: Line;
  /** The keys that lead to the lines below. @default `tab, j` */
  readonly hint?: string;
  readonly width: number;
  readonly height: number;
}

export function DetailPane({
  title,
  lines,
  offset: wanted,
  focused,
  tabs,
  hint = 'tab, j',
  width,
  height,
}: DetailPaneProps): ReactNode {
  const room = height - (tabs ? 2 : 1);
  const offset = Math.min(wanted, Math.max(0, lines.length - room));
  const more = lines.length - room - offset;
  const info = more > 0 ? [span(`${more} more · ${hint}`, 'muted')] : [];
  return (
    <>
      <Row line={rule(title, info, width, focused)} width={width} />
      {tabs && <Row line={tabs} width={width} />}
      <Rows lines={lines.slice(offset)} width={width} height={room} />
    </>
  );
}
