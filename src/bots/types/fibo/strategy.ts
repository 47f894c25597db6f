/**
 * FIBO: a grid of Fibonacci levels between two prices, each with its own entry and target (strategies.md 3).
 * Pure.
 */
import { type Dec, div, mul, ONE, ZERO } from '../../../domain/decimal.ts';
import { percentFrom } from '../../run/gates.ts';
import { entryProblem } from '../../run/minimum.ts';
import type { Lot, RunOrder, Strategy, StrategyRun } from '../../strategy.ts';
import { exitSlot, exitSlots, leftToSell, quantitiesOf } from './exit-quantities.ts';
import { entryPrice, ladderOf, type Rung, targetPrice } from './rungs.ts';
import type { FiboSettings } from './settings.ts';

const HUNDRED = 100n * ONE;
/** Slot of the order in which all armed channels buy together. */
const TRAILED = 'trailed';

/** State of one level. */
interface Channel {
  readonly rung: Rung;
  /** Key of the lot it buys, or has bought. */
  lot: string;
  /** True when the price has been above the level since the channel became free. */
  ready: boolean;
  /** Budget of the resting entry, so that it is never resized; null without one. */
  budget: Dec | null;
  /** Entry price at which it was placed. */
  entry: Dec | null;
  /** `trailing`: the price has reached the level. */
  armed: boolean;
}

export interface FiboState {
  readonly channels: Channel[];
  /** `trailing`: lowest price since the first channel was armed. */
  low: Dec | null;
  /** `green`: highest price since the exits were withdrawn; null while they rest. */
  peak: Dec | null;
  /** Number of lots bought so far; names the next one. */
  bought: number;
  trailing: boolean;
}

type FiboRun = StrategyRun<FiboSettings, FiboState>;

export const fiboStrategy: Strategy<FiboSettings, FiboState> = {
  needsPrice: true,

  startProblems(settings, rules, budget, price) {
    const rungs = ladderOf(settings, rules);
    return rungs.flatMap((rung) => {
      const trails = settings.trailing && settings.trailingFrom === null;
      const at = trails || settings.buy?.type === 'MARKET' ? price : plannedPrice(rung, price);
      if (at === null) return [];
      const part = div(mul(budget, rung.share), HUNDRED);
      const problem = entryProblem(`channel ${rung.name}`, part, at, rules, settings.buy?.size);
      return problem ? [problem] : [];
    });
  },

  begin(run) {
    const { settings } = run;
    const starts = settings.trailingFrom;
    const trailing = settings.trailing && (starts === null || run.now >= starts);
    if (settings.trailing && !trailing) run.timer('trailing', starts);
    const state: FiboState = {
      channels: ladderOf(settings, run.rules).map((rung) => ({
        rung,
        lot: '',
        ready: false,
        budget: null,
        entry: null,
        armed: false,
      })),
      low: null,
      peak: null,
      bought: 0,
      trailing,
    };
    for (const channel of state.channels) channel.ready = isBeyond(run, channel);
    run.state.strategy = state;
    placeEntries(run);
    return state;
  },

  stopCompletesCycle: () => true,

  onTick(run) {
    const { own } = run;
    let changed = false;
    for (const channel of own.channels) {
      if (channel.ready || !isBeyond(run, channel)) continue;
      channel.ready = true;
      changed = true;
    }
    if (changed) {
      run.changed = true;
      placeEntries(run);
    }
    if (own.trailing) trail(run);
    if (run.settings.green !== null) watchGreen(run, run.settings.green);
  },

  onTimer(run, name) {
    if (name !== 'trailing') return;
    run.own.trailing = true;
    for (const channel of run.own.channels) {
      channel.budget = null;
      // If its entry fills before its cancel, the lot is adopted, and the channel buys nothing else
      // meanwhile.
      if (!run.lots.get(channel.lot)) channel.lot = '';
      run.want(entrySlot(channel), null);
    }
  },

  onFill(run, order) {
    if (order.role === 'entry') bought(run, order);
    else freeSold(run);
  },

  onDust: (run) => freeSold(run),

  onGate(run, open) {
    if (!open) armAgain(run);
  },

  onStopped(run, lots, complete) {
    if (complete) {
      nextCycle(run);
      return;
    }
    for (const channel of run.own.channels) {
      if (!lots.includes(channel.lot)) continue;
      free(channel);
      channel.ready = isBeyond(run, channel);
    }
    placeEntries(run);
  },

  quiet(run) {
    const { own, settings, lots } = run;
    if (settings.green !== null && lots.open.length > 0) return null;
    let below: Dec | null = null;
    let above: Dec | null = null;
    for (const channel of own.channels) {
      if (channel.armed) return null;
      const entry = entryPrice(channel.rung, run.price);
      if (!channel.ready) above = settings.short ? above : least(above, entry);
      if (!channel.ready && settings.short) below = most(below, entry);
      if (own.trailing && channel.ready && !run.lots.get(channel.lot)) {
        if (settings.short) above = least(above, entry);
        else below = most(below, entry);
      }
    }
    return { below, above };
  },

  label(run) {
    if (run.own.peak !== null) return 'trailing_sell';
    if (run.own.channels.some(({ armed }) => armed)) return 'armed';
    return run.lots.open.length > 0 ? 'holding' : 'waiting';
  },
};

