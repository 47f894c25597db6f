/** Settings of FIBO: channels between two prices (strategies.md 3). Pure. */
import { type Dec, dec, decOfInt, fixed, ONE, str, ZERO } from '../../../domain/decimal.ts';
import { readStrategy } from '../../settings/common.ts';
import type { CompiledSettings, RestartOptions } from '../../settings/compiled.ts';
import { readPriceOr, type SettingsContext } from '../../settings/context.ts';
import type { Fields } from '../../settings/fields.ts';
import { fiboLevel } from '../../settings/levels.ts';
import { sharesProblem } from '../../settings/shares.ts';
import { readStops } from '../../settings/stop.ts';
import {
  FiboChannel as ChannelSchema,
  DynamicBuy,
  DynamicSell,
  type FiboSettings as Schema,
} from './schema.ts';

export interface FiboChannel {
  readonly name: string;
  /** Percent of the deposit. */
  readonly share: Dec;
  /** Computed level price. */
  readonly level: Dec;
  readonly buy: FiboPrice | null;
  readonly sell: FiboPrice | null;
}

/** An entry or target price of a channel that differs from the level's own. */
export type FiboPrice =
  | { readonly kind: 'fixed'; readonly price: Dec }
  | { readonly kind: 'from'; readonly from: 'level' | 'price' | 'entry'; readonly percent: Dec };

export interface FiboSettings extends CompiledSettings {
  readonly type: 'FIBO';
  readonly strategy: 'fixed' | 'auto';
  /** From the lowest level to the highest. */
  readonly channels: readonly FiboChannel[];
  readonly trailing: boolean;
  readonly trailingFrom: number | null;
  readonly trailingMaxChange: Dec;
  readonly buyOnly: boolean;
  readonly waitFullSell: boolean;
  readonly crossChannelSell: boolean;
  readonly mergeChannels: boolean;
  /** Profit in percent; null: off. */
  readonly green: Dec | null;
}

type SettingsFields = Fields<(typeof Schema)['properties']>;
type ChannelFields = Fields<(typeof ChannelSchema)['properties']>;
/** A channel before its level is known. */
type Draft = Omit<FiboChannel, 'level'> & { readonly fiboPrice: Dec | null; readonly f: ChannelFields };

const YEAR_MS = 365 * 86_400_000;
const HUNDRED = decOfInt(100);

export function compileFibo(
  f: SettingsFields,
  ground: SettingsContext,
  options: RestartOptions,
): FiboSettings {
  const timeFrame = f.integerOr('timeFrame');
  const common = readStrategy(f, ground, { timeFrame, options }, (on) => readStops(f, on));
  const channels = readChannels(f, ground);
  const limit = f.decimalOr('maxRangePercent');
  if (channels && limit !== null && f.reads('maxRangePercent')) checkSpan(f, channels, limit);
  if (channels && common.short) checkShortTarget(f, channels);
  return {
    ...common,
    type: 'FIBO',
    strategy: f.choice('strategy'),
    channels: channels ?? [],
    trailing: f.flag('trailing'),
    trailingFrom: readTrailingFrom(f, ground.world.now),
    trailingMaxChange: f.decimal('trailingMaxChange'),
    buyOnly: f.flag('buyOnly'),
    waitFullSell: f.flag('waitFullSell'),
    crossChannelSell: f.flag('crossChannelSell'),
    mergeChannels: f.flag('mergeChannels'),
    green: f.decimalOr('green'),
  };
}

/** Reads the channels, lowest level first; null when their levels are not known. */
function readChannels(f: SettingsFields, ground: SettingsContext): readonly FiboChannel[] | null {
  const given = f.each('channels', ChannelSchema);
  if (!Array.isArray(f.raw('channels'))) return null;
  const drafts = given.map((channel) => readChannel(channel, ground));
  checkNames(f, drafts);
  if (drafts.every(({ f: channel }) => channel.reads('depositePercent'))) {
    const message = sharesProblem(
      'depositePercent',
      drafts.map(({ share }) => share),
    );
    if (message !== null) f.refuse('channels', message);
  }
  return f.reads('channels') ? ladder(f, drafts) : null;
}

