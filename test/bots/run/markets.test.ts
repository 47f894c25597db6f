/**
 * Bots of accounts on two markets: each receives the ticks, candles and history of its own market, although
 * the symbol has the same name (exchanges.md 2).
 */
import { expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { MarketHubs } from '../../../src/bots/market/market-hubs.ts';
import { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import type { BotCommand } from '../../../src/domain/bot.ts';
import type { ExchangeAccount } from '../../../src/domain/exchange.ts';
import type { Candle, Row } from '../../../src/domain/rows.ts';
import { Bench } from '../../engine/support/bench.ts';
import { KEY_ACTOR, SPOT, START } from '../../engine/support/market.ts';
import { squeeze } from '../rules/bots.ts';

const OTHER: ExchangeAccount = { id: 'other-spot', name: 'Other spot', kind: 'spot', market: 'other-spot' };
const MINUTE = 60_000;

/** The price on each market before the start. */
const PAST: Readonly<Record<string, string>> = { paper: '60000', 'other-spot': '30000' };

function flat(price: string, frameMs: number, from: number, to: number): Candle[] {
  const candles: Candle[] = [];
  for (let time = Math.ceil(from / frameMs) * frameMs; time < to; time += frameMs) {
    candles.push({ time, open: price, high: price, low: price, close: price, volume: '1' });
  }
  return candles;
}

class TwoMarkets {
  readonly bench = new Bench({ more: [OTHER], price: null });
  readonly bots: BotEngine;
  /** Market and symbol of the histories requested, such as `paper BTCUSDT`. */
  readonly asked = new Set<string>();
  readonly rows: Row[] = [];
  #tokens = 0;

  constructor() {
    const { bench } = this;
    // This store is the engine's own, without rows of bots.
    const commit = bench.store.commit.bind(bench.store);
    bench.store.commit = (rows) => {
      this.rows.push(...rows);
      commit(rows.filter(({ kind }) => kind === 'order' || kind === 'fill' || kind === 'event'));
    };
    bench.event({
      type: 'venue.balances',
      exchange: OTHER.id,
      all: true,
      changed: [{ asset: 'USDT', free: '1000000', locked: '0' }],
    });
    this.bots = new BotEngine({
      memory: bench.engine.memory,
      hubs: new MarketHubs(() => new CandleHub({ time: START })),
      history: (market, symbol, frameMs, from, to) => {
        this.asked.add(`${market} ${symbol}`);
        return flat(PAST[market] ?? '', frameMs, from, to);
      },
      fees: () => ({ maker: '0', taker: '0' }),
      maxLeverage: () => 1,
      targets: [],
      lastRun: () => null,
    });
    bench.engine.extension = this.bots;
  }

  start(exchange: string): void {
    const trailingRules = [{ type: 'pump_filter', maxChange: 50 }];
    const settings = squeeze({ exchange, trailingRules, deposit: { value: '1000', asset: 'USDT' } });
    const { id } = this.#ask(exchange, { type: 'bot.create', bot: { type: 'SQUEEZE', settings } });
    this.#ask(exchange, { type: 'bot.start', id });
  }

  /** Ids are derived from the account's name. */
  #ask(exchange: string, command: BotCommand): { readonly id: string } {
    const token = ++this.#tokens;
    const context = { requestId: `r${token}` };
    const entropy = exchange.replace('-', '').padEnd(11, '0');
    this.bench.event({ type: 'command', token, actor: KEY_ACTOR, command, context, entropy });
    const answer = this.bench.answers.get(token);
    expect(answer?.status).toBe(200);
    return JSON.parse(answer?.body ?? '').data;
  }

  tick(market: string, at: number, price: string): void {
    this.bench.wall = at;
    this.bench.event({ type: 'market', market, symbol: 'BTCUSDT', time: at, price, volume: '1' });
    this.rows.push(...this.bench.engine.movedPeaks());
    this.bench.event({ type: 'tick', market, symbol: 'BTCUSDT', price });
    for (const order of this.bench.engine.memory.orders.values()) {
      if (order.phase === 'sending') this.bench.accepted(order);
      else if (order.cancel?.state === 'sent') this.bench.cancelDone(order);
    }
  }

  /** Prices of the resting orders, by account. */
  get resting(): Record<string, string | undefined> {
    const open = [...this.bench.engine.memory.orders.values()].filter(({ phase }) => phase !== 'done');
    return Object.fromEntries(open.map(({ exchange, price }) => [exchange, price]));
  }
}

it('the same symbol at two prices: each run goes by its own', () => {
  const world = new TwoMarkets();
  for (const id of [SPOT, OTHER.id]) world.start(id);
  expect([...world.asked].sort()).toEqual(['other-spot BTCUSDT', 'paper BTCUSDT']);
  const phases = () => [...world.bots.book.runs.values()].map(({ run }) => run.state.phase);
  world.tick('paper', START + 1, '60000');
  expect(phases()).toEqual(['running', 'waiting']);
  world.tick('other-spot', START + 2, '30000');
  // Both minutes close: an entry rests below the close of its own market.
  world.tick('paper', START + MINUTE, '61000');
  world.tick('other-spot', START + MINUTE + 1, '31000');
  expect(world.resting).toEqual({ [SPOT]: '59400', [OTHER.id]: '29700' });
  // The entry moves with its market.
  world.tick('other-spot', START + 2 * MINUTE, '31000');
  world.tick('paper', START + 2 * MINUTE + 1, '61000');
  world.tick('paper', START + 2 * MINUTE + 2, '61000');
  expect(world.resting).toEqual({ [SPOT]: '60390', [OTHER.id]: '30690' });
});

it('the candles of each are stored in rows of their own', () => {
  const world = new TwoMarkets();
  for (const id of [SPOT, OTHER.id]) world.start(id);
  world.tick('paper', START + 1, '60000');
  world.tick('other-spot', START + 2, '30000');
  const formed = (name: string) => {
    const row = world.rows.findLast((one) => one.kind === 'meta' && one.name === name);
    return JSON.stringify(row);
  };
  expect(formed('bot-candles')).toContain('60000');
  expect(formed('bot-candles')).not.toContain('30000');
  expect(formed('bot-candles other-spot')).toContain('30000');
  expect(formed('bot-closed-candles other-spot')).toContain('BTCUSDT');
});

it('closes are told in order of time over all markets', () => {
  const hubs = new MarketHubs(() => new CandleHub({ time: START }));
  hubs.of('b').subscribe('BTCUSDT', 3_000);
  hubs.of('a').subscribe('BTCUSDT', 2_000);
  for (const market of ['a', 'b']) hubs.of(market).tick('BTCUSDT', START, 10n ** 30n, 0n);
  const told: string[] = [];
  expect(hubs.nextDue).toBe(START + 2_000);
  hubs.advance(START + 6_500, (market, { time }) => told.push(`${market} ${time - START}`));
  expect(told).toEqual(['a 2000', 'b 3000', 'a 4000', 'b 6000', 'a 6000']);
  expect([hubs.of('a').time, hubs.of('b').time]).toEqual([START + 6_500, START + 6_500]);
});