// --- entries ---

function placeEntries(run: FiboRun): void {
  const { own, settings, lots } = run;
  if (own.trailing) return;
  for (const channel of [...own.channels].sort((a, b) => (a.rung.level > b.rung.level ? -1 : 1))) {
    const holds = lots.get(channel.lot) !== undefined;
    if (holds || !channel.ready || channel.budget !== null) continue;
    if (settings.waitFullSell && lots.open.length > 0 && channel.lot !== '') continue;
    channel.budget = budgetOf(run, channel.rung);
    channel.entry = entryPrice(channel.rung, run.price);
    channel.lot = newLot(run, channel);
    run.want(entrySlot(channel), {
      role: 'entry',
      type: 'LIMIT',
      price: channel.entry,
      stopPrice: null,
      parts: [{ lot: channel.lot, label: labelOf(channel), budget: channel.budget, qty: null }],
    });
  }
}

/** Handles entries that do not rest: armed at their level, bought together when the price has turned. */
function trail(run: FiboRun): void {
  const { own, settings, price } = run;
  for (const channel of own.channels) {
    const holds = run.lots.get(channel.lot) !== undefined;
    if (channel.armed || holds || !channel.ready || channel.budget !== null) continue;
    if (settings.waitFullSell && run.lots.open.length > 0 && channel.lot !== '') continue;
    if (!run.better(entryPrice(channel.rung, price), price)) continue;
    channel.armed = true;
    own.low ??= price;
    run.changed = true;
  }
  const armed = own.channels.filter((channel) => channel.armed);
  if (own.low === null || armed.length === 0) return;
  if (!run.better(price, own.low)) {
    own.low = price;
    run.moved = true;
  }
  if (!run.better(price, run.up(own.low, settings.trailingMaxChange)) || !run.state.gate) return;
  own.low = null;
  const parts = armed.map((channel) => {
    channel.armed = false;
    channel.budget = budgetOf(run, channel.rung);
    channel.entry = price;
    channel.lot = newLot(run, channel);
    return { lot: channel.lot, label: labelOf(channel), budget: channel.budget, qty: null };
  });
  run.want(TRAILED, { role: 'entry', type: 'MARKET', price: null, stopPrice: null, parts });
}

/**
 * Arms the channels of an order again of which nothing was bought: they wait for the next turn of the price.
 */
function armAgain(run: FiboRun): void {
  const { own, lots } = run;
  const want = run.slots.get(TRAILED)?.want;
  if (want?.role !== 'entry' || want.parts.some(({ lot }) => lots.get(lot))) return;
  run.want(TRAILED, null);
  for (const channel of own.channels) {
    if (!want.parts.some(({ lot }) => lot === channel.lot)) continue;
    free(channel);
    channel.armed = true;
  }
  own.low ??= run.price;
}

