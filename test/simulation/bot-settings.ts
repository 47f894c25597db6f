/** Random bots of every type around the last price: mostly valid, some that cannot start. */
import type { NewBot } from '../../src/domain/bot.ts';
import { randomStop } from './bot-stops.ts';
import type { Dice } from './dice.ts';
import { type SimSymbol, SYMBOLS } from './market.ts';
import { TARGET } from './sim-target.ts';

type Settings = Record<string, unknown>;

export const KINDS = {
  FIBO: 14,
  GRID: 14,
  LEVELS: 8,
  SCALE: 12,
  SQUEEZE: 12,
  INTRADAY: 12,
  BRACKET: 9,
  TPSL: 6,
  TWAP: 8,
  ALARM: 3,
  NOTIFY: 2,
} as const;
export type BotKind = keyof typeof KINDS;

/** What the maker of a bot knows about the account and the market. */
export interface BotView {
  readonly exchange: string;
  readonly kind: 'spot' | 'futures';
  readonly hedge: boolean;
  /** Free USDT. */
  readonly free: number;
  /** Free base units of a symbol; on futures the size of its position, signed. */
  readonly held: (symbol: string) => number;
  readonly last: (symbol: string) => number;
  readonly marketTime: number;
  /** Approximate percent by which a price moves in a tick. */
  readonly stride: number;
  readonly leverages: readonly number[];
  /** Whether daily figures survive a restart; the simulated market has no history for them. */
  readonly dayKept: boolean;
  /**
   * Makes rare settings more frequent, for tests that examine one bot closely. Left out: the draws of a
   * world.
   */
  readonly wide?: WideView;
}

export interface WideView {
  /** Steps of prices and quantities. */
  readonly tick: number;
  readonly step: number;
  /** Smallest value of an order, quote units. */
  readonly least: number;
  /** Names of receivers of alerts. */
  readonly targets: readonly string[];
}

/** Makes one bot: its settings are built around one symbol, side and budget. */
export class BotMaker {
  readonly dice: Dice;
  readonly view: BotView;
  readonly s: SimSymbol;
  readonly now: number;
  readonly short: boolean;
  /** Approximate notional that it may spend, quote units. */
  readonly budget: number;

  constructor(dice: Dice, view: BotView, symbol = dice.pick(SYMBOLS)) {
    this.dice = dice;
    this.view = view;
    this.s = symbol;
    this.now = view.last(symbol.symbol);
    this.short = view.kind === 'futures' && dice.chance(0.4);
    this.budget = Math.max(view.free, 200) * dice.between(0.03, dice.chance(0.2) ? 1.3 : 0.3);
  }

