/** Panes beside each other; read aloud they come one after the other, each as a whole. */
import { Box, useIsScreenReaderEnabled } from 'ink';
import type { ReactNode } from 'react';

export function Beside({ wide = true, children }: { wide?: boolean; children: ReactNode }): ReactNode {
  const spoken = useIsScreenReaderEnabled();
  return <Box flexDirection={wide && !spoken ? 'row' : 'column'}>{children}</Box>;
}
