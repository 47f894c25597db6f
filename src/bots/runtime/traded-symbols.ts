/** What follows for runs when an exchange trades other symbols: their owners are told, and who scans all of them reads the new ones too. */
import type { StepContext } from '../../engine/step-context.ts';
import type { BotEngine } from './bot-engine.ts';

/** Of the instruments that the step has changed. */
export function tellSymbols(bots: Pick<BotEngine, 'book' | 'notice'>, step: StepContext): void {
  for (const effect of step.effects) {
    if (effect.kind !== 'instruments') continue;
    const { exchange, listed, delisted } = effect;
    for (const live of bots.book.runs.values()) {
      const { symbol } = live.run.rules;
      if (!live.going || live.parts.exchange !== exchange) continue;
      if (symbol === '') live.parts.subscriptions.follow();
      if (delisted.includes(symbol)) {
        const text = `${symbol} is no longer traded on ${exchange}: entries wait until it is again, what is open stays`;
        bots.notice(step, live, 1, text);
      } else if (listed.includes(symbol))
        bots.notice(step, live, 1, `${symbol} is traded on ${exchange} again`);
    }
  }
}
