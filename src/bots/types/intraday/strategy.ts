/**
 * INTRADAY: bounce from, or breakout of, one level or trend line, with laddered take-profits (strategies.md
 * 6). Pure.
 */
import { type Dec, div, floorTo, maxDec, minDec, mul, ONE, ZERO } from '../../../domain/decimal.ts';
import { type LineSide, sideOf } from '../../market/price-line.ts';
import { entryProblem, leastQty } from '../../run/minimum.ts';
import type { Strategy, StrategyRun } from '../../strategy.ts';
import type { IntradaySettings } from './settings.ts';

const HUNDRED = 100n * ONE;
const ENTRY = 'entry';

export interface IntradayState {
  /** `broken`: the line was broken, and a return to it is waited for; `retested`: the price has returned. */
  stage: 'watching' | 'touched' | 'broken' | 'retested' | 'entering' | 'holding';
  /** Worst price since the touch (or the retest). */
  low: Dec | null;
  cycle: number;
  /** Number of take-profits of this cycle that have filled completely. */
  taken: number;
  /** Quantity that each take-profit has sold in this cycle; left out by runs that an older version stored. */
  sold?: Dec[];
  /** `breakevenAfter`: the stop is checked from the tick after this one. */
  breakeven: 'off' | 'next' | 'on';
  /** True when the time `expiresAt` has come. */
  expired: boolean;
}

type IntradayRun = StrategyRun<IntradaySettings, IntradayState>;

export const intradayStrategy: Strategy<IntradaySettings, IntradayState> = {
  needsPrice: true,

  startProblems({ buy }, rules, budget, price) {
    const problem = price === null ? null : entryProblem('entry', budget, price, rules, buy?.size);
    return problem ? [problem] : [];
  },

  begin(run) {
    if (run.settings.expiresAt !== null) run.timer('expire', run.settings.expiresAt);
    return { stage: 'watching', low: null, cycle: 1, taken: 0, breakeven: 'off', expired: false };
  },

  stopCompletesCycle: () => true,

  onTick(run) {
    if (run.lots.open.length > 0) protect(run);
    else watch(run);
  },

  onTimer(run, name) {
    if (name !== 'expire') return;
    run.own.expired = true;
    run.want(ENTRY, null);
    if (run.lots.open.length === 0) run.end('expired');
  },

  onFill(run, order, fill) {
    run.changed = true;
    if (order.role === 'entry') {
      run.own.stage = 'holding';
      placeTargets(run);
      return;
    }
    if (order.slot.startsWith('target '))
      targetFilled(run, Number(order.slot.slice('target '.length)), fill.qty);
    if (run.lots.open.length === 0) finishCycle(run, true);
  },

  onDust(run) {
    if (run.lots.open.length > 0) return;
    if (!run.cameToDust) finishCycle(run, true);
    else if (run.own.expired) run.end('expired');
    else reset(run);
  },

  onEnded(run, order) {
    // The entry has bought nothing: the level is watched again.
    if (order.role === 'entry' && run.lots.open.length === 0 && run.own.stage === 'entering') reset(run);
  },

  onGate(run, open) {
    if (!open && run.own.stage === 'entering' && run.lots.open.length === 0) reset(run);
  },

  onStopped(run) {
    if (run.lots.open.length === 0) finishCycle(run, false);
  },

  label({ own, lots }) {
    if (lots.open.length > 0) return 'holding';
    if (own.stage === 'touched') return 'touched';
    return own.stage === 'broken' || own.stage === 'retested' ? 'broken' : 'watching';
  },
};

/** Watches for an entry: the previous tick is compared with the line at its own time. */
function watch(run: IntradayRun): void {
  const { own, settings, before, price } = run;
  if (own.expired || before === null) return;
  const { touchPercent, confirmPercent, invalidPercent } = settings;
  const now = (percent: Dec) => side(run, run.now, price, percent);
  const then = (percent: Dec) => side(run, before.at, before.price, percent);
  switch (own.stage) {
    case 'entering': {
      const waits = run.slots.get(ENTRY)?.orders.length === 0;
      const direct = settings.mode === 'breakout' && !settings.retest;
      // A refused entry is tried again only while its condition holds.
      if (waits && now(direct ? confirmPercent : -invalidPercent) === -1) reset(run);
      return;
    }
    case 'watching':
      if (settings.mode === 'bounce') {
        const touch = now(touchPercent);
        if (then(touchPercent) === 1 && (touch === 0 || touch === -1)) arm(run, 'touched');
      } else {
        const broken = now(confirmPercent);
        if (then(confirmPercent) === -1 && (broken === 0 || broken === 1)) {
          if (settings.retest) move(run, 'broken');
          else enter(run);
        }
      }
      return;
    case 'broken': {
      const back = now(touchPercent);
      if (now(-invalidPercent) === -1) reset(run);
      else if (back === 0 || back === -1) arm(run, 'retested');
      return;
    }
    default:
      if (now(-invalidPercent) === -1) {
        reset(run);
        return;
      }
      confirm(run);
  }
}

/** Enters when the price has turned by `confirmPercent` from its worst since the touch. */
function confirm(run: IntradayRun): void {
  const { own, settings, price } = run;
  if (own.low === null || !run.better(price, own.low)) {
    own.low = price;
    run.moved = true;
  }
  if (run.better(price, run.up(own.low, settings.confirmPercent))) enter(run);
}

