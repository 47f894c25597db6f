/** How a run with 1,000 USDT free at leverage 10 uses its deposit. */
import { RunFacts } from '../../../src/bots/run/run-facts.ts';
import { dec, floorTo, str, ZERO } from '../../../src/domain/decimal.ts';

export function scene(value: string, strategy: 'fixed' | 'percent') {
  const deposit = {
    value: dec(value),
    asset: 'USDT',
    strategy,
    min: null,
    max: null,
    allocate: 'reserve',
    leverage: 10,
  };
  const facts = Object.create(RunFacts.prototype) as RunFacts;
  Object.assign(facts, {
    settings: { deposit, buy: null, short: false },
    rules: { kind: 'futures', quote: 'USDT', takerRate: dec('0.0005') },
    world: { available: () => dec('1000'), reservedByOthers: () => ZERO, leverage: () => dec('10') },
    state: { budget: ZERO, equityPeak: ZERO },
  });
  const problem = facts.fund();
  return { problem, budget: str(floorTo(facts.state.budget, dec('0.01'))) };
}
