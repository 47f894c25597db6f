/**
 * The market screen: one symbol in as much detail as its market provides. Redrawn only when what it shows
 * changes.
 */
import type { ReactNode } from 'react';
import { useShallow } from 'zustand/shallow';
import { useDesk, useUi } from '../app/context.ts';
import { Rows } from '../ui/Row.tsx';
import type { Room } from '../ui/room.ts';
import { marketLines } from './market-lines.ts';

export function MarketScreen({ width, height }: Room): ReactNode {
  const view = useUi((ui) => ui.market);
  const dock = useUi((ui) => ui.parts.places.market.dock?.(ui) ?? 0);
  const state = useDesk(
    useShallow(({ accounts, instruments, prices, orders, futures, look }) => ({
      accounts,
      instruments,
      prices,
      orders,
      futures,
      look,
    })),
  );
  const room = { width: width - dock, height };
  return <Rows lines={marketLines(state, view, room)} width={room.width} height={height} />;
}
