/**
 * ALGO bracket and tpsl: a take-profit and a stop on one quantity; each shrinks when the other fills
 * (strategies.md 7). Pure.
 */
import { type Dec, div, minDec, str as text, ZERO } from '../../../domain/decimal.ts';
import type { RunOrder, StrategyRun } from '../../strategy.ts';
import type { AlgoSettings, PriceOrPercent } from './settings.ts';

type AlgoRun = StrategyRun<AlgoSettings, unknown>;

const ENTRY = 'entry';
const LOT = 'position';

export interface PairState {
  kind: 'pair';
  /** Price that percents count from; null before the entry. */
  reference: Dec | null;
  /** tpsl without a quantity: the pair follows the position. */
  follows: boolean;
}

export function beginBracket(run: AlgoRun): PairState {
  const { settings, price } = run;
  const state: PairState = { kind: 'pair', reference: null, follows: false };
  const { entry } = settings;
  if (!entry) return state;
  const wrong = entry.type === 'MARKET' ? wrongSide(run, price) : null;
  if (wrong !== null) {
    run.fail(wrong);
    return state;
  }
  const byDeposit = settings.quantity === null;
  if (settings.expire !== null) run.timer('expire', run.state.startedAt + settings.expire);
  run.want(ENTRY, {
    role: 'entry',
    type: entry.type,
    price: entry.price,
    stopPrice: entry.stopPrice,
    parts: [
      {
        lot: LOT,
        label: 'entry',
        budget: byDeposit ? run.notional(run.cycleBudget()) : null,
        qty: settings.quantity,
      },
    ],
  });
  return state;
}

export function beginTpsl(run: AlgoRun): PairState {
  const { settings, rules, price } = run;
  const position = rules.kind === 'futures' ? run.world.position() : null;
  const state: PairState = { kind: 'pair', reference: null, follows: settings.quantity === null };
  const held = position ? abs(position.amount) : ZERO;
  const fits = position && position.amount < ZERO === settings.short;
  if (rules.kind === 'futures' && !fits) {
    run.fail(`there is no ${settings.short ? 'short' : 'long'} position of ${rules.symbol} to close`);
    return state;
  }
  const wanted = settings.quantity ?? held;
  // It closes at most the present position, not what others hold or what does not exist.
  const qty = rules.kind === 'futures' ? minDec(wanted, held) : wanted;
  state.reference = position?.entryPrice ?? price;
  run.lots.adopt(LOT, 'position', qty, state.reference, run.now);
  placePair(run, state);
  return state;
}

/** Follows what others have done to the position of a tpsl on a whole position. */
export function followPosition(run: AlgoRun, state: PairState): void {
  if (!state.follows) return;
  const lot = run.lots.get(LOT);
  if (!lot || lot.closing) return;
  const amount = run.world.position()?.amount ?? ZERO;
  // A position that has turned to the other side is not the one that the pair was for.
  const held = amount < ZERO === run.settings.short ? abs(amount) : ZERO;
  if (held === lot.qty) return;
  run.lots.resize(LOT, held);
  run.slots.touchAll();
  run.changed = true;
  if (held === ZERO) done(run);
}

export function onPairFill(run: AlgoRun, state: PairState, order: RunOrder): void {
  run.changed = true;
  if (order.role === 'entry') {
    const lot = run.lots.get(LOT);
    if (!lot) return;
    state.reference = div(lot.filledQuote, lot.filledQty);
    run.timer('expire', null);
    placePair(run, state);
    return;
  }
  if (run.lots.open.length === 0) done(run);
}

export function done(run: AlgoRun): void {
  run.cycle();
  run.end('completed');
}

function placePair(run: AlgoRun, { reference }: PairState): void {
  const { takeProfit, stopLoss } = run.settings;
  if (reference === null) return;
  const common = { role: 'exit', lots: [LOT], qty: null, trail: null } as const;
  if (takeProfit) {
    const price = 'price' in takeProfit ? takeProfit.price : run.up(reference, takeProfit.percent);
    run.want('take profit', { ...common, type: 'LIMIT', price, stopPrice: null, label: 'take profit' });
  }
  if (stopLoss) {
    const { limitPrice } = stopLoss;
    run.want('stop loss', {
      ...common,
      type: limitPrice === null ? 'STOP_MARKET' : 'STOP_LIMIT',
      price: limitPrice,
      stopPrice: stopPriceOf(run, stopLoss, reference),
      label: 'stop loss',
    });
  }
}

function stopPriceOf(run: AlgoRun, stopLoss: PriceOrPercent, reference: Dec): Dec {
  return 'price' in stopLoss ? stopLoss.price : run.down(reference, stopLoss.percent);
}

/**
 * Returns the problem of a MARKET entry whose price, known only now, is on the wrong side of a target or
 * stop: then nothing is bought.
 */
function wrongSide(run: AlgoRun, price: Dec): string | null {
  const { takeProfit, stopLoss, side } = run.settings;
  const { rules } = run;
  const [above, below] = run.settings.short ? ['below', 'above'] : ['above', 'below'];
  if (
    takeProfit &&
    'price' in takeProfit &&
    (takeProfit.price === price || !run.better(takeProfit.price, price))
  ) {
    return `takeProfit ${text(takeProfit.price)} must be ${above} the entry ${text(price)} for a ${side} of ${rules.symbol}`;
  }
  if (stopLoss && 'price' in stopLoss && (stopLoss.price === price || run.better(stopLoss.price, price))) {
    return `stopLoss ${text(stopLoss.price)} must be ${below} the entry ${text(price)} for a ${side} of ${rules.symbol}`;
  }
  return null;
}

function abs(value: Dec): Dec {
  return value < ZERO ? -value : value;
}
