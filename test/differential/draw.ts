/**
 * Draws the case of a seed: instrument, fees, balances, a bot of a kind, its market, what its operator does,
 * and the kills.
 */
import type { NewBot } from '../../src/domain/bot.ts';
import { playOnTickMarket } from '../scenarios/on-tick-market.ts';
import type { CandleRow, Scenario, ScenarioEvent, ScenarioInstrument } from '../scenarios/scenario.ts';
import { type BotKind, BotMaker, type BotView, KINDS } from '../simulation/bot-settings.ts';
import { randomStopCommand } from '../simulation/bot-stops.ts';
import { Dice } from '../simulation/dice.ts';
import { CRASH_POINTS } from '../simulation/plan.ts';
import type { DiffCase, Kill } from './case.ts';
import { Market, merged, priceText, type TickEvent } from './market.ts';

export const BOT_KINDS = Object.keys(KINDS) as BotKind[];

/** 00:10 of a day: no funding, which a backtest does not have, falls due within the hours of a case. */
const START = Date.UTC(2025, 1, 3, 0, 10);
/** The longest case ends before the first funding after it. */
const LONGEST_MS = 7 * 3_600_000;
const MINUTE_MS = 60_000;
/** Draws of settings until the bot can start. One in twenty cases takes the first draw unchecked. */
const TRIES = 12;
const TARGET = 'hook';

/** Price, tick, step. */
const SYMBOLS: readonly (readonly [price: number, tick: number, step: number])[] = [
  [60_000, 0.01, 0.00001],
  [60_000, 0.1, 0.001],
  [60_000, 5, 0.0001],
  [3_000, 0.05, 0.0001],
  [100, 0.01, 0.001],
  [100, 0.1, 0.01],
  [35, 0.01, 1],
  [35, 0.25, 0.1],
  [1.2, 0.0001, 0.1],
  [1.2, 0.0025, 5],
  [0.05, 0.00001, 1],
];
const FEES: readonly (readonly [maker: string, taker: string])[] = [
  ['0', '0'],
  ['0.001', '0.001'],
  ['0.0002', '0.0005'],
  ['0.0005', '0.001'],
  ['0.00123', '0.00177'],
];
/** Bots that need a position, or something to sell. */
const SELLERS: readonly BotKind[] = ['TPSL', 'TWAP'];

/** The case of a seed; `kind` replaces the kind that the seed determines. */
export function caseOf(seed: number, kind = BOT_KINDS[seed % BOT_KINDS.length] as BotKind): DiffCase {
  const dice = new Dice(seed, 'differential');
  const tries = dice.chance(0.05) ? 1 : TRIES;
  let drawn = caseDrawn(seed, kind, 0);
  for (let attempt = 1; attempt < tries && !starts(drawn); attempt++) drawn = caseDrawn(seed, kind, attempt);
  return drawn;
}

function starts({ type, scenario }: DiffCase): boolean {
  const opening = scenario.events.slice(0, 1);
  return playOnTickMarket(type, { ...scenario, events: opening }).startError === null;
}

