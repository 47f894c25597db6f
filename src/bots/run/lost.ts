/**
 * What a run does when somebody else has closed a part of its position (strategies.md, R13): a liquidation, a
 * reduction by the exchange, a person. Its lots shrink, its exits follow, and the run ends when nothing is
 * left. Pure.
 */
import { str, ZERO } from '../../domain/decimal.ts';
import type { Lost } from './contract.ts';
import type { RunParts } from './run-parts.ts';

/**
 * Books the change. `lost` null: nothing of the run's own is gone, but the owners of the rest of the position
 * have changed. `freed` is called with lots that are gone while others are left.
 */
export function positionChanged(
  run: RunParts,
  lost: Lost | null,
  freed: (lots: readonly string[]) => void,
): void {
  run.slots.touchAll();
  run.changed = true;
  if (lost === null || run.lots.open.length === 0) return;
  const gone = run.lots.lose(lost.qty, lost.price, lost.fee);
  const { base } = run.rules;
  const how = lost.reason === 'liquidated' ? 'liquidated by the exchange' : 'closed elsewhere';
  const left = run.lots.total();
  const rest = left === ZERO ? 'nothing is left' : `${str(left)} are left`;
  run.notice(1, `${str(lost.qty)} ${base} ${how} at ${str(lost.price)}: ${rest}`);
  if (left > ZERO) {
    if (gone.length > 0 && run.running) freed(gone);
    return;
  }
  run.stops.reset();
  if (!run.running) return;
  run.cycle();
  run.end(lost.reason);
}
