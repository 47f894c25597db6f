/**
 * What follows for runs when an exchange changes its symbols: their owners are told, and bots that scan all
 * symbols read the new ones too.
 */
import { endText } from '../../engine/delistings.ts';
import type { Effect } from '../../engine/step.ts';
import type { StepContext } from '../../engine/step-context.ts';
import type { Bots } from './bots.ts';

/** Handles the instruments that the step has changed. */
export function tellSymbols(bots: Pick<Bots, 'book' | 'notice'>, step: StepContext): void {
  for (const effect of step.effects) {
    if (effect.kind === 'ends') tellEnd(bots, step, effect);
    if (effect.kind !== 'instruments') continue;
    const { exchange, listed, delisted } = effect;
    for (const live of bots.book.runs.values()) {
      const { symbol } = live.run.rules;
      if (!live.going || live.parts.exchange !== exchange) continue;
      if (symbol === '') live.parts.subscriptions.follow();
      if (delisted.includes(symbol)) {
        const text = `${symbol} is no longer traded on ${exchange}: nothing is entered any more, what is held stays`;
        bots.notice(step, live, 1, text);
      } else if (listed.includes(symbol))
        bots.notice(step, live, 1, `${symbol} is traded on ${exchange} again`);
    }
  }
}

function tellEnd(
  bots: Pick<Bots, 'book' | 'notice'>,
  step: StepContext,
  { exchange, symbol, at }: Extract<Effect, { kind: 'ends' }>,
): void {
  for (const live of bots.book.runs.values())
    if (live.going && live.parts.exchange === exchange && live.run.rules.symbol === symbol)
      bots.notice(step, live, 1, endText(exchange, symbol, at));
}
