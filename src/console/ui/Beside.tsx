/** Panes beside each other; read aloud they follow each other, each from its first line to its last. */
import { Box, useIsScreenReaderEnabled } from 'ink';
import type { ReactNode } from 'react';

export function Beside({ wide = true, children }: { wide?: boolean; children: ReactNode }): ReactNode {
  const spoken = useIsScreenReaderEnabled();
  return <Box flexDirection={wide && !spoken ? 'row' : 'column'}>{children}</Box>;
}
