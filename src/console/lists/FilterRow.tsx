/** The row of a list's filter: while it is typed, or in force with the key that clears it. */
import { Box } from 'ink';
import type { ReactNode } from 'react';
import { TextField } from '../forms/TextField.tsx';
import { keyed, type Line, span, spread } from '../ui/line.ts';
import { Row } from '../ui/Row.tsx';

interface FilterRowProps {
  readonly id: string;
  readonly value: string;
  readonly focus: boolean;
  readonly width: number;
}

export function FilterRow({ id, value, focus, width }: FilterRowProps): ReactNode {
  const label: Line = [span('  / ', 'key')];
  if (!focus) {
    const right: Line = [keyed('list.back', 'esc clears ', 'muted')];
    return <Row line={spread([...label, span(value, 'focus')], right, width)} width={width} />;
  }
  return (
    <Box height={1}>
      <Row line={label} width={4} />
      <TextField id={id} value={value} width={width - 4} focus />
    </Box>
  );
}
