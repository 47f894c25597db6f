/**
 * Plays a scenario on a whole desk: order engine, bots, store and paper exchange, on a virtual clock. The
 * result must equal that of the backtest's tick market.
 */
import type { AlertRecord, RunRecord } from '../../src/domain/bot.ts';
import { dec, str } from '../../src/domain/decimal.ts';
import type { FillRecord, OrderRecord } from '../../src/domain/order.ts';
import { TERMINAL } from '../../src/domain/order.ts';
import type { Effect } from '../../src/engine/step.ts';
import {
  type ExpectedOrder,
  instrumentsOf,
  isOver,
  notStarted,
  type Outcome,
  openDifferences,
  type RunOutcome,
  type Scenario,
} from './scenario.ts';
import { Stage, type StageOptions } from './stage.ts';

/** Maximum number of runs of one bot that are read. */
const RUNS_MAX = 1_000;

export interface DeskOptions extends Pick<StageOptions, 'watcher' | 'logLine'> {
  /** Called before each event, with its number. */
  readonly before?: (stage: Stage, event: number) => Promise<void>;
}

export async function playOnDesk(
  type: string,
  scenario: Scenario,
  options: DeskOptions = {},
): Promise<Outcome> {
  const play = new Play(scenario, options);
  try {
    return await play.run(type);
  } finally {
    await play.stage.close();
  }
}

class Play {
  readonly stage: Stage;
  readonly #scenario: Scenario;
  readonly #o: DeskOptions;
  /** The run's labels of its orders when they were sent, by order id. */
  readonly #labels = new Map<string, string>();
  readonly #opens: string[] = [];
  readonly #refused: string[] = [];

  constructor(scenario: Scenario, options: DeskOptions) {
    this.#scenario = scenario;
    this.#o = options;
    const logLine = process.env.SHOW ? (line: string) => process.stderr.write(`${line}\n`) : undefined;
    this.stage = new Stage(scenario, {
      ...(logLine ? { logLine } : {}),
      ...options,
      released: (effect) => this.#released(effect),
    });
  }

  async run(type: string): Promise<Outcome> {
    const { stage } = this;
    const { start, settings, options, events } = this.#scenario;
    await stage.open();
    await stage.prepare();
    await stage.pass(start);
    const bot = { type: type as 'FIBO', settings, ...(options ? { options } : {}) };
    const made = await stage.ask<{ id: string }>({ type: 'bot.create', bot });
    if (!made.ok) return notStarted(made.error.message);
    const { id } = made.data;
    const started = await stage.ask({ type: 'bot.start', id });
    if (!started.ok) return notStarted(started.error.message);
    for (const [number, event] of events.entries()) {
      await this.#o.before?.(stage, number);
      await this.#play(event, id);
    }
    return this.#outcome(id);
  }

  async #play(event: Scenario['events'][number], id: string): Promise<void> {
    const { stage } = this;
    const { at } = event;
    if ('tick' in event) {
      const symbol = event.symbol ?? instrumentsOf(this.#scenario)[0]?.symbol ?? '';
      await stage.tick({ symbol, price: event.tick, volume: event.volume ?? '0', time: at });
      return;
    }
    await stage.pass(at);
    if ('expectOpen' in event) {
      this.#opens.push(...openDifferences(`open at ${at}`, event.expectOpen, this.#open()));
      return;
    }
    if ('advance' in event) return;
    const runId = stage.trading.core.bots?.book.bots.get(id)?.runId ?? null;
    if (runId === null) {
      this.#refused.push(isOver(event));
      return;
    }
    if ('stop' in event) {
      const { cleanup, action, force } = event.stop;
      const way = { cleanup, action, force } as { cleanup: 'cancelAllOrders' };
      const stopped = await stage.ask({ type: 'bot.stop', id, runId, way });
      if (!stopped.ok) this.#refused.push(`stop at ${at} was refused: ${stopped.error.message}`);
      return;
    }
    const { message, params } = event.command;
    const done = await stage.ask({ type: 'bot.message', id, runId, message, params });
    if (!done.ok) this.#refused.push(`${message} at ${at} was refused: ${done.error.message}`);
  }

  #released(effect: Effect): void {
    if (effect.kind !== 'order-event') return;
    const { order } = effect;
    const live = this.stage.trading.core.bots?.book.runOf(order);
    const key = live?.keys.get(order.id);
    const label = key === undefined ? undefined : live?.run.slots.find(key)?.order.label;
    if (label !== undefined) this.#labels.set(order.id, label);
  }

  #open(): ExpectedOrder[] {
    const orders = [...this.stage.trading.core.engine.memory.orders.values()];
    return orders.filter((order) => !TERMINAL.has(order.status) && order.creator === 'BOT').map(openOrder);
  }

  #outcome(id: string): Outcome {
    const { store, exchange, trading } = this.stage;
    const { core } = trading;
    const runs = store.runs(id, RUNS_MAX).toReversed();
    const last = runs.at(-1);
    const bot = core.bots?.book.bots.get(id);
    const shown = bot && core.bots?.book.shown(bot);
    const live = bot && core.bots?.book.running(bot);
    const fills = this.stage.rows<FillRecord>('fills').filter(({ orderId }) => orderId.includes('_'));
    const { memory } = core.engine;
    const account = memory.account(exchange);
    const totals = [...account.wallet.balances].map(
      ([asset, { free, locked }]) => [asset, { total: str(free + locked) }] as const,
    );
    const position = [...(account.futures?.positions.values() ?? [])].find(({ amount }) => amount !== '0');
    const below = position?.side === 'SHORT' ? '-' : '';
    return {
      startError: null,
      fills: fills.map((fill) => this.#fillOf(fill)),
      open: this.#open(),
      balances: Object.fromEntries(totals),
      position: position ? { amount: below + position.amount, entryPrice: position.entryPrice } : null,
      alerts: this.stage
        .rows<AlertRecord>('alerts')
        .map(({ market, symbol, condition }) => ({ at: market, symbol, condition })),
      status: bot?.status ?? '',
      state: shown?.state ?? '',
      reason: last?.reason ?? null,
      stats: { ...(shown?.stats ?? {}) } as Record<string, string | number>,
      opens: this.#opens,
      refused: this.#refused,
      runs: runs.map((run) => runOf(run.endedAt === null && live ? live.record() : run)),
      ...(live ? { lots: live.run.lots.open.map(lotText) } : {}),
      outOfBand: this.stage
        .rows<OrderRecord>('orders')
        .some(({ rejectCode }) => rejectCode === 'PERCENT_PRICE'),
      liquidated: [...memory.orders.keys()].some((order) => order.startsWith('liq-')),
    };
  }

  #fillOf({ orderId, time, side, price, qty, maker, comm, commAsset }: FillRecord): Outcome['fills'][number] {
    const label = this.#labels.get(orderId);
    const fee = `${comm} ${commAsset}`;
    return { at: time, side, price, qty, maker, fee, ...(label === undefined ? {} : { label }) };
  }
}

function runOf({ startedAt, endedAt, reason, error, figures }: RunRecord): RunOutcome {
  return { startedAt, endedAt, reason, error, figures };
}

/** A lot in the text form of both sides. */
export function lotText(lot: {
  readonly label: string;
  readonly qty: bigint;
  readonly filledQty: bigint;
  readonly filledQuote: bigint;
  readonly openedAt: number;
}): string {
  const { label, qty, filledQty, filledQuote, openedAt } = lot;
  return `${label} ${str(qty)} of ${str(filledQty)} for ${str(filledQuote)} since ${openedAt}`;
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
