/**
 * Plays a scenario over a real desk: order engine, bots, store and paper exchange, on a virtual clock. Only the feed is the
 * scenario's own. What it comes to must be what the tick market of the backtest comes to.
 */

import { DeskCore } from '../../src/desk/core/desk-core.ts';
import { createBotDesk, marketMove } from '../../src/desk/market/bot-desk.ts';
import { stepMarks } from '../../src/desk/paper/paper-accounts.ts';
import { type Actor, OWNER } from '../../src/domain/actor.ts';
import type { BotCommand } from '../../src/domain/bot.ts';
import { dec, str } from '../../src/domain/decimal.ts';
import type { Outcome as Answer } from '../../src/domain/errors.ts';
import type { Instrument } from '../../src/domain/instrument.ts';
import type { FillRecord, OrderRecord } from '../../src/domain/order.ts';
import { TERMINAL } from '../../src/domain/order.ts';
import type { Setting } from '../../src/domain/position.ts';
import type { Candle } from '../../src/domain/rows.ts';
import type { Feed, Tick } from '../../src/market/feed.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import {
  createPaperVenue,
  PAPER_FUTURES,
  PAPER_SPOT,
  type PaperVenue,
} from '../../src/venues/paper/paper-venue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import {
  type CandleRow,
  type ExpectedOrder,
  type Outcome,
  openDifferences,
  type Scenario,
  type ScenarioInstrument,
} from './scenario.ts';

const OPERATOR: Actor = { kind: 'operator', user: OWNER };

export async function playOnDesk(type: string, scenario: Scenario): Promise<Outcome> {
  const stage = new Stage(scenario);
  try {
    return await stage.play(type);
  } finally {
    await stage.close();
  }
}

class Stage {
  readonly #scenario: Scenario;
  readonly #instruments: readonly ScenarioInstrument[];
  readonly #clock: VirtualClock;
  readonly #store = openSqliteStore(':memory:');
  readonly #venue: PaperVenue;
  readonly #core: DeskCore;
  readonly #fills: FillRecord[] = [];
  readonly #alerts: { at: number; symbol: string; condition: string }[] = [];
  readonly #exchange: string;
  #market: number;
  #ids = 0;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.#instruments = scenario.instruments ?? (scenario.instrument ? [scenario.instrument] : []);
    this.#exchange = String(scenario.settings.exchange);
    this.#market = scenario.start;
    this.#clock = new VirtualClock(scenario.start, { autoTurns: true });
    const first = this.#instruments[0] as ScenarioInstrument;
    const random = { next: () => 0.5, id: (length: number) => String(this.#ids++).padStart(length, '0') };
    this.#venue = createPaperVenue({
      account: first.kind === 'spot' ? PAPER_SPOT : PAPER_FUTURES,
      instruments: this.#instruments.map((one) => instrumentOf(one, this.#exchange)),
      load: () => this.#store.loadPaperAccount(first.kind),
      lane: { commit: (rows) => this.#core.turn.commitBeside(rows) },
      clock: this.#clock,
      random,
      marketTime: () => this.#market,
      settle: () => this.#core.turn.quiet(),
      options: {
        makerRate: first.makerRate,
        takerRate: first.takerRate,
        startBalances: scenario.balances ?? {},
        participation: scenario.participation ?? null,
      },
      onError: (error) => {
        throw error;
      },
    });
    const initial = this.#store.load(0);
    const bots = createBotDesk({
      feed: this.#feed(),
      time: scenario.start,
      cursor: null,
      initial,
      venues: [this.#venue],
      fees: () => ({ maker: first.makerRate, taker: first.takerRate }),
      targets: [],
      lastRun: () => null,
    });
    this.#core = new DeskCore({
      store: this.#store,
      initial,
      clock: this.#clock,
      random,
      venues: [this.#venue],
      market: () => this.#market,
      riders: () => [],
      bots: bots.make,
      alert: ({ market, alert }) => {
        this.#alerts.push({ at: market, symbol: alert.symbol, condition: alert.condition });
      },
      logFile: (line) => {
        if (process.env.SHOW) process.stderr.write(`${this.#market} ${line.text}\n`);
      },
      fatal: (reason) => {
        throw new Error(reason);
      },
    });
  }

