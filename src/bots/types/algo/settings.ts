/** Settings of ALGO: bracket, tpsl, twap (strategies.md 7). Minutes become ms here. Pure. */
import { type Dec, decOfInt, str } from '../../../domain/decimal.ts';
import { MINUTE_MS } from '../../../schemas/bots/parts.ts';
import { readTrader, stopGround } from '../../settings/common.ts';
import type { CompiledSettings, RestartOptions } from '../../settings/compiled.ts';
import { readPriceOr, type SettingsContext } from '../../settings/context.ts';
import { readDeposit } from '../../settings/deposit.ts';
import type { Fields } from '../../settings/fields.ts';
import { readStops } from '../../settings/stop.ts';
import { Entry, Protection, type AlgoSettings as Schema, Target } from './schema.ts';
import { slicesProblem } from './twap-slices.ts';

/** A target or stop as a price, or as percent from the reference. */
export type PriceOrPercent = { readonly price: Dec } | { readonly percent: Dec };

export interface AlgoSettings extends CompiledSettings {
  readonly type: 'ALGO';
  readonly algo: 'bracket' | 'tpsl' | 'twap';
  readonly side: 'BUY' | 'SELL';
  /** Base units; null: by deposit, or the whole position (tpsl). */
  readonly quantity: Dec | null;
  readonly entry: {
    readonly type: 'MARKET' | 'LIMIT' | 'STOP_MARKET';
    readonly price: Dec | null;
    readonly stopPrice: Dec | null;
  } | null;
  readonly takeProfit: PriceOrPercent | null;
  readonly stopLoss: (PriceOrPercent & { readonly limitPrice: Dec | null }) | null;
  /** Time until an unfilled entry is cancelled, ms; null: never. */
  readonly expire: number | null;
  readonly twap: {
    /** ms */
    readonly duration: number;
    /** Time between slices, ms. */
    readonly interval: number;
    readonly slices: number;
    readonly limitOffset: Dec | null;
    readonly priceLimit: Dec | null;
    /** Jitter in percent, 0 to 50. */
    readonly jitter: Dec;
  } | null;
}

type SettingsFields = Fields<(typeof Schema)['properties']>;
type Algo = AlgoSettings['algo'];
type Side = AlgoSettings['side'];
type Name = Parameters<SettingsFields['has']>[0];

/** Fields that not every algo uses. */
const BELONGS_TO: readonly (readonly [name: Name, algos: readonly Algo[]])[] = [
  ['entry', ['bracket']],
  ['expire', ['bracket']],
  ['takeProfit', ['bracket', 'tpsl']],
  ['stopLoss', ['bracket', 'tpsl']],
  ['duration', ['twap']],
  ['limitOffset', ['twap']],
  ['priceLimit', ['twap']],
  ['jitter', ['twap']],
];
const HUNDRED = decOfInt(100);

export function compileAlgo(
  f: SettingsFields,
  ground: SettingsContext,
  options: RestartOptions,
): AlgoSettings {
  const minutes = f.integer('timeFrame');
  const given = f.choice('algo');
  const algo = f.reads('algo') ? given : null;
  const side = f.choice('side');
  const own = { timeFrame: minutes * MINUTE_MS, options };
  // The side of a tpsl is that of its exit, so SELL closes a long.
  const short = (algo === 'bracket' && side === 'SELL') || (algo === 'tpsl' && side === 'BUY');
  const sides =
    algo === 'twap' || algo === null ? (['LONG', 'SHORT'] as const) : ([short ? 'SHORT' : 'LONG'] as const);
  if (short && ground.account?.kind === 'spot' && f.reads('side')) {
    const what = algo === 'bracket' ? 'a SELL bracket opens' : 'a BUY exit closes';
    f.problem('side', `${what} a short, which needs a futures or swap account; ${ground.account.id} is spot`);
  }
  const sized = readSize(f, ground, algo, f.reads('side') ? side : null);
  const paired = algo === 'bracket' || algo === 'tpsl';
  const entry = algo === 'bracket' ? readEntry(f, ground) : null;
  const takeProfit = paired ? readTarget(f, ground, short) : null;
  const stopLoss = paired ? readProtection(f, ground, short) : null;
  if (algo !== null) warnOfOthers(f, algo);
  if (paired && takeProfit && stopLoss && f.reads('side', 'entry'))
    checkSides(f, algo, side, entry, takeProfit, stopLoss);
  const twap = algo === 'twap' ? readTwap(f, ground, minutes) : null;
  if (twap && sized.deposit && f.reads('deposit', 'duration', 'timeFrame')) {
    const problem = slicesProblem(twap.slices, sized.deposit, ground.rules);
    if (problem) f.check.refuse(problem.path, problem.message);
  }
  const expire = f.integerOr('expire');
  return {
    ...readTrader(f, ground, own, sides),
    ...sized,
    short,
    stops: readStops(f, stopGround(ground, own, short)),
    type: 'ALGO',
    algo: given,
    side,
    entry,
    takeProfit,
    stopLoss,
    expire: expire === null ? null : expire * MINUTE_MS,
    twap,
  };
}

function warnOfOthers(f: SettingsFields, algo: Algo): void {
  for (const [name, algos] of BELONGS_TO) {
    if (!algos.includes(algo) && f.has(name)) f.warn(name, `has no effect with algo ${algo}`);
  }
}

