/**
 * A bot engine on one account (spot unless the bench says otherwise), driven event by event; its stored bots
 * and runs can be loaded into the next engine.
 */
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { MarketHubs } from '../../../src/bots/market/market-hubs.ts';
import { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import type { BotEngineOptions } from '../../../src/bots/runtime/bots.ts';
import type { BotCommand, BotNotice, BotRecord, RunRecord } from '../../../src/domain/bot.ts';
import type { Row } from '../../../src/domain/rows.ts';
import type { BotType } from '../../../src/schemas/bots/bot-type.ts';
import { Bench, type BenchOptions, type Reply } from '../../engine/support/bench.ts';
import { KEY_ACTOR, START } from '../../engine/support/market.ts';

const ORDER_ROWS: ReadonlySet<Row['kind']> = new Set(['order', 'fill', 'event']);

export class BotsBench {
  readonly bench: Bench;
  readonly bots = new Map<string, BotRecord>();
  readonly runs = new Map<string, RunRecord>();
  readonly notices: BotNotice[] = [];
  engine: BotEngine;
  /** Beyond those of the bench, which numbers its own commands. */
  #tokens = 1_000;
  readonly #options: Partial<BotEngineOptions>;

  constructor(options: Partial<BotEngineOptions> = {}, bench: BenchOptions = {}) {
    this.#options = options;
    this.bench = new Bench({ price: '100', ...bench });
    const { store } = this.bench;
    // This store is the engine's own, without rows of bots.
    const commit = store.commit.bind(store);
    store.commit = (rows) => {
      for (const row of rows) this.#keep(row);
      commit(rows.filter(({ kind }) => ORDER_ROWS.has(kind)));
    };
    this.engine = this.#fresh();
  }

  ask(command: BotCommand): Reply {
    return this.bench.reply(this.send(command));
  }

  /** Gives the command; its answer may come later. Returns its token. */
  send(command: BotCommand): number {
    const token = ++this.#tokens;
    const context = { requestId: `r${token}` };
    // Ids are made of its first characters.
    const entropy = token.toString(32).padStart(5, '0').padEnd(6, '0') + token.toString(32).padStart(5, '0');
    this.bench.event({ type: 'command', token, actor: KEY_ACTOR, command, context, entropy });
    return token;
  }

  /** Returns `data` of a success. */
  done<T = { readonly id: string; readonly runId: string }>(command: BotCommand): T {
    const { status, message, order } = this.ask(command);
    if (status !== 200) throw new Error(`${command.type}: ${status} ${message}`);
    return order as T;
  }

  make(type: BotType, settings: object): string {
    return this.done({
      type: 'bot.create',
      bot: { type, settings: { exchange: this.bench.exchange, ...settings } },
    }).id;
  }

  started(type: BotType, settings: object): { id: string; runId: string } {
    const id = this.make(type, settings);
    return { id, runId: this.done({ type: 'bot.start', id }).runId };
  }

  /** Feeds a last price, ms after the start; the exchange accepts and cancels as requested. */
  tick(price: string, at = this.bench.wall - START, symbol = 'BTCUSDT', of = 'paper'): void {
    const { bench } = this;
    bench.wall = START + at;
    const market = { market: of, symbol } as const;
    bench.event({ type: 'market', ...market, time: bench.wall, price, volume: '1' });
    bench.event({ type: 'tick', ...market, price });
    this.obey();
  }

  /** Lets the exchange carry out all requests. */
  obey(): void {
    for (const order of this.bench.engine.memory.orders.values()) {
      if (order.phase === 'sending') this.bench.accepted(order);
      else if (order.cancel?.state === 'sent') this.bench.cancelDone(order);
    }
  }

  /** The process dies and starts again from the rows. `heard`: the exchange's events before it goes on. */
  restart(heard: () => void = () => {}): void {
    this.bench.engine = this.bench.reload();
    this.engine = this.#fresh();
    this.engine.load({ bots: [...this.bots.values()], runs: [...this.runs.values()] }, this.bench.wall);
    heard();
    this.bench.start();
  }

  #keep(row: Row): void {
    if (row.kind === 'bot') this.bots.set(row.bot.id, row.bot);
    else if (row.kind === 'bot-drop') this.bots.delete(row.id);
    else if (row.kind === 'run') this.runs.set(row.run.runId, row.run);
    else if (row.kind === 'notice') this.notices.push(row.notice);
  }

  #fresh(): BotEngine {
    const { memory } = this.bench.engine;
    const engine = new BotEngine({
      memory,
      hubs: new MarketHubs(() => new CandleHub({ time: this.bench.wall })),
      history: () => [],
      fees: () => ({ maker: '0', taker: '0' }),
      maxLeverage: () => 1,
      targets: [],
      lastRun: () => null,
      ...this.#options,
    });
    this.bench.engine.extension = engine;
    return engine;
  }
}