function caseDrawn(seed: number, kind: BotKind, attempt: number): DiffCase {
  const dice = new Dice(seed, `differential ${kind} ${attempt}`);
  const futures = kind === 'TPSL' ? dice.chance(0.6) : dice.chance(0.45);
  const instrument = instrumentDrawn(dice, futures);
  const [price, tick, step] = [
    instrument.price,
    Number(instrument.one.tickSize),
    Number(instrument.one.stepSize),
  ];
  const stride = dice.pick([0.001, 0.002, 0.004, 0.008]);
  const start = START + (dice.chance(0.5) ? 0 : dice.int(0, 10 * MINUTE_MS));
  const walk = { price, stride, tick, volume: (dice.pick([200, 2_000, 50_000]) / price) as number };
  const market = new Market(new Dice(seed, `market ${attempt}`), walk);
  const history = dice.chance(0.5) ? market.history(start) : null;
  const alerting = kind === 'ALARM' || kind === 'NOTIFY';
  const own = ticksDrawn(dice, market, start, kind);
  const known = dice.chance(0.7)
    ? (own[0]?.tick ?? '1')
    : priceText(price * (1 + dice.between(-stride, stride)), tick);
  const free = dice.pick([150, 500, 1_000, 10_000]);
  const wants = SELLERS.includes(kind);
  const held = (futures ? dice.chance(wants ? 0.85 : 0.06) : dice.chance(wants ? 0.9 : 0.4))
    ? heldDrawn(dice, free, price, futures, instrument.one)
    : '0';
  const view: BotView = {
    exchange: futures ? 'paper-futures' : 'paper-spot',
    kind: futures ? 'futures' : 'spot',
    hedge: false,
    free,
    held: () => Number(held),
    last: () => Number(known),
    marketTime: start,
    stride: stride * 100 * dice.between(0.4, 1.6),
    leverages: [1, 2, 5, 20],
    dayKept: false,
    wide: {
      tick,
      step,
      least: Number(instrument.one.minNotional) * dice.between(1.2, 2.5),
      targets: [TARGET],
    },
  };
  const digits = (String(tick).split('.')[1] ?? '').length;
  const maker = new BotMaker(dice, view, {
    symbol: instrument.one.symbol,
    start: price,
    priceDigits: digits,
    quantityDigits: (String(step).split('.')[1] ?? '').length,
    volume: walk.volume,
  });
  const bot = maker.make(kind);
  const settings = { ...bot.settings } as Record<string, unknown>;
  const scenario: Scenario = {
    name: `diff ${seed}`,
    about: '',
    ...marketsOf(kind, instrument.one),
    balances: balancesDrawn(dice, { bot: settings, free, held, futures, base: instrument.one.base }),
    ...(futures && held !== '0' ? { position: { amount: held, entryPrice: known } } : {}),
    settings,
    ...(bot.options ? { options: bot.options as Record<string, unknown> } : {}),
    ...(history ? { history: historyOf(kind, instrument.one.symbol, history) } : {}),
    ...(!alerting && dice.chance(0.25) ? { participation: dice.pick(['0.1', '0.5', '1']) } : {}),
    known,
    targets: [TARGET],
    start,
    events: operated(dice, maker, kind, kind === 'NOTIFY' ? withOthers(seed, attempt, own, start) : own),
    expect: {},
  };
  return {
    seed,
    kind,
    type: (bot as NewBot).type,
    scenario,
    kills: killsDrawn(seed, scenario.events.length),
  };
}

function instrumentDrawn(dice: Dice, futures: boolean): { price: number; one: ScenarioInstrument } {
  const [price, tick, step] = dice.pick(SYMBOLS);
  const [makerRate, takerRate] = dice.pick(FEES);
  const text = (value: number) => value.toFixed(9).replace(/0+$/, '').replace(/\.$/, '');
  return {
    price,
    one: {
      symbol: 'BTCUSDT',
      base: 'BTC',
      quote: 'USDT',
      kind: futures ? 'futures' : 'spot',
      tickSize: text(tick),
      stepSize: text(step),
      minQty: text(step * dice.pick([1, 1, 3])),
      minNotional: dice.pick(['5', '5', '20']),
      makerRate,
      takerRate,
    },
  };
}

/** NOTIFY scans all symbols of the account. */
function marketsOf(kind: BotKind, one: ScenarioInstrument): Pick<Scenario, 'instrument' | 'instruments'> {
  if (kind !== 'NOTIFY') return { instrument: one };
  return {
    instruments: [one, { ...one, symbol: 'ETHUSDT', base: 'ETH', tickSize: '0.01', stepSize: '0.001' }],
  };
}

function withOthers(seed: number, attempt: number, own: readonly TickEvent[], start: number): TickEvent[] {
  const dice = new Dice(seed, `others ${attempt}`);
  const market = new Market(dice, { price: 3_000, stride: dice.pick([0.002, 0.006]), tick: 0.01, volume: 8 });
  const last = own.at(-1)?.at ?? start;
  const count = Math.max(1, own.length >> 1);
  const others = market.loose(start, (last - start) / count, count).filter(({ at }) => at <= last);
  return merged(
    own,
    others.map((event) => ({ ...event, symbol: 'ETHUSDT' })),
  );
}