  async play(type: string): Promise<Outcome> {
    const { start, settings, options, events } = this.#scenario;
    await this.#core.start();
    if (this.#scenario.hedge) await this.#set({ kind: 'hedgeMode', on: true });
    await this.#position();
    const bot = { type: type as 'FIBO', settings, ...(options ? { options } : {}) };
    const made = await this.#ask<{ id: string }>({ type: 'bot.create', bot });
    if (!made.ok) return failed(made.error.message);
    const { id } = made.data;
    this.#market = start;
    const started = await this.#ask<{ runId: string }>({ type: 'bot.start', id });
    if (!started.ok) return failed(started.error.message);
    const opens: string[] = [];
    for (const event of events) {
      this.#market = event.at;
      if ('tick' in event) {
        await this.#tick(event.symbol ?? this.#instruments[0]?.symbol ?? '', event.tick, event.volume ?? '0');
        continue;
      }
      await this.#pass(event.at);
      if ('expectOpen' in event) {
        opens.push(...openDifferences(`open at ${event.at}`, event.expectOpen, this.#open()));
      } else if ('stop' in event) {
        const { cleanup, action, force } = event.stop;
        const way = { cleanup, action, force } as { cleanup: 'cancelAllOrders' };
        const stopped = await this.#ask({ type: 'bot.stop', id, runId: started.data.runId, way });
        if (!stopped.ok) opens.push(`stop: ${stopped.error.message}`);
      } else if ('command' in event) {
        const { message, params } = event.command;
        const done = await this.#ask({
          type: 'bot.message',
          id,
          runId: started.data.runId,
          message,
          params,
        });
        if (!done.ok) opens.push(`${message}: ${done.error.message}`);
      }
    }
    return this.#outcome(id, started.data.runId, opens);
  }

  async close(): Promise<void> {
    await this.#core.stop();
    this.#store.close();
  }

  async #ask<T>(command: BotCommand): Promise<Answer<T>> {
    const asked = this.#core.execute(OPERATOR, command, { requestId: 'scenario' });
    await this.#drain();
    const { outcome } = await asked;
    return outcome as Answer<T>;
  }

  async #set(setting: Setting): Promise<void> {
    const command = { type: 'setting', exchange: this.#exchange, setting } as const;
    const asked = this.#core.execute(OPERATOR, command, { requestId: 'setting' });
    await this.#drain();
    const { outcome } = await asked;
    if (!outcome?.ok) throw new Error(`${setting.kind} could not be set: ${outcome?.error.message}`);
  }

  async #tick(symbol: string, price: string, volume: string): Promise<void> {
    await this.#pass(this.#market);
    const tick: Tick = { symbol, price, volume, time: this.#market };
    this.#core.turn.step(marketMove(tick));
    await this.#drain();
    await this.#venue.tick(tick);
    stepMarks(this.#core.turn, [this.#venue], symbol);
    this.#core.turn.step({ type: 'tick', symbol, price });
    await this.#drain();
  }

  /** Time passes with no trade. */
  async #pass(time: number): Promise<void> {
    for (;;) {
      const due = this.#core.bots?.nextDue ?? Number.POSITIVE_INFINITY;
      if (due > time) break;
      this.#market = due;
      this.#core.turn.step({ type: 'time', time: due });
      await this.#drain();
    }
    this.#market = time;
  }