function budgetOf(run: FiboRun, rung: Rung): Dec {
  const { settings, own, state } = run;
  if (settings.strategy === 'fixed') return run.notional(div(mul(state.budget, rung.share), HUNDRED));
  let shares = ZERO;
  for (const channel of own.channels) shares += channel.rung.share;
  return run.notional(div(mul(state.budget + state.lots.realised, rung.share), shares));
}

/** True when the price is strictly on the far side of the level: an entry there would rest. */
function isBeyond(run: FiboRun, { rung }: Channel): boolean {
  const entry = entryPrice(rung, run.price);
  return run.settings.short ? run.price < entry : run.price > entry;
}

// --- exits ---

function bought(run: FiboRun, order: RunOrder): void {
  const { own, settings } = run;
  run.changed = true;
  for (const { lot } of order.into) {
    const channel = adopt(run, lot);
    if (channel) channel.ready = true;
  }
  if (settings.buyOnly) {
    if (own.channels.every(({ lot }) => complete(run, lot))) run.end('completed');
    return;
  }
  const lots = order.into.map(({ lot }) => lot);
  if (own.peak === null) placeExits(run, lots);
}

/**
 * Returns the channel of a lot that has grown. If its entry was withdrawn but filled before its cancel, the
 * channel buys nothing until that lot is sold.
 */
function adopt(run: FiboRun, lot: string): Channel | undefined {
  const channel = channelOf(run, lot);
  if (!channel || !run.lots.get(lot) || run.lots.get(channel.lot)) return channel;
  run.want(entrySlot(channel), null);
  channel.armed = false;
  channel.lot = lot;
  if (!run.own.channels.some(({ armed }) => armed)) run.own.low = null;
  return channel;
}

/** Returns the channel that has bought a lot. */
function channelOf(run: FiboRun, lot: string): Channel | undefined {
  const { channels } = run.own;
  return (
    channels.find((one) => one.lot === lot) ?? channels.find(({ rung }) => lot.startsWith(`${rung.name} `))
  );
}

/**
 * True when the entry of this lot has filled completely and nothing of it rests any more. A lot that is being
 * sold does not count.
 */
function complete(run: FiboRun, lot: string): boolean {
  if (run.lots.get(lot)?.closing !== false) return false;
  for (const order of run.slots.orders()) if (order.into.some((part) => part.lot === lot)) return false;
  return true;
}

/**
 * Places the exits. `bought`: lots that have just grown; the quantity that no exit sells yet belongs to them.
 */
function placeExits(run: FiboRun, bought: readonly string[] = []): void {
  const { settings } = run;
  const way = settings.sell?.priceStrategy ?? 'fixed';
  const common = wholeTarget(run);
  const grew = ({ key }: Lot) => bought.includes(key);
  const exits = [];
  for (const lot of run.lots.open.toSorted((a, b) => Number(grew(b)) - Number(grew(a)))) {
    const channel = channelOf(run, lot.key);
    if (!channel || lot.closing) continue;
    const entry = div(lot.filledQuote, lot.filledQty);
    const price = way === 'dynamic' ? common : targetPrice(channel.rung, run.price, entry);
    exits.push({ lot, channel, price });
  }
  const quantities = settings.crossChannelSell ? quantitiesOf(run, exits) : null;
  for (const { lot, channel, price } of exits) {
    const name = exitSlot(lot.key);
    const qty = quantities?.get(lot) ?? null;
    if (qty === ZERO) continue;
    const { want } = run.slots.get(name) ?? {};
    if (qty !== null && want?.price === price && qty === leftToSell(run.slots.get(name))) continue;
    run.want(name, {
      role: 'exit',
      type: 'LIMIT',
      price,
      stopPrice: null,
      lots: settings.crossChannelSell ? [] : [lot.key],
      qty,
      label: labelOf(channel),
      trail: way === 'trailing' ? settings.trailingMaxChange : null,
    });
  }
}

