/** The prices beyond which a run of CHANNEL ends: `stopAbove`, `stopBelow` (strategies.md 4). Pure. */
import type { StrategyRun } from '../../strategy.ts';
import type { ChannelSettings } from './settings.ts';

/** Ends the run when the price is strictly beyond a bound; returns true then. */
export function endsBeyond(run: StrategyRun<ChannelSettings, unknown>): boolean {
  const { price, settings } = run;
  const { stopAbove, stopBelow, sellOnExit } = settings;
  const isBeyond = (stopAbove !== null && price > stopAbove) || (stopBelow !== null && price < stopBelow);
  if (isBeyond) run.end('completed', sellOnExit);
  return isBeyond;
}
