/** One position from all sides: figures, protection, resting orders, the brackets of its symbol. */
import { type ReactNode, useEffect } from 'react';
import { loadBrackets } from '../commands/positions.ts';
import { useConsole, useDesk, useUi } from '../components/context.ts';
import { DetailPane } from '../components/DetailPane.tsx';
import type { Size } from '../components/ListAndDetail.tsx';
import { positionDetailLines } from '../model/position-detail.ts';
import { selectedPosition } from '../model/positions.ts';

export function PositionDetailPane({ width, height }: Size): ReactNode {
  const { session } = useConsole();
  const futures = useDesk((state) => state.futures);
  const orders = useDesk((state) => state.orders);
  const instruments = useDesk((state) => state.instruments);
  const live = useDesk((state) => state.clock.live);
  const view = useUi((ui) => ui.positions);
  // Ages are of whole minutes or more; once a minute is often enough.
  useUi((ui) => ui.minute);
  const position = selectedPosition({ futures, instruments }, view);
  const exchange = position?.exchange;
  const symbol = position?.symbol;
  useEffect(() => {
    if (exchange !== undefined && symbol !== undefined) void loadBrackets(session, exchange, symbol);
  }, [session, exchange, symbol]);
  const focused = view.pane === 'detail';
  const room = { focused, width, height };
  if (!position) return <DetailPane title="Position" lines={[]} offset={0} {...room} />;
  const brackets = view.brackets[`${position.exchange} ${position.symbol}`];
  const world = { futures, orders, instruments, clock: { live } };
  const lines = positionDetailLines(position, world, brackets, session.wall(), width);
  return (
    <DetailPane title={`Position ${position.symbol}`} lines={lines} offset={view.detailOffset} {...room} />
  );
}
