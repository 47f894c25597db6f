/**
 * A list, and once opened the detail of its selected row: beside the list where there is room, else under it.
 */
import { Box } from 'ink';
import type { ComponentType, ReactNode } from 'react';
import { Beside } from '../ui/Beside.tsx';

/** From this width on the detail is beside the list, in cells. */
export const WIDE = 150;
/** Cells between the two. */
const GAP = 2;

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface ListAndDetailProps extends Size {
  readonly List: ComponentType<Size>;
  readonly Detail: ComponentType<Size>;
  readonly open: boolean;
  /** Share of the width for a detail beside the list. @default 0.42 */
  readonly share?: number;
  /** Height of a detail under the list, in rows. */
  readonly rows: number;
}

export function ListAndDetail(props: ListAndDetailProps): ReactNode {
  const { List, Detail, open, share = 0.42, rows, width, height } = props;
  if (!open) return <List width={width} height={height} />;
  const beside = width >= WIDE;
  const detail = beside ? { width: Math.floor(width * share), height } : { width, height: rows };
  const list = beside ? { width: width - detail.width - GAP, height } : { width, height: height - rows };
  return (
    <Beside wide={beside}>
      <Box flexDirection="column" width={list.width} flexShrink={0}>
        <List {...list} />
      </Box>
      <Box flexDirection="column" marginLeft={beside ? GAP : 0} width={detail.width} flexShrink={0}>
        <Detail {...detail} />
      </Box>
    </Beside>
  );
}
