/** Checks the whole futures state. Reads only; throws InvariantError. */
import { str, ZERO } from '../../../domain/decimal.ts';
import { crossWallet } from '../../../domain/margin/account.ts';
import { invariant } from '../invariant.ts';
import { isOpen } from '../paper-order.ts';
import type { FuturesState } from './futures-state.ts';
import { closable, isClosing } from './margin.ts';

export function auditFutures(state: FuturesState): void {
  const { wallet, start, realized, fees, funding, liquidationFees, covered } = state.amounts;
  const sum = start + realized - fees + funding - liquidationFees + covered;
  invariant(wallet === sum, `wallet ${str(wallet)}, its parts add up to ${str(sum)}`);
  invariant(crossWallet(state) >= ZERO, `the cross wallet is ${str(crossWallet(state))}`);
  for (const position of state.positions.values()) {
    const name = `${position.symbol} ${position.side}`;
    invariant(position.amount !== ZERO, `${name} is flat and still there`);
    invariant(position.cost > ZERO === position.amount > ZERO, `${name} has a cost of the wrong sign`);
    invariant(position.isolated >= ZERO, `${name} has a negative margin`);
    invariant(
      state.isolated(position.symbol) || position.isolated === ZERO,
      `${name} is crossed with a margin`,
    );
    invariant(state.hedge === (position.side !== 'BOTH'), `${name} does not fit the position mode`);
    const long = position.amount > ZERO;
    invariant(position.side === 'BOTH' || long === (position.side === 'LONG'), `${name} has turned round`);
  }
  for (const order of state.open.values()) {
    const waitsForSize = order.status === 'PENDING' && order.terms?.closePosition === true;
    invariant(isOpen(order) && order.cum >= ZERO, `${order.clientId} is not open`);
    invariant(waitsForSize || order.cum < order.qty, `${order.clientId} is filled and still open`);
    if (!isClosing(order)) continue;
    const size = closable(state, order.symbol, order.terms?.positionSide ?? 'BOTH', order.side);
    invariant(size > ZERO, `${order.clientId} reduces nothing`);
  }
  for (const order of state.finished.values()) invariant(!isOpen(order), `${order.clientId} has not ended`);
}
