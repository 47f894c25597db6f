/** What a tick of a market changes on the consoles' screens. */
import { OWNER } from '../../domain/actor.ts';
import { limited } from '../../engine/loss-figure.ts';
import type { Tick } from '../../market/feed.ts';
import type { DeskCore } from '../core/desk-core.ts';
import { exchangesWithPosition } from '../core/futures-accounts.ts';
import type { BotFigures } from './bot-figures.ts';
import type { Market } from './open-market.ts';

/** Marks what consoles show anew after a tick of a market, and takes the equity's sample of its minute. */
export function markTick(
  core: DeskCore,
  { view }: Market,
  figures: BotFigures,
  market: string,
  { symbol, time }: Tick,
): void {
  const { wallets } = view;
  if (view.sampleEquity(core.engine.memory, time)) {
    core.turn.keep({ kind: 'meta', name: 'equity-day', value: view.equityDay });
  }
  if (view.wallets !== wallets) core.mark({ kind: 'wallets' });
  core.mark({ kind: 'price', market, symbol });
  // A held trailing stop follows the price, though it is not stored each time.
  for (const id of core.engine.memory.market(market).heldOn(symbol)) {
    if (core.engine.memory.orders.get(id)?.trailing) core.mark({ kind: 'order', id });
  }
  figures.moved();
  core.mark({ kind: 'clock' });
  core.mark({ kind: 'equity' });
  // The meter of a loss limit follows the prices.
  if (core.engine.memory.accountsOf(OWNER).some(limited)) core.mark({ kind: 'accounts' });
  for (const exchange of exchangesWithPosition(core.engine.memory, market, symbol)) {
    core.mark({ kind: 'positions', exchange });
    core.mark({ kind: 'portfolio', exchange });
  }
}