function readChannel(f: ChannelFields, { rules }: SettingsContext): Draft {
  return {
    f,
    name: f.choice('name'),
    share: f.decimal('depositePercent'),
    fiboPrice: readPriceOr(f, 'fiboPrice', rules),
    buy: readTarget(f, 'buy', DynamicBuy, rules),
    sell: readTarget(f, 'sell', DynamicSell, rules),
  };
}

/** Reads a price, or `{from, percent}`; null when left out: the strategy's own price. */
function readTarget(
  f: ChannelFields,
  name: 'buy' | 'sell',
  schema: typeof DynamicBuy | typeof DynamicSell,
  rules: SettingsContext['rules'],
): FiboPrice | null {
  if (!f.has(name)) return null;
  if (typeof f.raw(name) !== 'object') {
    const price = readPriceOr(f, name, rules);
    return price === null ? null : { kind: 'fixed', price };
  }
  // Both schemas have the same fields; `from` has one more choice for a sale.
  const target = f.group(name, schema as typeof DynamicSell);
  return target && { kind: 'from', from: target.choice('from'), percent: target.decimal('percent') };
}

function checkNames(f: SettingsFields, drafts: readonly Draft[]): void {
  const seen = new Set<string>();
  for (const { f: channel, name } of drafts) {
    if (!channel.reads('name')) continue;
    if (seen.has(name)) f.problem('channels', `${name} is given twice`);
    seen.add(name);
  }
  // A channel whose name cannot be read may be the one that is missing.
  const readable = drafts.every(({ f: channel }) => channel.reads('name'));
  if (readable && !(seen.has('0') && seen.has('1'))) f.problem('channels', '0 and 1 are mandatory');
}

function ladder(f: SettingsFields, drafts: readonly Draft[]): readonly FiboChannel[] | null {
  for (const { f: channel, name, fiboPrice } of drafts) {
    if ((name === '0' || name === '1') && fiboPrice === null) {
      channel.problem('fiboPrice', `missing; channel ${name} is an end of the grid and needs its price`);
    }
  }
  if (!f.reads('channels')) return null;
  const end = (name: string) => drafts.find((draft) => draft.name === name)?.fiboPrice ?? ONE;
  const p0 = end('0');
  const p1 = end('1');
  const channels = drafts
    .map(({ name, share, buy, sell, fiboPrice }) => ({
      name,
      share,
      level: fiboPrice ?? fiboLevel(p0, p1, dec(name)),
      buy,
      sell,
    }))
    .sort((a, b) => (a.level < b.level ? -1 : a.level > b.level ? 1 : 0));
  channels.forEach((channel, i) => {
    const below = channels[i - 1];
    if (below?.level !== channel.level) return;
    f.problem('channels', `${below.name} and ${channel.name} have the same price ${str(channel.level)}`);
  });
  return channels;
}

function checkSpan(f: SettingsFields, channels: readonly FiboChannel[], limit: Dec): void {
  const lowest = channels[0]?.level ?? ONE;
  const highest = channels.at(-1)?.level ?? ONE;
  const span = (highest - lowest) * HUNDRED;
  if (span <= limit * lowest) return;
  f.check.refuse(
    '',
    `channel span of ${spanText(span / lowest, limit)} % is over maxRangePercent ${str(limit)}`,
  );
}

/** Text with two decimals, and as many more as are needed to differ from the limit. */
function spanText(span: Dec, limit: Dec): string {
  for (let places = 2; places < 30; places++) {
    const text = str(dec(fixed(span, places)));
    if (text !== str(limit)) return text;
  }
  return str(span);
}

/**
 * Short: checks the lowest channel's target, which is as far below it as the next channel is above
 * (strategies.md 3).
 */
function checkShortTarget(f: SettingsFields, [lowest, next]: readonly FiboChannel[]): void {
  if (!lowest || !next || lowest.share === ZERO || lowest.sell !== null) return;
  if (2n * lowest.level > next.level) return;
  f.refuse('channels', `the target of ${lowest.name} would be at or below 0; give its sell a price`);
}

function readTrailingFrom(f: SettingsFields, now: number): number | null {
  const from = f.integerOr('trailingFrom');
  if (from === null || !f.reads('trailingFrom')) return from;
  if (from < now - YEAR_MS || from > now + YEAR_MS) {
    f.refuse(
      'trailingFrom',
      `must be within 365 days of now, from ${now - YEAR_MS} to ${now + YEAR_MS}, got ${from}`,
    );
  }
  return from;
}
