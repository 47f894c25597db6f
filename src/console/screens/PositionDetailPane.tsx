/** One position from all sides: figures, protection, resting orders, the brackets of its symbol. */
import { type ReactNode, useEffect } from 'react';
import { loadBrackets } from '../commands/positions.ts';
import { useConsole, useDesk, useUi } from '../components/context.ts';
import { rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { selectedPosition } from '../model/lists.ts';
import { positionDetailLines } from '../model/position-detail.ts';

export function PositionDetailPane({ width, height }: { width: number; height: number }): ReactNode {
  const { session } = useConsole();
  const futures = useDesk((state) => state.futures);
  const orders = useDesk((state) => state.orders);
  const view = useUi((ui) => ui.positions);
  // Ages are of whole minutes or more; once a minute is often enough.
  useUi((ui) => ui.minute);
  const position = selectedPosition({ futures }, { positions: view });
  const exchange = position?.exchange;
  const symbol = position?.symbol;
  useEffect(() => {
    if (exchange !== undefined && symbol !== undefined) void loadBrackets(session, exchange, symbol);
  }, [session, exchange, symbol]);
  const focused = view.pane === 'detail';
  if (!position) {
    return (
      <>
        <Row line={rule('Position', [], width, focused)} width={width} />
        <Rows lines={[]} width={width} height={height - 1} />
      </>
    );
  }
  const brackets = view.brackets[`${position.exchange} ${position.symbol}`];
  const lines = positionDetailLines(position, { futures, orders }, brackets, session.wall(), width);
  const room = height - 1;
  const offset = Math.min(view.detailOffset, Math.max(0, lines.length - room));
  const more = lines.length - room - offset;
  const info = more > 0 ? [span(`${more} more · tab, j`, 'muted')] : [];
  return (
    <>
      <Row line={rule(`Position ${position.symbol}`, info, width, focused)} width={width} />
      <Rows lines={lines.slice(offset)} width={width} height={room} />
    </>
  );
}