  make(kind: BotKind = this.dice.weighted(KINDS)): NewBot {
    const { dice } = this;
    const type = TYPES[kind];
    const settings = { exchange: this.view.exchange, ...this.#own(kind) };
    const likely = this.view.wide ? 0.5 : 0.4;
    const restarts = (type === 'CHANNEL' || type === 'SQUEEZE') && dice.chance(likely);
    const delay = dice.chance(0.5) ? { restartDelay: dice.pick([0, 1_000, 30_000]) } : {};
    return {
      type,
      settings: dice.chance(0.02) ? { ...settings, symbol: { base: 'NO', quote: 'NE' } } : settings,
      ...(restarts ? { options: { restart: true, ...delay, reuse: dice.chance(0.4) } } : {}),
      ...(dice.chance(0.2) ? { metadata: 'made by the simulation', tag: kind } : {}),
    };
  }

  /** Returns a percentage, `from` to `to` times the market's stride. */
  percent(from: number, to: number): string {
    return Math.max(this.dice.between(from, to) * this.view.stride, 0.01).toFixed(3);
  }

  /** Returns a price that many strides above the present one (below it for a short). */
  price(from: number, to: number, mirrored = true): string {
    const sign = mirrored && this.short ? -1 : 1;
    const off = (sign * this.dice.between(from, to) * this.view.stride) / 100;
    return this.fitPrice(this.now * (1 + off), this.s.priceDigits);
  }

  /** Writes a price as text, in the symbol's own steps where they are known. */
  fitPrice(value: number, digits: number): string {
    const { wide } = this.view;
    return wide ? multiple(Math.max(value, wide.tick), wide.tick) : value.toFixed(digits);
  }

  /** Returns a quantity that is at least the smallest allowed one. */
  quantity(value: number): string {
    const { wide } = this.view;
    return wide ? multiple(Math.max(value, wide.step), wide.step) : Math.max(value, 0.001).toFixed(3);
  }

  /** Returns a price line through a price near the present one; `flat`: horizontal. */
  line(from: number, to: number, flat = this.dice.chance(0.5), mirrored = true): Record<string, string> {
    const { marketTime } = this.view;
    const price = this.price(from, to, mirrored);
    const end = flat ? price : (Number(price) * (1 + this.dice.between(-0.01, 0.01))).toFixed(4);
    return { [Math.floor(marketTime)]: price, [Math.floor(marketTime) + 600_000]: end };
  }

  chance(probability: number, fields: () => Settings): Settings {
    return this.dice.chance(probability) ? fields() : {};
  }

  #own(kind: BotKind): Settings {
    switch (kind) {
      case 'FIBO':
        return { ...this.#strategy(), ...this.#fibo() };
      case 'GRID':
        return { ...this.#strategy(), flavor: 'GRID', ...this.#grid(), ...this.#exit() };
      case 'LEVELS':
        return { ...this.#strategy(), flavor: 'LEVELS', levels: this.#levels(), ...this.#exit() };
      case 'SCALE':
        return { ...this.#strategy(), flavor: 'SCALE', ...this.#scale() };
      case 'SQUEEZE':
        return { ...this.#strategy(), ...this.#squeeze() };
      case 'INTRADAY':
        return { ...this.#strategy(), ...this.#intraday() };
      case 'BRACKET':
      case 'TPSL':
      case 'TWAP':
        return this.#algo(kind === 'TPSL' && !this.#holds() ? 'BRACKET' : kind);
      case 'ALARM':
        return { ...this.#pair(), ...this.#alarm() };
      case 'NOTIFY':
        if (this.view.wide) return this.#notify(this.view.wide);
        return {
          timeFrame: 300_000,
          conditions: [
            { type: 'price_change', percent: this.dice.chance(0.5) ? '0.05' : '-0.05' },
            ...(this.dice.chance(0.3) ? [{ type: 'breakout', lookback: 2 }] : []),
          ],
          match: this.dice.pick(['all', 'any']),
          cooldown: this.dice.pick([0, 600_000]),
        };
    }
  }

  #pair(): Settings {
    return { symbol: { base: this.s.symbol.slice(0, -4), quote: 'USDT' } };
  }

  /** Settings that every strategy has. */
  #strategy(): Settings {
    const { dice, view } = this;
    return {
      ...this.#pair(),
      deposit: this.#deposit(),
      ...(this.short ? { short: true } : {}),
      ...this.#side(this.short),
      ...this.chance(0.45, () => ({ stop: list(dice.int(1, 2), () => randomStop(this)) })),
      ...this.chance(0.2, () => ({ orders: this.#orders() })),
      ...this.chance(view.kind === 'spot' ? 0.12 : 0, () => ({ profitAsset: 'base' })),
      ...this.chance(0.5, () => ({ onetime: dice.chance(0.5) })),
      ...this.#trader(),
    };
  }

  /** Settings that every trading bot has. */
  #trader(): Settings {
    const { dice, view } = this;
    return {
      ...this.chance(0.1, () => ({ timeout: { type: 'ttl', value: dice.int(1, 20) * 30_000 } })),
      ...this.chance(0.12, () => ({ filters: this.#filters() })),
      ...this.chance(0.15, () => ({ range: this.#range() })),
      ...this.chance(0.08, () => ({
        startTrigger: { trend: this.line(-1, 1), direction: dice.pick(['up', 'down', 'both']) },
      })),
      ...this.chance(view.kind === 'futures' ? 0.15 : 0, () => ({
        marginType: dice.pick(['ISOLATED', 'CROSSED']),
      })),
      ...this.chance(0.5, () => ({ noticeLevel: dice.int(0, 3) })),
      ...(view.wide ? this.#gates() : {}),
    };
  }

  /** Conditions that keep a run waiting, more frequent than in a world. */
  #gates(): Settings {
    return {
      ...this.chance(0.12, () => ({ filters: this.#past() })),
      ...this.chance(0.12, () => ({
        startTrigger: { trend: this.line(-1, 1), direction: this.dice.pick(['up', 'down', 'both']) },
      })),
      ...this.chance(0.1, () => ({ timeout: { type: 'ttl', value: this.dice.int(2, 60) * 20_000 } })),
    };
  }

  /** Filters over past candles and figures. */
  #past(): Settings {
    const { dice } = this;
    const change = dice.pick(['0.01', '-0.01', '0.5', '-0.5']);
    return dice.pick<Settings>([
      { volume: { percentChange: change } },
      { volume: { minVal: `${dice.int(0, 20_000)}` }, price: { percentChange: change } },
      { market: { rsi: { period: dice.int(2, 9), min: `${dice.int(0, 40)}`, max: `${dice.int(50, 100)}` } } },
      { market: { rsi: { period: 3, timeFrame: 300_000, max: `${dice.int(40, 100)}` } } },
      { price: { minVal: this.price(-1, 1, false), percentChange: change } },
    ]);
  }

  #notify({ targets }: WideView): Settings {
    const { dice } = this;
    const condition = (): Settings =>
      dice.pick<Settings>([
        { type: 'price_change', percent: `${dice.chance(0.5) ? '' : '-'}${this.percent(0.2, 2)}` },
        { type: 'volume_surge', ratio: dice.pick(['0.8', '1.2', '2']), lookback: dice.int(1, 4) },
        { type: 'rsi', period: dice.int(2, 5), ...(dice.chance(0.5) ? { above: '60' } : { below: '45' }) },
        { type: 'breakout', lookback: dice.int(1, 4) },
      ]);
    return {
      ...this.chance(0.3, () => ({ symbol: this.s.symbol })),
      timeFrame: 300_000,
      conditions: list(dice.int(1, 3), condition),
      ...this.chance(0.6, () => ({ match: dice.pick(['all', 'any']) })),
      ...this.chance(0.4, () => ({ top: dice.int(1, 3) })),
      ...this.chance(0.7, () => ({ cooldown: dice.pick([0, 300_000, 900_000]) })),
      ...this.chance(0.3, () => ({ filters: this.#past() })),
      ...this.chance(0.3, () => ({ notify: [...targets] })),
      ...this.chance(0.3, () => ({ noticeLevel: dice.int(0, 3) })),
    };
  }

  #side(short: boolean): Settings {
    const { view, dice } = this;
    const hedge = dice.chance(0.97) ? view.hedge : !view.hedge;
    return view.kind === 'futures' && hedge ? { positionSide: short ? 'SHORT' : 'LONG' } : {};
  }

  #deposit(): Settings {
    const { dice, view } = this;
    const allocate = dice.chance(0.5) ? { allocate: dice.pick(['reserve', 'auto', 'no_reserve']) } : {};
    const leverage =
      view.kind === 'futures' && dice.chance(0.35) ? { leverage: dice.pick(view.leverages) } : {};
    const common = { asset: 'USDT', ...allocate, ...leverage };
    if (dice.chance(0.75)) return { value: this.budget.toFixed(2), ...common };
    const max = dice.chance(0.4) ? { max: Math.max(this.budget, 1).toFixed(0) } : {};
    return { value: dice.chance(0.3) ? '100' : `${dice.int(2, 60)}`, strategy: 'percent', ...max, ...common };
  }

  #orders(): Settings {
    const { dice } = this;
    const way = () => ({
      ...this.chance(0.6, () => ({ type: dice.pick(['MARKET', 'LIMIT']) })),
      ...this.chance(0.4, () => ({ price: dice.pick(['0', '0.1', '0.4']) })),
      ...this.chance(0.4, () => ({ size: dice.int(1, 4) })),
    });
    return {
      ...this.chance(0.7, () => ({ buy: way() })),
      ...this.chance(0.8, () => ({
        sell: {
          ...way(),
          ...this.chance(0.5, () => ({ priceStrategy: dice.pick(['fixed', 'dynamic', 'trailing']) })),
        },
      })),
    };
  }

  #filters(): Settings {
    const { dice, s, view } = this;
    const kind = dice.int(0, 4);
    if (kind === 0) return { price: { minVal: this.price(-2, 2, false) } };
    if (kind === 1 && !view.dayKept) return { volume: { minVal: `${dice.int(0, 200_000)}` } };
    if (kind === 2) return { market: { rsi: { period: 2, min: `${dice.int(0, 50)}` } } };
    if (kind === 3) return { blacklist: [dice.chance(0.5) ? s.symbol : 'XRPUSDT'] };
    return { price: { percentChange: dice.pick(['0.01', '-0.01']) } };
  }

  #range(): Settings {
    const { dice } = this;
    const half = this.percent(1, 4);
    switch (dice.int(0, 3)) {
      case 0:
        return { type: 'price', min: this.price(-5, -1, false), max: this.price(1, 5, false) };
      case 1:
        return { type: 'kline_percent', min: `-${half}`, max: half };
      case 2:
        return { type: 'scaled_price', min: `-${half}`, max: half };
      default:
        return { type: 'trend_percent_price', trend: this.line(-1, 1), min: `-${half}` };
    }
  }

  /** End prices of CHANNEL. */
  #exit(): Settings {
    return {
      ...this.chance(0.2, () => ({ stopAbove: this.price(3, 8, false) })),
      ...this.chance(0.2, () => ({ stopBelow: this.price(-8, -3, false) })),
      ...this.chance(0.4, () => ({ sellOnExit: this.dice.chance(0.6) })),
      ...this.chance(0.15, () => ({ timeFrame: 60_000 })),
    };
  }

  /** A number of parts, each at least as large as the exchange's minimum. */
  #parts(most: number): number {
    const least = this.view.wide?.least ?? (this.view.kind === 'futures' ? 130 : 15);
    return Math.max(1, Math.min(most, Math.floor(this.budget / least)));
  }

  #grid(): Settings {
    const { dice } = this;
    const count = Math.max(2, Math.min(dice.int(2, 9), this.#parts(8) + 1));
    // Each cell must earn the fees of both its orders.
    const half = Math.max(dice.between(1, 5) * this.view.stride, (count - 1) * 0.13) / 100;
    const centre = this.now * (1 + dice.between(-0.5, 0.5) * half);
    const price = (value: number) => this.fitPrice(value, this.s.priceDigits);
    return {
      grid: {
        low: price(centre * (1 - half)),
        high: price(centre * (1 + half)),
        count,
        ...this.chance(0.5, () => ({ spacing: dice.pick(['arithmetic', 'geometric']) })),
      },
      ...this.chance(0.3, () => ({ startBuy: true })),
      ...this.chance(0.2, () => ({ trailUp: true })),
    };
  }

  #levels(): Settings[] {
    const { dice } = this;
    const count = Math.min(dice.int(1, 4), this.#parts(4));
    return list(count, () => {
      const buy = Number(this.price(-4, 1, false));
      const sell = buy * (1 + Math.max(dice.between(0.5, 3) * this.view.stride, 0.25) / 100);
      return { buy: this.fitPrice(buy, 2), sell: this.fitPrice(sell, 2) };
    });
  }

  #scale(): Settings {
    const { dice } = this;
    const orders = Math.min(dice.int(0, 4), this.#parts(4) - 1);
    return {
      scale: {
        orders,
        step: this.percent(0.5, 2),
        ...this.chance(0.4, () => ({ stepScale: dice.pick(['1', '1.3']) })),
        ...this.chance(0.4, () => ({ sizeScale: dice.pick(['1', '1.5']) })),
        ...this.chance(0.15, () => ({ size: (this.budget / (orders + 1) / 2).toFixed(2) })),
        takeProfit: this.percent(0.7, 3),
      },
      ...this.chance(0.3, () => ({ entryPrice: this.price(-2, 0.5) })),
    };
  }

  #squeeze(): Settings {
    const { dice } = this;
    return {
      timeFrame: dice.pick([60_000, 60_000, 180_000]),
      price: { percent: { buy: this.percent(0.3, 2), sell: this.percent(0.5, 2.5) } },
      ...this.chance(0.3, () => ({ trailing: true })),
      ...this.chance(0.3, () => ({ trailingSell: true })),
      ...this.chance(0.25, () => ({ trailingPart: true })),
      ...this.chance(0.2, () => ({ trailingEdge: dice.pick(['close', 'high', 'hl2']) })),
      ...this.chance(0.2, () => ({ trailingDelta: this.percent(0.3, 1) })),
      ...this.chance(0.2, () => ({ oncePerTimeFrame: true })),
      ...this.chance(0.2, () => ({
        trailingRules: [{ type: dice.pick(['pump_filter', 'dump_filter']), maxChange: this.percent(1, 4) }],
      })),
    };
  }

  #fibo(): Settings {
    const { dice } = this;
    const names = ['0.236', '0.382', '0.500', '0.618'].slice(0, Math.min(dice.int(0, 4), this.#parts(5) - 1));
    const shares = parted(100, 1 + names.length);
    const [first, ...rest] = shares;
    const low = this.price(-6, -1, false);
    const high = this.price(0.3, 4, false);
    const upward = dice.chance(0.8);
    return {
      channels: [
        { name: '0', depositePercent: first, fiboPrice: upward ? low : high },
        ...names.map((name, i) => ({
          name,
          depositePercent: rest[i],
          ...this.chance(0.1, () => ({ sell: { from: 'entry', percent: this.percent(0.5, 2) } })),
        })),
        { name: '1', depositePercent: '0', fiboPrice: upward ? high : low },
      ],
      ...this.chance(0.3, () => ({ strategy: dice.pick(['fixed', 'auto']) })),
      ...this.chance(0.25, () => ({ trailing: true })),
      ...this.chance(0.4, () => ({ trailingMaxChange: this.percent(0.5, 2) })),
      ...this.chance(0.1, () => ({ buyOnly: true })),
      ...this.chance(0.2, () => ({ waitFullSell: true })),
      ...this.chance(0.2, () => ({ crossChannelSell: true })),
      ...this.chance(0.2, () => ({ mergeChannels: true })),
      ...this.chance(0.2, () => ({ green: this.percent(0.5, 2) })),
    };
  }

  #intraday(): Settings {
    const { dice } = this;
    const count = dice.int(1, 3);
    const sizes = parted(100, count);
    return {
      mode: dice.pick(['bounce', 'breakout']),
      trend: this.line(-2, 2, dice.chance(0.6)),
      touchPercent: this.percent(0.2, 1),
      confirmPercent: this.percent(0.2, 1),
      invalidPercent: this.percent(2, 5),
      ...this.chance(0.3, () => ({ retest: true })),
      takeProfits: sizes.map((size, i) => ({ percent: this.percent(0.5 + i, 1.4 + i), size })),
      ...this.chance(0.3, () => ({ breakevenAfter: dice.int(1, count) })),
      ...this.chance(0.6, () => ({ maxEntries: dice.int(1, 5) })),
      ...this.chance(0.15, () => ({
        expiresAt: Math.floor(this.view.marketTime) + dice.int(1, 40) * 60_000,
      })),
    };
  }

  /** Whether there is something to sell; one in ten asks in vain. */
  #holds(): boolean {
    return this.view.held(this.s.symbol) !== 0 || this.dice.chance(0.1);
  }

  #algo(kind: 'BRACKET' | 'TPSL' | 'TWAP'): Settings {
    const { dice, view, s } = this;
    const base = { symbol: s.symbol, ...this.#trader() };
    const held = view.held(s.symbol);
    const most = Math.abs(held) * dice.pick([0.2, 0.6, 1]);
    const selling = view.kind === 'spot' ? Math.min(most, this.budget / this.now) : most;
    const target = { percent: this.percent(0.7, 3) };
    const stop = {
      percent: this.percent(0.7, 3),
      ...this.chance(0.15, () => ({ limitPrice: this.price(-3, -1) })),
    };
    if (kind === 'TPSL') {
      const side = view.kind === 'spot' || held > 0 ? 'SELL' : 'BUY';
      const whole = view.kind === 'futures' && dice.chance(0.5);
      const quantity = whole ? {} : { quantity: this.quantity(selling) };
      return {
        ...base,
        algo: 'tpsl',
        side,
        ...quantity,
        takeProfit: target,
        stopLoss: { percent: this.percent(0.7, 3) },
        ...this.#side(side === 'BUY'),
      };
    }
    const sell = kind === 'BRACKET' ? this.short : dice.chance(0.4);
    const size = sell
      ? { quantity: this.quantity(kind === 'TWAP' ? selling : this.budget / this.now) }
      : dice.chance(0.5)
        ? { deposit: this.#deposit() }
        : { quantity: this.quantity(this.budget / this.now) };
    const side = { side: sell ? 'SELL' : 'BUY', ...size, ...this.#side(sell) };
    if (kind === 'BRACKET') {
      const entry = dice.pick([
        { type: 'MARKET' },
        { type: 'LIMIT', price: this.price(-2, 0.2) },
        { type: 'STOP_MARKET', stopPrice: this.price(0.2, 1.5) },
      ]);
      const expire = this.chance(0.3, () => ({ expire: dice.int(1, 10) }));
      return { ...base, algo: 'bracket', ...side, entry, takeProfit: target, stopLoss: stop, ...expire };
    }
    return {
      ...base,
      algo: 'twap',
      ...side,
      duration: dice.int(1, Math.min(12, this.#parts(12))),
      ...this.chance(0.4, () => ({ limitOffset: this.percent(0.1, 1) })),
      ...this.chance(0.3, () => ({ priceLimit: this.price(-1, 2) })),
      ...this.chance(this.view.wide ? 0.1 : 0.4, () => ({ jitter: `${dice.int(0, 50)}` })),
    };
  }

  #alarm(): Settings {
    const { dice } = this;
    return {
      ...this.chance(0.5, () => ({ timeFrame: 60_000 })),
      range: list(dice.int(1, 2), () => ({
        type: 'price',
        trend: this.line(-2, 2),
        direction: dice.pick(['up', 'down', 'both']),
        on: dice.pick(['tick', 'close']),
      })),
      ...this.chance(0.3, () => ({ rsi: [{ period: 2, above: 60, below: 40 }] })),
      ...this.chance(0.7, () => ({ notify: [...(this.view.wide?.targets ?? [TARGET])] })),
      ...this.chance(0.5, () => ({ repeat: dice.pick(['once', 'always']) })),
      ...this.chance(0.5, () => ({ snoozeDuration: dice.pick([0, 30_000]) })),
    };
  }
}

const TYPES = {
  FIBO: 'FIBO',
  GRID: 'CHANNEL',
  LEVELS: 'CHANNEL',
  SCALE: 'CHANNEL',
  SQUEEZE: 'SQUEEZE',
  INTRADAY: 'INTRADAY',
  BRACKET: 'ALGO',
  TPSL: 'ALGO',
  TWAP: 'ALGO',
  ALARM: 'ALARM',
  NOTIFY: 'NOTIFY',
} as const satisfies Readonly<Record<BotKind, NewBot['type']>>;

/** The nearest multiple, with the digits of its unit. */
function multiple(value: number, unit: number): string {
  const digits = (String(unit).split('.')[1] ?? '').length;
  return (Math.round(value / unit) * unit).toFixed(digits);
}

/** Whole percentages that add up to `whole`. */
function parted(whole: number, count: number): string[] {
  const each = Math.floor(whole / count);
  return list(count, (i) => `${i === count - 1 ? whole - each * (count - 1) : each}`);
}

function list<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