function historyOf(kind: BotKind, symbol: string, rows: readonly CandleRow[]): Scenario['history'] {
  return kind === 'NOTIFY' ? { [symbol]: rows } : rows;
}

/** Ticks, of which the first comes at the start, as in a backtest. */
function ticksDrawn(dice: Dice, market: Market, start: number, kind: BotKind): TickEvent[] {
  const slow = kind === 'NOTIFY';
  const events = dice.chance(0.6)
    ? market.candles(start, slow ? dice.pick([60_000, 300_000]) : MINUTE_MS, dice.int(4, slow ? 60 : 30))
    : market.loose(start, dice.pick(slow ? [60_000, 120_000] : [5_000, 20_000, 45_000]), dice.int(10, 100));
  return events.filter(({ at }) => at < START + LONGEST_MS);
}

/** Holdings before the start: base units on spot, a signed position on futures. */
function heldDrawn(
  dice: Dice,
  free: number,
  price: number,
  futures: boolean,
  { stepSize, minQty, minNotional }: ScenarioInstrument,
): string {
  const step = Number(stepSize);
  const digits = (stepSize.split('.')[1] ?? '').length;
  const most = Math.round((free * dice.between(0.1, 0.6)) / price / step) * step;
  const least = Math.ceil((Number(minNotional) * 1.1) / price / step) * step;
  const amount = Math.max(Number(minQty), least, most);
  return `${futures && dice.chance(0.5) ? '-' : ''}${amount.toFixed(digits)}`;
}

/** Balances: often just what the bot needs, or slightly less than the most it may need. */
function balancesDrawn(
  dice: Dice,
  o: { bot: Record<string, unknown>; free: number; held: string; futures: boolean; base: string },
): Record<string, string> {
  const deposit = o.bot.deposit as { value?: string; strategy?: string } | undefined;
  const asked =
    deposit?.strategy === undefined && deposit?.value !== undefined ? Number(deposit.value) : null;
  const tight = asked !== null && dice.chance(0.4);
  const quote = tight ? asked * dice.pick([1, 1, 1.001, 1.05]) : o.free;
  return {
    USDT: String(Number(quote.toFixed(4))),
    ...(o.futures || o.held === '0' ? {} : { [o.base]: o.held }),
  };
}

/** Commands and stops of an operator between the ticks. */
function operated(
  dice: Dice,
  maker: BotMaker,
  kind: BotKind,
  ticks: readonly TickEvent[],
): readonly ScenarioEvent[] {
  const events: ScenarioEvent[] = [...ticks];
  const put = (make: (at: number) => ScenarioEvent) => {
    const i = dice.int(1, events.length);
    const at = (events[i - 1] as ScenarioEvent).at;
    const next = events[i]?.at ?? at + 1_000;
    events.splice(i, 0, make(dice.int(at, Math.max(at, next - 1))));
  };
  const strategy = !['ALARM', 'NOTIFY', 'BRACKET', 'TPSL', 'TWAP'].includes(kind);
  while (strategy && dice.chance(0.15)) {
    const message = dice.pick(['add_stoploss', 'add_stoploss', 'update_stoploss', 'delete_stoploss']);
    const params = randomStopCommand(maker);
    put((at) => ({ at, command: { message, params } }));
  }
  if (dice.chance(0.12)) {
    const cleanup = dice.pick(['leaveAllOrders', 'cancelBuyOrders', 'cancelAllOrders']);
    const stop = {
      ...(dice.chance(0.7) ? { cleanup } : {}),
      ...(dice.chance(0.4) ? { action: 'stop_and_sell' } : {}),
      ...(dice.chance(0.15) ? { force: true } : {}),
    };
    put((at) => ({ at, stop }));
  }
  return events;
}

function killsDrawn(seed: number, events: number): Kill[] {
  const dice = new Dice(seed, 'kills');
  const kills = Array.from({ length: dice.int(2, 9) }, () => ({
    event: dice.int(0, Math.max(0, events - 1)),
    point: dice.chance(0.1) ? ('stop' as const) : dice.pick(CRASH_POINTS),
    nth: dice.int(1, 4),
  }));
  return kills.sort((a, b) => a.event - b.event);
}
