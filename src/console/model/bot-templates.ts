/**
 * A small bot of each type to start from: valid as it stands, on the symbol looked at, with levels around its price. As the
 * body of POST /bots. Pure.
 */
import { type Dec, dec, div, fixed, mul, ZERO } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { BotType } from '../../schemas/bots/bot-type.ts';
import { placesOf, read } from '../format.ts';
import { printJson } from './bot-print.ts';

export interface TemplateGround {
  readonly instrument: Instrument;
  /** Last price; null while there is none: the levels then are around 100. */
  readonly last: string | null;
  /** Market time, Unix ms. */
  readonly now: number;
}

const DAY_MS = 86_400_000;

type Make = (g: TemplateGround, at: (percent: string) => string) => Record<string, unknown>;

const MAKE: Record<BotType, Make> = {
  SQUEEZE: (g) => ({
    ...market(g),
    timeFrame: 60_000,
    deposit: deposit(g, '200'),
    price: { percent: { buy: '0.5', sell: '0.4' } },
    stop: [stopLoss('2')],
  }),
  FIBO: (g, at) => ({
    ...market(g),
    deposit: deposit(g, '500'),
    channels: [
      { name: '0', depositePercent: '20', fiboPrice: at('-5') },
      { name: '0.236', depositePercent: '20' },
      { name: '0.382', depositePercent: '20' },
      { name: '0.500', depositePercent: '20' },
      { name: '0.618', depositePercent: '20' },
      { name: '1', depositePercent: '0', fiboPrice: at('1') },
    ],
    stop: [stopLoss('8')],
  }),
  CHANNEL: (g, at) => ({
    flavor: 'GRID',
    ...market(g),
    deposit: deposit(g, '1000'),
    grid: { low: at('-5'), high: at('5'), count: 11 },
    stopBelow: at('-10'),
  }),
  INTRADAY: (g, at) => ({
    ...market(g),
    deposit: deposit(g, '200'),
    mode: 'bounce',
    trend: level(g, at('-1')),
    takeProfits: [
      { percent: '0.5', size: 60 },
      { percent: '1', size: 40 },
    ],
    stop: [stopLoss('1.5')],
  }),
  ALGO: (g, at) => ({
    exchange: g.instrument.exchange,
    symbol: g.instrument.symbol,
    algo: 'bracket',
    side: 'BUY',
    deposit: deposit(g, '200'),
    entry: { type: 'LIMIT', price: at('-0.5') },
    takeProfit: { percent: '1' },
    stopLoss: { percent: '0.5' },
  }),
  ALARM: (g, at) => ({
    ...market(g),
    ticker: g.instrument.symbol,
    range: [
      { type: 'price', trend: level(g, at('1')), direction: 'up' },
      { type: 'price', trend: level(g, at('-1')), direction: 'down' },
    ],
    notify: ['bell'],
  }),
  NOTIFY: (g) => ({
    exchange: g.instrument.exchange,
    quote: g.instrument.quote,
    timeFrame: 300_000,
    conditions: [{ type: 'price_change', percent: '1' }],
    notify: ['bell'],
  }),
};

/** The text of a new bot's JSON. */
export function botTemplate(type: BotType, ground: TemplateGround): string {
  const { instrument, last } = ground;
  const known = read(last);
  const price = known === null || known <= ZERO ? dec('100') : known;
  const tick = dec(instrument.tickSize);
  const at = (percent: string) => priceAt(price, tick, instrument.tickSize, percent);
  return printJson({ type, settings: MAKE[type](ground, at) }).join('\n');
}

/** The price this many percent away, on the tick and at least one. */
function priceAt(price: Dec, tick: Dec, tickText: string, percent: string): string {
  const wanted = price + mul(price, div(dec(percent), dec('100')));
  const ticks = tick > ZERO ? (wanted / tick) * tick : wanted;
  return fixed(ticks > tick ? ticks : tick, placesOf(tickText) ?? 8);
}

function market({ instrument }: TemplateGround) {
  const { exchange, base, quote } = instrument;
  return { exchange, symbol: { base, quote } };
}

function deposit({ instrument }: TemplateGround, value: string) {
  return { value, asset: instrument.quote };
}

function stopLoss(percent: string) {
  return {
    strategy: 'price_percent_buy',
    trigger: { type: 'kline', value: percent },
    order: { type: 'MARKET' },
    complete: true,
  };
}

/** A horizontal line: the same price at two times. */
function level({ now }: TemplateGround, price: string): Record<string, string> {
  return { [String(now)]: price, [String(now + DAY_MS)]: price };
}
