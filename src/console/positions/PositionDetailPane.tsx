/** All about one position: figures, protection, open orders, the brackets of its symbol. */
import { type ReactNode, useEffect } from 'react';
import { useConsole, useDesk, useUi } from '../app/context.ts';
import { DetailPane } from '../lists/DetailPane.tsx';
import type { Size } from '../lists/ListAndDetail.tsx';
import { loadBrackets } from './commands.ts';
import { positionDetailLines } from './position-detail.ts';
import { selectedPosition } from './position-list.ts';

export function PositionDetailPane({ width, height }: Size): ReactNode {
  const { session } = useConsole();
  const futures = useDesk((state) => state.futures);
  const orders = useDesk((state) => state.orders);
  const instruments = useDesk((state) => state.instruments);
  const live = useDesk((state) => state.clock.live);
  const view = useUi((ui) => ui.positions);
  // Redraws each minute: ages are shown in minutes or longer units.
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