/** Target with `dynamic`: the average entry, moved by the mean of the lots' own targets. */
function wholeTarget(run: FiboRun): Dec {
  let quantity = ZERO;
  let worth = ZERO;
  for (const lot of run.lots.open) {
    const channel = channelOf(run, lot.key);
    if (!channel) continue;
    const entry = div(lot.filledQuote, lot.filledQty);
    quantity += lot.filledQty;
    worth += mul(lot.filledQty, targetPrice(channel.rung, run.price, entry));
  }
  return quantity === ZERO ? run.price : div(worth, quantity);
}

/** Lets channels whose lots are gone buy again; completes the cycle when no lot is left. */
function freeSold(run: FiboRun): void {
  run.changed = true;
  const { own, lots } = run;
  if (lots.open.length === 0 && !run.cameToDust) {
    run.cycle();
    if (run.settings.onetime) run.end('completed');
    else nextCycle(run);
    return;
  }
  for (const channel of own.channels) {
    if (channel.lot === '' || lots.get(channel.lot) || !wasBought(run, channel)) continue;
    free(channel);
    channel.ready = isBeyond(run, channel);
  }
  placeEntries(run);
}

/** True when the channel's entry is over; while one still rests, its lot is not open yet. */
function wasBought(run: FiboRun, channel: Channel): boolean {
  const slot = run.slots.get(entrySlot(channel));
  return !slot || (slot.want === null && slot.orders.length === 0);
}

function free(channel: Channel): void {
  channel.budget = null;
  channel.entry = null;
  channel.armed = false;
}

/** Begins the next cycle as at the start: resting orders are cancelled, all entries are placed again. */
function nextCycle(run: FiboRun): void {
  const { own } = run;
  own.low = null;
  own.peak = null;
  run.want(TRAILED, null);
  for (const channel of own.channels) {
    run.want(entrySlot(channel), null);
    free(channel);
    channel.lot = '';
    channel.ready = isBeyond(run, channel);
  }
  placeEntries(run);
}

/** `green`: at that profit a trail below the peak replaces the exits (strategies.md 3). */
function watchGreen(run: FiboRun, green: Dec): void {
  const { own, settings, lots, price } = run;
  const average = lots.averageEntry();
  if (average === null || lots.open.some(({ closing }) => closing)) return;
  const profit = settings.short ? -percentFrom(average, price) : percentFrom(average, price);
  if (own.peak === null) {
    if (profit < green) return;
    own.peak = price;
    run.changed = true;
    for (const { name } of exitSlots(run)) run.want(name, null);
  } else if (run.better(price, own.peak) && price !== own.peak) {
    own.peak = price;
    run.moved = true;
  }
  const trigger = run.down(own.peak, settings.trailingMaxChange);
  if (run.better(trigger, price)) {
    run.close(
      'green',
      lots.open.map(({ key }) => key),
      'green',
    );
  } else if (profit < ZERO) {
    own.peak = null;
    placeExits(run);
  }
}

// --- names ---

function entrySlot({ rung }: Channel): string {
  return `entry ${rung.name}`;
}

function labelOf({ rung }: Channel): string {
  return `channel ${rung.name}`;
}

function newLot(run: FiboRun, { rung }: Channel): string {
  run.own.bought++;
  return `${rung.name} ${run.own.bought}`;
}

function plannedPrice(rung: Rung, price: Dec | null): Dec | null {
  if (rung.buy?.kind === 'from' && rung.buy.from === 'price' && price === null) return null;
  return entryPrice(rung, price ?? ZERO);
}

function least(a: Dec | null, b: Dec): Dec {
  return a === null || b < a ? b : a;
}

function most(a: Dec | null, b: Dec): Dec {
  return a === null || b > a ? b : a;
}