/** Reads the size: a quantity, or for a BUY a deposit; tpsl on futures may have neither. */
function readSize(
  f: SettingsFields,
  ground: SettingsContext,
  algo: Algo | null,
  side: Side | null,
): Pick<AlgoSettings, 'quantity' | 'deposit'> {
  const quantity = f.decimalOr('quantity');
  const deposit = readDeposit(f, ground);
  if (f.has('deposit')) {
    if (algo === 'tpsl') f.problem('deposit', 'is not for tpsl, which buys nothing; give quantity');
    else if (side === 'SELL') f.problem('deposit', 'is for a BUY; a SELL needs quantity');
    else if (f.has('quantity')) f.problem('quantity', 'give quantity or deposit, not both');
  } else if (!f.has('quantity') && algo !== null && side !== null) {
    const whole = algo === 'tpsl' && ground.account?.kind !== 'spot';
    const or = algo !== 'tpsl' && side === 'BUY' ? ', or deposit given' : '';
    if (!whole) f.problem('quantity', `missing; must be a decimal above 0${or}`);
  }
  return { quantity, deposit };
}

function readEntry(f: SettingsFields, { rules }: SettingsContext): AlgoSettings['entry'] {
  if (!f.has('entry')) f.problem('entry', 'missing; a bracket needs its type: MARKET, LIMIT or STOP_MARKET');
  const e = f.group('entry', Entry);
  if (!e) return null;
  const type = e.choice('type');
  const entry = {
    type,
    price: readPriceOr(e, 'price', rules),
    stopPrice: readPriceOr(e, 'stopPrice', rules),
  };
  if (!e.reads('type')) return entry;
  for (const [name, owner] of [
    ['price', 'LIMIT'],
    ['stopPrice', 'STOP_MARKET'],
  ] as const) {
    if (type === owner && !e.has(name)) e.problem(name, `missing; a ${owner} entry needs it`);
    if (type !== owner && e.has(name)) e.warn(name, `has no effect with a ${type} entry`);
  }
  return entry;
}

function readTarget(f: SettingsFields, { rules }: SettingsContext, short: boolean): PriceOrPercent | null {
  if (!f.has('takeProfit')) f.problem('takeProfit', 'missing; must hold price or percent');
  const t = f.group('takeProfit', Target);
  return t && priceOrPercent(t, rules, short);
}

function readProtection(
  f: SettingsFields,
  { rules }: SettingsContext,
  short: boolean,
): AlgoSettings['stopLoss'] {
  if (!f.has('stopLoss')) f.problem('stopLoss', 'missing; must hold price or percent');
  const s = f.group('stopLoss', Protection);
  if (!s) return null;
  return { ...priceOrPercent(s, rules, !short), limitPrice: readPriceOr(s, 'limitPrice', rules) };
}

/** `below`: the target is below the reference, where it must stay under 100 percent. */
function priceOrPercent(
  t: Fields<(typeof Target)['properties']>,
  rules: SettingsContext['rules'],
  below: boolean,
): PriceOrPercent {
  const price = readPriceOr(t, 'price', rules);
  const percent = t.decimalOr('percent');
  if (t.has('price') === t.has('percent')) t.check.problem(t.path, 'needs either price or percent');
  else if (below && percent !== null && percent >= HUNDRED && t.reads('percent')) {
    t.problem('percent', `must be below 100, got ${str(percent)}`);
  }
  return price === null ? { percent: percent ?? HUNDRED } : { price };
}

/**
 * Checks that the prices lie on both sides of the entry, or of each other where the entry's price is known
 * later.
 */
function checkSides(
  f: SettingsFields,
  algo: Algo | null,
  side: Side,
  entry: AlgoSettings['entry'],
  takeProfit: PriceOrPercent,
  stopLoss: PriceOrPercent,
): void {
  const isLong = (side === 'BUY') === (algo === 'bracket');
  const target = priceOf(f, 'takeProfit', takeProfit);
  const stop = priceOf(f, 'stopLoss', stopLoss);
  const at = entry?.type === 'LIMIT' ? entry.price : entry?.type === 'STOP_MARKET' ? entry.stopPrice : null;
  const forWhat = algo === 'bracket' ? `for a ${side}` : `for a ${side} exit`;
  const check = (name: string, price: Dec | null, above: boolean, other: string, reference: Dec | null) => {
    if (price === null || reference === null) return;
    if (above ? price > reference : price < reference) return;
    const word = above ? 'above' : 'below';
    f.check.refuse('', `${name} ${str(price)} must be ${word} the ${other} ${str(reference)} ${forWhat}`);
  };
  if (at === null) {
    check('takeProfit', target, isLong, 'stopLoss', stop);
    return;
  }
  check('takeProfit', target, isLong, 'entry', at);
  check('stopLoss', stop, !isLong, 'entry', at);
}

function priceOf(f: SettingsFields, name: 'takeProfit' | 'stopLoss', where: PriceOrPercent): Dec | null {
  return 'price' in where && f.reads(name) ? where.price : null;
}

function readTwap(f: SettingsFields, { rules }: SettingsContext, minutes: number): AlgoSettings['twap'] {
  if (!f.has('duration')) f.problem('duration', 'missing; a twap needs its minutes');
  const duration = f.integerOr('duration') ?? minutes;
  return {
    duration: duration * MINUTE_MS,
    interval: minutes * MINUTE_MS,
    slices: Math.max(1, Math.floor(duration / minutes)),
    limitOffset: f.decimalOr('limitOffset'),
    priceLimit: readPriceOr(f, 'priceLimit', rules),
    jitter: f.decimal('jitter'),
  };
}
