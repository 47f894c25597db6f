/** PULSE decides: one entry, one exit, and the run is over. */
import { entryProblem } from '../../../../src/bots/run/minimum.ts';
import type { Strategy } from '../../../../src/bots/strategy.ts';
import type { Dec } from '../../../../src/domain/decimal.ts';
import type { PulseSettings } from './settings.ts';

export interface PulseState {
  readonly first: Dec;
}

export const pulseStrategy: Strategy<PulseSettings, PulseState> = {
  needsPrice: true,

  startProblems(_settings, rules, budget, price) {
    const problem = price === null ? null : entryProblem('entry', budget, price, rules);
    return problem ? [problem] : [];
  },

  begin(run) {
    run.want('entry', {
      role: 'entry',
      type: 'LIMIT',
      price: run.down(run.price, run.settings.below),
      stopPrice: null,
      parts: [{ lot: 'pulse', label: 'entry', budget: run.notional(run.cycleBudget()), qty: null }],
    });
    return { first: run.price };
  },

  stopCompletesCycle: () => true,

  onFill(run, order) {
    if (order.role === 'entry') {
      const price = run.up(run.own.first, run.settings.above);
      const common = { role: 'exit', stopPrice: null, lots: ['pulse'], qty: null, trail: null } as const;
      run.want('exit', { ...common, type: 'LIMIT', price, label: 'target' });
    } else if (run.lots.open.length === 0) {
      run.cycle();
      run.end('completed');
    }
  },

  label: ({ lots }) => (lots.open.length > 0 ? 'holding' : 'waiting'),
};
