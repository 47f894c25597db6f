/** ALGO: execution methods: bracket, take-profit and stop pair, twap (strategies.md 7). Pure. */
import { type Dec, str } from '../../../domain/decimal.ts';
import { entryProblem, quantityProblem } from '../../run/minimum.ts';
import type { MarketRules, Problem } from '../../settings/compiled.ts';
import type { Strategy } from '../../strategy.ts';
import { beginBracket, beginTpsl, done, followPosition, onPairFill, type PairState } from './pair.ts';
import type { AlgoSettings } from './settings.ts';
import {
  beginTwap,
  onTwapEnded,
  onTwapFill,
  sendFinal,
  slice,
  type TwapState,
  twapProblems,
} from './twap.ts';

export type AlgoState = PairState | TwapState;

export const algoStrategy: Strategy<AlgoSettings, AlgoState> = {
  needsPrice: true,

  startProblems(settings, rules, budget, price) {
    if (settings.algo === 'twap') return twapProblems(settings, rules, budget, price);
    const { quantity } = settings;
    if (settings.algo === 'tpsl') return quantity === null ? [] : smallExit(quantity, rules);
    const at = settings.entry?.price ?? settings.entry?.stopPrice ?? price;
    if (at === null) return [];
    const problem =
      quantity === null
        ? entryProblem('entry', budget, at, rules, settings.buy?.size)
        : quantityProblem('entry', quantity, at, rules);
    return problem ? [problem] : [];
  },

  begin(run) {
    if (run.settings.algo === 'twap') return beginTwap(run);
    return run.settings.algo === 'bracket' ? beginBracket(run) : beginTpsl(run);
  },

  stopCompletesCycle: () => true,

  onTick(run) {
    if (run.own.kind === 'pair') followPosition(run, run.own);
  },

  onTimer(run, name) {
    const { own } = run;
    if (own.kind === 'twap') {
      if (name === 'final') sendFinal(run, own);
      else if (name.startsWith('slice ')) slice(run, own);
    } else if (name === 'expire' && run.lots.open.length === 0) run.end('completed');
  },

  onFill(run, order, fill) {
    const { own } = run;
    if (own.kind === 'twap') onTwapFill(run, own, order, fill.price, fill.qty);
    else onPairFill(run, own, order);
  },

  onEnded(run, order) {
    if (run.own.kind === 'twap') onTwapEnded(run, run.own, order);
  },

  onDust(run) {
    if (run.own.kind === 'pair' && run.lots.open.length === 0) done(run);
  },

  onStopped(run) {
    if (run.lots.open.length === 0) run.end('completed');
  },

  quiet: ({ own }) => (own.kind === 'pair' && own.follows ? null : { below: null, above: null }),

  label(run) {
    if (run.own.kind === 'twap') return 'slicing';
    if (run.lots.open.length > 0) return 'protected';
    const entry = run.slots.get('entry');
    // A stop that rests is not reported as open before it triggers.
    const rests = entry?.orders.some(({ phase, stopPrice }) => phase === 'open' || stopPrice !== null);
    return rests ? 'working' : 'entering';
  },
};

/** Problem of a quantity below the minimum of one order: no order could ever close it. */
function smallExit(quantity: Dec, rules: MarketRules): Problem[] {
  if (quantity >= rules.minQty) return [];
  const least = `${str(rules.minQty)} ${rules.base}`;
  return [
    {
      path: 'quantity',
      message: `${str(quantity)} is below the least that one order may be; give at least ${least}`,
    },
  ];
}