function enter(run: IntradayRun): void {
  const { own } = run;
  if (!run.state.gate) return;
  own.stage = 'entering';
  run.want(ENTRY, {
    role: 'entry',
    type: 'MARKET',
    price: null,
    stopPrice: null,
    parts: [
      { lot: `entry ${own.cycle}`, label: 'entry', budget: run.notional(run.cycleBudget()), qty: null },
    ],
  });
}

/** Places all take-profits. */
function placeTargets(run: IntradayRun): void {
  const { settings, lots } = run;
  const average = lots.averageEntry();
  if (average === null) return;
  const lotKeys = lots.open.map(({ key }) => key);
  const prices = settings.takeProfits.map(({ price, percent }) => price ?? run.up(average, percent ?? ZERO));
  for (const [i, qty] of targetQuantities(run, prices).entries()) {
    run.want(
      `target ${i}`,
      qty <= ZERO
        ? null
        : {
            role: 'exit',
            type: 'LIMIT',
            price: prices[i] as Dec,
            stopPrice: null,
            lots: lotKeys,
            qty,
            label: `take profit ${i + 1}`,
            trail: null,
          },
    );
  }
}

/**
 * Returns the quantity of each take-profit: its share of all that was bought, rounded down, less what it has
 * sold; the last takes the rest. A quantity below the exchange's minimum goes to the last one, or from the
 * last to the one before.
 */
function targetQuantities(run: IntradayRun, prices: readonly Dec[]): Dec[] {
  const { settings, lots, rules, own } = run;
  const isTooSmall = (qty: Dec, i: number) => qty < leastQty('exit', prices[i] as Dec, rules);
  const sold = own.sold ?? [];
  let rest = floorTo(lots.total() + lots.state.dust, rules.step);
  const whole = sold.reduce((sum, one) => sum + one, rest);
  const last = settings.takeProfits.length - 1;
  const quantities = settings.takeProfits.map(({ size }, i) => {
    const share = floorTo(div(mul(whole, size), HUNDRED), rules.step) - (sold[i] ?? ZERO);
    const qty = i === last ? rest : minDec(maxDec(share, ZERO), rest);
    if (i < last && isTooSmall(qty, i)) return ZERO;
    rest -= qty;
    return qty;
  });
  const before = quantities.findLastIndex((qty, i) => i < last && qty > ZERO);
  const left = quantities[last] ?? ZERO;
  if (before < 0 || left === ZERO || !isTooSmall(left, last)) return quantities;
  quantities[before] = (quantities[before] ?? ZERO) + left;
  quantities[last] = ZERO;
  return quantities;
}

/** Handles a fill of a take-profit, partial or complete. */
function targetFilled(run: IntradayRun, i: number, qty: Dec): void {
  const { own, settings } = run;
  own.sold ??= [];
  own.sold = settings.takeProfits.map((_target, k) => (own.sold?.[k] ?? ZERO) + (k === i ? qty : ZERO));
  own.taken = own.sold.filter((sold, k) => sold > ZERO && !run.slots.get(`target ${k}`)?.want).length;
  if (settings.breakevenAfter === null || own.taken < settings.breakevenAfter || own.breakeven !== 'off')
    return;
  // The stop is checked from the next tick on: the present one does not count.
  own.breakeven = run.tickPending ? 'next' : 'on';
}

/** The break-even stop of `breakevenAfter`; it does not count for maxStops. */
function protect(run: IntradayRun): void {
  const { own, lots, price } = run;
  if (own.breakeven === 'off' || lots.open.some(({ closing }) => closing)) return;
  if (own.breakeven === 'next') {
    own.breakeven = 'on';
    run.changed = true;
    return;
  }
  const level = lots.breakEven();
  if (level === null || !run.better(level, price)) return;
  run.notice(1, 'break-even stop fired');
  run.close(
    'breakeven',
    lots.open.map(({ key }) => key),
    'break-even stop',
  );
}

/** Ends the cycle when the position is zero. `counts`: no stop rule has counted the cycle yet. */
function finishCycle(run: IntradayRun, counts: boolean): void {
  const { own, settings, state } = run;
  if (counts) run.cycle();
  for (const i of settings.takeProfits.keys()) run.want(`target ${i}`, null);
  if (settings.onetime || state.stats.cycles >= settings.maxEntries) run.end('completed');
  else if (own.expired) run.end('expired');
  else {
    own.cycle++;
    reset(run);
  }
}

function arm(run: IntradayRun, stage: 'touched' | 'retested'): void {
  run.own.low = run.price;
  move(run, stage);
}

function reset(run: IntradayRun): void {
  run.want(ENTRY, null);
  run.own.low = null;
  run.own.taken = 0;
  run.own.sold = [];
  run.own.breakeven = 'off';
  move(run, 'watching');
}

function move(run: IntradayRun, stage: IntradayState['stage']): void {
  run.own.stage = stage;
  run.changed = true;
}

/**
 * Side of the line, moved by percent to the winning side, on which a price is: 1 = beyond it on the winning
 * side.
 */
function side(run: IntradayRun, at: number, price: Dec, percent: Dec): LineSide {
  const { short, trend } = run.settings;
  const where = sideOf(trend, at, price, short ? -percent : percent);
  if (!short || where === null) return where;
  return where === 0 ? 0 : where === 1 ? -1 : 1;
}
