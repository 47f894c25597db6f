/**
 * The ladder of a bot: every price at which it would enter, sell or stop, the size of each order, and the
 * total it needs. Made by the runtime itself: the run is begun at the present price and led through its
 * entries on a simulated market (`walk.ts`); no rule of a strategy is computed a second time. Pure.
 */
import { type Dec, div, maxDec, mul, ONE, str, ZERO } from '../../domain/decimal.ts';
import { lineAt } from '../market/price-line.ts';
import { leastQty } from '../run/minimum.ts';
import { stopLevel } from '../run/stops.ts';
import type { CompiledSettings, MarketRules, Problem } from '../settings/compiled.ts';
import { fixedRules } from '../settings/market-rules.ts';
import { wordsOf } from '../types/index.ts';
import { kindOf } from '../types/kinds.ts';
import type { LadderKind } from './ladder-text.ts';
import { liquidationOf, type Tier } from './liquidation.ts';
import { plainSettings } from './plain-settings.ts';
import { type Sent, Walk } from './walk.ts';

export interface LadderGround {
  readonly rules: MarketRules;
  /** Last price. */
  readonly price: Dec;
  /** Market time, Unix ms. */
  readonly now: number;
  /** Amounts of the quote or margin asset, and of the base asset, that a run could use. */
  readonly available: Dec;
  readonly base: Dec;
  /** Futures: position held in the symbol. */
  readonly position: { readonly amount: Dec; readonly entryPrice: Dec } | null;
  /** Futures: leverage brackets of the symbol. */
  readonly tiers: readonly Tier[];
  /** Futures: margin type and leverage of the symbol, where the settings do not say. */
  readonly crossed: boolean;
  readonly leverage: number;
}

export interface LadderLine {
  readonly kind: LadderKind;
  readonly label: string;
  readonly price: Dec;
  readonly side: 'BUY' | 'SELL' | null;
  readonly type: string | null;
  readonly qty: Dec | null;
  readonly quote: Dec | null;
  readonly fee: Dec | null;
  readonly when: 'now' | 'later' | 'waits';
  /** Below the exchange's minimum. */
  readonly tooSmall?: boolean;
}