  async #drain(): Promise<void> {
    await this.#core.turn.quiet();
    await this.#clock.settle();
    await this.#core.turn.quiet();
  }

  /** A futures position that is there before the start: traded without a fee, then the wallet is set again. */
  async #position(): Promise<void> {
    const { position, balances } = this.#scenario;
    const [first] = this.#instruments;
    if (!position || !first) return;
    const { symbol, makerRate, takerRate } = first;
    this.#venue.configure({ makerRate: '0', takerRate: '0' });
    this.#market = this.#scenario.start - 1;
    await this.#tick(symbol, position.entryPrice, '0');
    const amount = dec(position.amount);
    const placed = this.#core.execute(
      OPERATOR,
      {
        type: 'place',
        request: {
          exchange: this.#exchange,
          symbol,
          side: amount > 0n ? 'BUY' : 'SELL',
          type: 'MARKET',
          quantity: str(amount > 0n ? amount : -amount),
        },
      },
      { requestId: 'position' },
    );
    await this.#drain();
    const { outcome } = await placed;
    if (!outcome?.ok) throw new Error(`the position could not be made: ${outcome?.error.message}`);
    this.#venue.configure({ makerRate, takerRate, startBalances: balances ?? {} });
    await this.#drain();
  }

  #open(): ExpectedOrder[] {
    const orders = [...this.#core.engine.memory.orders.values()];
    return orders.filter((order) => !TERMINAL.has(order.status) && order.creator === 'BOT').map(openOrder);
  }

  #outcome(id: string, runId: string, opens: string[]): Outcome {
    const run = this.#store.runs(id, 10).find((one) => one.runId === runId);
    const bot = this.#core.bots?.book.bots.get(id);
    const shown = bot && this.#core.bots?.book.shown(bot);
    for (const order of this.#core.engine.memory.orders.values()) {
      if (order.creator === 'BOT') this.#fills.push(...this.#store.orderFills(order.id));
    }
    this.#fills.sort((a, b) => Number(a.tradeId) - Number(b.tradeId));
    const { memory } = this.#core.engine;
    const account = memory.account(this.#exchange);
    const totals = [...account.balances].map(
      ([asset, { free, locked }]) => [asset, { total: str(free + locked) }] as const,
    );
    const position = [...(account.futures?.positions.values() ?? [])].find(({ amount }) => amount !== '0');
    const below = position?.side === 'SHORT' ? '-' : '';
    return {
      startError: null,
      fills: this.#fills.map(({ time, side, price, qty, maker }) => ({ at: time, side, price, qty, maker })),
      open: this.#open(),
      balances: Object.fromEntries(totals),
      position: position ? { amount: below + position.amount, entryPrice: position.entryPrice } : null,
      alerts: this.#alerts,
      status: bot?.status ?? '',
      state: shown?.state ?? '',
      reason: run?.reason ?? null,
      stats: { ...(shown?.stats ?? {}) } as Record<string, string | number>,
      opens,
    };
  }

  #feed(): Feed {
    const symbols = this.#instruments.map(({ symbol }) => symbol);
    return {
      label: 'scenario',
      live: false,
      symbols,
      startTime: this.#scenario.start,
      peek: () => null,
      next: () => null,
      resume: () => {},
      snapshot: () => null,
      candles: (symbol, frameMs, from, to) => history(this.#scenario, symbol, frameMs, from, to),
    };
  }
}

function openOrder(order: OrderRecord): ExpectedOrder {
  const rest = dec(order.origQty) - dec(order.executedQty);
  const triggered = order.status === 'OPENED' && order.stopPrice !== undefined;
  return {
    side: order.side,
    type: triggered ? 'LIMIT' : order.type,
    ...(order.price === undefined ? {} : { price: order.price }),
    ...(order.stopPrice === undefined || triggered ? {} : { stopPrice: order.stopPrice }),
    qty: str(rest),
  };
}

function instrumentOf(one: ScenarioInstrument, exchange: string): Instrument {
  return {
    exchange,
    symbol: one.symbol,
    base: one.base,
    quote: one.quote,
    kind: one.kind,
    tickSize: one.tickSize,
    minPrice: one.tickSize,
    maxPrice: '100000000',
    stepSize: one.stepSize,
    minQty: one.minQty,
    maxQty: '1000000000',
    marketMaxQty: '1000000000',
    minNotional: one.minNotional,
    maxNotional: '1000000000',
    percentDown: '0.0001',
    percentUp: '1000',
    trailingMinBps: 1,
    trailingMaxBps: 10_000,
    maxOrders: 500,
    maxIcebergParts: 10,
  };
}

function history(scenario: Scenario, symbol: string, frameMs: number, from: number, to: number): Candle[] {
  const rows = Array.isArray(scenario.history)
    ? (scenario.history as readonly CandleRow[])
    : ((scenario.history as Readonly<Record<string, readonly CandleRow[]>> | undefined)?.[symbol] ?? []);
  const spacing = rows.length > 1 ? (rows[1] as CandleRow)[0] - (rows[0] as CandleRow)[0] : frameMs;
  if (spacing !== frameMs) return [];
  return rows
    .filter(([time]) => time >= from && time < to)
    .map(([time, open, high, low, close, volume]) => ({
      time,
      open: String(open),
      high: String(high),
      low: String(low),
      close: String(close),
      volume: String(volume),
    }));
}

function failed(startError: string): Outcome {
  return {
    startError,
    fills: [],
    open: [],
    balances: {},
    position: null,
    alerts: [],
    status: 'NEW',
    state: '',
    reason: null,
    stats: {},
    opens: [],
  };
}