export interface Ladder {
  readonly budget: Dec | null;
  readonly leverage: number;
  /** From the highest price to the lowest. */
  readonly lines: readonly LadderLine[];
  readonly entries: number;
  readonly averageEntry: Dec | null;
  readonly least: Dec | null;
  readonly worst: Dec | null;
  readonly fees: Dec | null;
  readonly profit: Dec | null;
  readonly liquidation: Dec | null;
  readonly belowMinimum: string | null;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

const HUNDRED = 100n * ONE;
/** When all entries are this many times above or below the price, the ladder asks about them. */
const OTHER_MARKET = 2n;
/** Factor of the balance beyond the budget: the ladder shows the bot, not the balance. */
const ROOM = 1_000n;
/** Balance of a bot without a deposit: its orders have quantities of their own. */
const PLENTY = 10n ** 15n * ONE;

export function ladderOf(settings: CompiledSettings, ground: LadderGround): Ladder {
  const { rules, price, now } = ground;
  const start = startOf(settings, ground);
  const plain = plainSettings(settings, start.budget, now);
  // Orders that the exchange would not take are laid out as well, and marked as too small.
  const lenient = fixedRules(rules, { minQty: rules.step, minNotional: ZERO });
  const open = () =>
    new Walk({ settings: plain.settings, ...roomy(ground, settings, start.budget), rules: lenient, now });
  const lines: LadderLine[] = fixedLines(settings, now);
  const tooSmall = start.problems.find(({ belowMinimum }) => belowMinimum);
  const common = {
    budget: settings.deposit ? start.budget : null,
    leverage: rules.kind === 'futures' ? (settings.deposit?.leverage ?? 1) : 1,
    belowMinimum: tooSmall ? textOf(tooSmall) : null,
    problems: start.problems.filter(({ belowMinimum }) => !belowMinimum).map(textOf),
    notes: plain.notes,
  };
  if (!wordsOf(settings.type).trades) {
    return { ...common, ...NOTHING, lines: sorted(lines) };
  }
  const near = open();
  near.begin(price);
  const above = waitingFrom(near, settings, price);
  const bought = kindOf(settings.type).ladder.buysAtStart?.(settings) === true;
  // By the time the last entry fills, entries that wait for the price may have filled as well: this walk
  // begins beyond all of them.
  const far = above === null ? null : played(open(), plain.settings, above);
  const own = far && !bought ? null : played(near, plain.settings, price);
  const begun = new Set(entriesOf(near).map(({ label }) => label));
  const whole = far && (own === null || far.worst > own.worst) ? far : (own ?? (far as Playing));
  lines.push(...(own?.lines ?? []));
  const known = new Set(own?.lines.map(({ kind, label }) => `${kind} ${label}`));
  for (const line of far?.lines ?? []) {
    if (known.has(`${line.kind} ${line.label}`)) continue;
    lines.push({ ...line, when: !begun.has(line.label) ? 'waits' : line.kind === 'entry' ? 'now' : 'later' });
  }
  const least = own?.least ?? nearestUse(lines, price, near) ?? far?.least ?? null;
  lines.push(...stopLines(settings, whole.walk));
  return {
    ...common,
    lines: sorted(lines).map((line) => ({ ...line, tooSmall: isTooSmall(line, rules) })),
    entries: lines.filter(({ kind }) => kind === 'entry').length,
    averageEntry: whole.walk.run.lots.averageEntry(),
    least,
    worst: maxDec(whole.worst, least ?? ZERO),
    fees: whole.fees,
    profit: whole.profit,
    liquidation: liquidationIn(settings, ground, whole),
    problems: [...common.problems, ...otherMarket(lines, price)],
    notes: [...common.notes, ...(whole.complete ? [] : ['There are more entries than are shown.'])],
  };
}

/** Reports prices that may have been written for another symbol: nothing else would report them. */
function otherMarket(lines: readonly LadderLine[], price: Dec): string[] {
  const entries = lines.filter(({ kind }) => kind === 'entry');
  const isFar = (at: Dec) => at > price * OTHER_MARKET || at * OTHER_MARKET < price;
  if (entries.length === 0 || !entries.every((line) => isFar(line.price))) return [];
  const near = `half of the price ${str(price)} and twice of it`;
  return [`no entry is between ${near}: are these the levels of another market?`];
}

function textOf({ path, message }: Problem): string {
  return path === '' ? message : `${path}: ${message}`;
}

const NOTHING = {
  entries: 0,
  averageEntry: null,
  least: null,
  worst: null,
  fees: null,
  profit: null,
  liquidation: null,
} as const;

/** Budget and problems as a start at this moment would have them. */
function startOf(
  settings: CompiledSettings,
  { rules, price, now, available, base, position }: LadderGround,
): { budget: Dec; problems: readonly Problem[] } {
  const walk = new Walk({ settings, rules, now, quote: available, base, position });
  const { run } = walk;
  const unfunded = run.fund();
  const { budget } = run.state;
  const planned = wordsOf(settings.type).trades ? walk.planned(run.notional(budget), price) : [];
  return { budget, problems: [...planned, ...(unfunded ? [unfunded] : [])] };
}

function roomy({ rules, base, position }: LadderGround, { deposit }: CompiledSettings, budget: Dec) {
  const some = rules.kind === 'futures' ? budget * ROOM + ONE * ROOM : budget;
  const quote = deposit === null ? PLENTY : some;
  return { quote: maxDec(quote, ONE), base: maxDec(base, ZERO), position };
}

interface Playing {
  readonly walk: Walk;
  readonly lines: readonly LadderLine[];
  readonly least: Dec | null;
  readonly worst: Dec;
  readonly fees: Dec;
  readonly profit: Dec | null;
  /** Fees of all fills so far, in the quote asset. */
  readonly paid: Dec;
  readonly complete: boolean;
}

/** Walks through all entries; begins at `price` when the walk has not begun yet. */
function played(walk: Walk, settings: CompiledSettings, price: Dec): Playing {
  let least: Dec | null = null;
  let worst = ZERO;
  const look = () => {
    const used = usedBy(walk);
    if (used > ZERO) least ??= used;
    worst = maxDec(worst, used);
  };
  if (walk.run.state.phase === 'waiting') walk.begin(price);
  look();
  kindOf(settings.type).ladder.approach?.(settings, walk);
  look();
  const complete = walk.fillEntries(look);
  const { rules } = walk.market;
  const exits = exitsOf(walk);
  const paid = walk.market.fills.reduce((sum, fill) => sum + feeIn(fill, rules), ZERO);
  const planned = exits.reduce(
    (sum, line) => sum + (line.kind === 'target' ? (line.fee ?? ZERO) : ZERO),
    ZERO,
  );
  return {
    walk,
    lines: [...entriesOf(walk), ...exits],
    least,
    worst,
    fees: paid + planned,
    profit: profitOf(walk, settings, exits),
    paid,
    complete,
  };
}

/** Quote, or margin and fees, that are in use at this moment. */
function usedBy({ run, market }: Walk): Dec {
  const cost = run.lots.cost() + run.lots.state.dustCost;
  if (market.rules.kind === 'spot') return run.settings.short ? ZERO : cost;
  const fees = market.fills.reduce((sum, fill) => sum + feeIn(fill, market.rules), ZERO);
  return div(cost, run.notional(ONE)) + fees;
}

/** Asset used by the entry that fills first from here; null when none rests yet. */
function nearestUse(lines: readonly LadderLine[], price: Dec, { run, market }: Walk): Dec | null {
  const gap = (line: LadderLine) => (line.price > price ? line.price - price : price - line.price);
  const resting = lines.filter(({ kind, when }) => kind === 'entry' && when === 'now');
  const [first, ...rest] = resting;
  if (!first) return null;
  const nearest = rest.reduce((a, b) => (gap(b) < gap(a) ? b : a), first);
  const quote = nearest.quote ?? ZERO;
  if (market.rules.kind === 'spot') return run.settings.short ? null : quote;
  return div(quote, run.notional(ONE)) + (nearest.fee ?? ZERO);
}

function feeIn(
  { fee, feeAsset, price }: { readonly fee: Dec; readonly feeAsset: string; readonly price: Dec },
  { base }: MarketRules,
): Dec {
  return feeAsset === base ? mul(fee, price) : fee;
}

// --- lines ---

/** Entries as they were sent; parts of one quantity are combined. */
function entriesOf({ market }: Walk): LadderLine[] {
  const lines = new Map<string, LadderLine>();
  for (const sent of market.sent) {
    if (sent.order.role !== 'entry') continue;
    const line = orderLine(sent, market.rules, market.fills);
    const name = nameOf(line);
    const before = lines.get(name);
    lines.set(name, before ? added(before, line) : line);
  }
  return [...lines.values()];
}

/**
 * Exits that rest, or wait, once all entries have filled; for one that was moved meanwhile also its first
 * price.
 */
function exitsOf({ market, run }: Walk): LadderLine[] {
  const lines: LadderLine[] = [...heldStop(run, market.rules)];
  const resting = [...market.open()].filter(({ order }) => order.role === 'exit');
  for (const { order, qty } of resting) {
    const first = market.sent.find((one) => one.order.slot === order.slot);
    const at = order.price ?? order.stopPrice ?? ZERO;
    const moved = first !== undefined && first.at !== at;
    const begun = first?.first === true && !moved;
    const line = orderLine({ order: { ...order, qty }, at, first: begun }, market.rules, []);
    if (moved) {
      const before = orderLine(first, market.rules, []);
      lines.push({ ...before, kind: 'line', label: `${line.label}, first`, fee: null });
    }
    const same = lines.findIndex((one) => nameOf(one) === nameOf(line));
    if (same < 0) lines.push(line);
    else lines[same] = added(lines[same] as LadderLine, line);
  }
  return lines;
}

/** The stop of a pair that the engine holds while the target rests. */
function heldStop(run: Walk['run'], rules: MarketRules): LadderLine[] {
  const slot = run.slots.get('stop loss');
  const want = slot?.want;
  if (!want || want.stopPrice === null || slot.orders.length > 0) return [];
  const qty = run.lots.total();
  const quote = mul(qty, want.stopPrice);
  return [
    {
      kind: 'stop',
      label: 'stop loss',
      price: want.stopPrice,
      side: run.settings.short ? 'BUY' : 'SELL',
      type: want.type,
      qty,
      quote,
      fee: mul(quote, rules.takerRate),
      when: 'later',
    },
  ];
}

function orderLine(
  { order, at, first }: Sent,
  rules: MarketRules,
  fills: Walk['market']['fills'],
): LadderLine {
  const own = fills.filter(({ key }) => key === order.key);
  const quote = mul(order.qty, at);
  const resting = order.type === 'LIMIT' ? rules.makerRate : rules.takerRate;
  return {
    kind: order.role === 'entry' ? 'entry' : order.stopPrice !== null ? 'stop' : 'target',
    label: order.label,
    price: at,
    side: order.side,
    type: order.type,
    qty: order.qty,
    quote,
    fee: own.length > 0 ? own.reduce((sum, fill) => sum + feeIn(fill, rules), ZERO) : mul(quote, resting),
    when: first ? 'now' : 'later',
  };
}

function added(a: LadderLine, b: LadderLine): LadderLine {
  const sum = (x: Dec | null, y: Dec | null) => (x === null || y === null ? null : x + y);
  return { ...a, qty: sum(a.qty, b.qty), quote: sum(a.quote, b.quote), fee: sum(a.fee, b.fee) };
}

function nameOf({ kind, label, price }: LadderLine): string {
  return `${kind} ${label} ${price}`;
}

/** Prices that are watched whatever has filled. */
function fixedLines(settings: CompiledSettings, now: number): LadderLine[] {
  const lines: LadderLine[] = [];
  const add = (kind: LadderKind, label: string, price: Dec | null) => {
    if (price === null || price <= ZERO) return;
    lines.push({
      kind,
      label,
      price,
      side: null,
      type: null,
      qty: null,
      quote: null,
      fee: null,
      when: 'later',
    });
  };
  if (settings.startTrigger) add('line', 'start', lineAt(settings.startTrigger.trend, now));
  const own = kindOf(settings.type).ladder.lines?.(settings, now) ?? [];
  for (const { kind, label, price } of own) add(kind, label, price);
  return lines;
}

/** Price at which each stop rule would fire with every entry filled, and what it would sell. */
function stopLines(settings: CompiledSettings, { run, market, host }: Walk): LadderLine[] {
  const average = run.lots.averageEntry();
  if (average === null) return [];
  const { startedAt } = run.state;
  const ctx = { lots: run.lots, market: run.market, short: settings.short, startedAt, now: () => host.now };
  return settings.stops.flatMap((rule): LadderLine[] => {
    if (rule.disabled) return [];
    const state = { armed: true, best: average, sleepsUntil: 0, removed: false };
    const price = stopLevel(rule, state, ctx);
    if (price === null || price <= ZERO) return [];
    const qty = rule.complete ? run.lots.total() : (run.lots.open.at(-1)?.qty ?? ZERO);
    const quote = mul(qty, price);
    return [
      {
        kind: 'stop',
        label: rule.strategy,
        price,
        side: settings.short ? 'BUY' : 'SELL',
        type: rule.order.type,
        qty,
        quote,
        fee: mul(quote, market.rules.takerRate),
        when: 'later',
      },
    ];
  });
}

// --- parts of a walk ---

/** A price beyond every entry that waits for the price to pass it; null when none does. */
function waitingFrom({ run, market }: Walk, settings: CompiledSettings, price: Dec): Dec | null {
  const entries = kindOf(settings.type).ladder.waiting?.(settings) ?? [];
  const waiting = entries.filter((entry) => !run.better(price, entry) || entry === price);
  if (waiting.length === 0) return null;
  const far = waiting.reduce((a, b) => (run.better(a, b) ? a : b));
  const { tick } = market.rules;
  const beyond = settings.short ? far - tick : far + tick;
  return beyond > ZERO ? beyond : null;
}

/**
 * Profit of one cycle of every entry, as the run will book it; null where not everything has a target. Dust
 * that the exchange's step leaves behind keeps its cost.
 */
function profitOf({ run }: Walk, settings: CompiledSettings, exits: readonly LadderLine[]): Dec | null {
  const targets = exits.filter(({ kind }) => kind === 'target');
  if (targets.length === 0 || settings.profitAsset === 'base') return null;
  let quote = ZERO;
  let qty = ZERO;
  let fees = ZERO;
  for (const target of targets) {
    quote += target.quote ?? ZERO;
    qty += target.qty ?? ZERO;
    fees += target.fee ?? ZERO;
  }
  const { lots } = run;
  const total = lots.total();
  const held = total + lots.state.dust;
  // Less than a hundredth of the quantity may remain as dust.
  if (held === ZERO || qty === ZERO || mul(held - qty, HUNDRED) > held) return null;
  const cost = qty === total ? lots.cost() : div(mul(lots.cost(), qty), total);
  // Entry fees that were not taken from the bought quantity are booked already.
  return lots.state.realised + (settings.short ? cost - quote : quote - cost) - fees;
}

function liquidationIn(
  settings: CompiledSettings,
  ground: LadderGround,
  { walk, paid }: Playing,
): Dec | null {
  const { run } = walk;
  const entry = run.lots.averageEntry();
  if (ground.rules.kind !== 'futures' || entry === null) return null;
  const qty = run.lots.total();
  const crossed = settings.marginType === null ? ground.crossed : settings.marginType === 'CROSSED';
  const leverage = settings.deposit?.leverage ?? Math.max(1, ground.leverage);
  const isolated = div(mul(qty, entry), BigInt(leverage) * ONE);
  const margin = crossed ? ground.available - paid : isolated;
  return liquidationOf({ amount: settings.short ? -qty : qty, entry, margin }, ground.tiers);
}

function isTooSmall({ kind, qty, price }: LadderLine, rules: MarketRules): boolean {
  if (qty === null || (kind !== 'entry' && kind !== 'target')) return false;
  return qty < leastQty(kind === 'entry' ? 'entry' : 'exit', price, rules);
}

function sorted(lines: readonly LadderLine[]): LadderLine[] {
  return [...lines].sort((a, b) => (a.price > b.price ? -1 : a.price < b.price ? 1 : 0));
}
