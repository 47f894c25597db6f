/**
 * Clients who keep bots: they make, start, change, stop and delete them, send runtime commands, and cancel
 * orders of bots by hand. Their requests take the same way as other clients' requests, so they are repeated
 * and lost in the same way.
 */
import type { BotCommand, BotRecord, Cleanup, StopWay } from '../../src/domain/bot.ts';
import { toNumber } from '../../src/domain/decimal.ts';
import { marketOf } from '../../src/domain/exchange.ts';
import { TERMINAL } from '../../src/domain/order.ts';
import { signedAmount } from '../../src/engine/positions.ts';
import type { SimAccount } from './accounts.ts';
import { BotMaker, type BotView } from './bot-settings.ts';
import { randomStop, randomStopCommand } from './bot-stops.ts';
import { type Clients, KEY_IDS } from './clients.ts';
import type { Dice } from './dice.ts';
import { SYMBOLS } from './market.ts';
import { type BotsPlan, type SeedPlan, tasteOf } from './plan.ts';
import { ROUGH_FUTURES_ID } from './rough/rough-account.ts';
import type { SimClock } from './sim-clock.ts';
import type { SimDesk } from './sim-desk.ts';
import { TARGET } from './sim-target.ts';

const ACTIONS = {
  create: 16,
  start: 26,
  patch: 8,
  stop: 9,
  delete: 4,
  message: 12,
  batch: 4,
  cancelOrder: 7,
  mute: 3,
  nonsense: 2,
} as const;
/** The client that keeps bots. In some seeds one of the keys is revoked; the bots go on. */
const KEEPER = 0;

export interface BotClientsOptions {
  readonly plan: SeedPlan;
  readonly bots: BotsPlan;
  readonly dice: Dice;
  readonly clock: SimClock;
  readonly accounts: readonly SimAccount[];
  readonly desk: () => SimDesk | null;
  readonly clients: Clients;
  /** Counts an action that was tried. */
  readonly struck: (name: string) => void;
}

export class BotClients {
  /** How each run was asked to stop, by run id, whether or not the request arrived. */
  readonly asked = new Map<string, StopWay[]>();
  readonly #o: BotClientsOptions;
  #active = false;

  constructor(options: BotClientsOptions) {
    this.#o = options;
  }

  start(): void {
    this.#active = true;
    this.#arm();
  }

  stop(): void {
    this.#active = false;
  }

  /** Stops every run that is going. */
  stopAll(): void {
    for (const bot of this.#bots()) if (bot.runId !== null) this.#stop(bot.id, bot.runId, this.#way());
  }

  #arm(): void {
    const { clock, bots, dice } = this.#o;
    clock.after(bots.thinkMs * dice.between(0.2, 2), () => {
      if (!this.#active) return;
      this.#act();
      this.#arm();
    });
  }

  #bots(): BotRecord[] {
    const desk = this.#o.desk();
    return desk?.ready ? [...(desk.core.bots?.book.bots.values() ?? [])] : [];
  }

  #act(): void {
    const { dice, bots: plan } = this.#o;
    const desk = this.#o.desk();
    if (!desk?.ready) return;
    if (plan.once) {
      this.#makeAll(desk);
      return;
    }
    const bots = this.#bots();
    const bot = bots.length > 0 ? dice.pick(bots) : null;
    const action = bot === null ? 'create' : dice.weighted(ACTIONS);
    if (action === 'create' || bot === null) {
      if (bots.length < this.#o.bots.most) this.#send({ type: 'bot.create', bot: this.#maker(desk).make() });
      return;
    }
    switch (action) {
      case 'start': {
        const idle = bots.filter(({ runId }) => runId === null);
        if (idle.length > 0) this.#send({ type: 'bot.start', id: dice.pick(idle).id });
        return;
      }
      case 'patch':
        this.#patch(desk, bot);
        return;
      case 'stop':
        if (bot.runId !== null) this.#stop(bot.id, bot.runId, this.#way());
        return;
      case 'delete':
        this.#delete(bot, dice.chance(0.4));
        return;
      case 'message':
        this.#message(desk, bot);
        return;
      case 'batch':
        this.#batch(bots);
        return;
      case 'cancelOrder':
        this.#cancelOrder(desk);
        return;
      case 'mute':
        this.#mute(desk, bot);
        return;
      case 'nonsense':
        this.#nonsense(bot);
        return;
    }
  }

  #makeAll(desk: SimDesk): void {
    if (SYMBOLS.some(({ symbol }) => desk.lastPrice(symbol) === null)) return;
    this.stop();
    const { bots, clients } = this.#o;
    for (let i = 0; i < bots.most; i++)
      clients.send(KEEPER, KEY_IDS[0], { type: 'bot.create', bot: this.#maker(desk).make() }, null);
    for (const { id } of desk.core.bots?.book.bots.values() ?? [])
      clients.send(KEEPER, KEY_IDS[0], { type: 'bot.start', id }, null);
  }

  #patch(desk: SimDesk, bot: BotRecord): void {
    const { dice } = this.#o;
    const fresh = new BotMaker(dice, this.#view(desk, bot.exchange));
    const other = dice.chance(0.4)
      ? { stop: [randomStop(fresh)] }
      : { noticeLevel: dice.int(0, 3), stop: null };
    const change = {
      ...(dice.chance(0.7) ? { config: other } : {}),
      ...(dice.chance(0.3) ? { options: { restart: dice.chance(0.5), reuse: dice.chance(0.5) } } : {}),
      ...(dice.chance(0.5) ? { restart: true } : {}),
    };
    const id = bot.runId === null || dice.chance(0.1) ? bot.id : null;
    const idle = this.#bots().filter(({ runId }) => runId === null);
    this.#send({ type: 'bot.patch', id: id ?? (idle.length > 0 ? dice.pick(idle) : bot).id, change });
  }

  #way(): StopWay {
    const { dice } = this.#o;
    return {
      ...(dice.chance(0.6)
        ? { cleanup: dice.pick(['leaveAllOrders', 'cancelBuyOrders', 'cancelAllOrders'] as const) }
        : {}),
      ...(dice.chance(0.35) ? { action: 'stop_and_sell' as const } : {}),
      ...(dice.chance(0.25) ? { force: true } : {}),
    };
  }

  #stop(id: string, runId: string, way: StopWay): void {
    this.#note(runId, way);
    this.#send({ type: 'bot.stop', id, runId, way });
  }

  #delete(bot: BotRecord, force: boolean): void {
    if (force && bot.runId !== null) this.#note(bot.runId, { force: true });
    this.#send({ type: 'bot.delete', id: bot.id, force });
  }

  #note(runId: string, way: StopWay): void {
    const ways = this.asked.get(runId);
    if (ways) ways.push(way);
    else this.asked.set(runId, [way]);
  }

  #message(desk: SimDesk, bot: BotRecord): void {
    const { dice } = this.#o;
    const { runId, id } = bot;
    if (runId === null) return;
    const live = desk.core.bots?.book.runs.get(runId);
    if ((bot.type === 'ALARM' || bot.type === 'NOTIFY') && dice.chance(0.9)) return;
    const maker = new BotMaker(dice, this.#view(desk, bot.exchange));
    const message = dice.pick(['add_stoploss', 'add_stoploss', 'update_stoploss', 'delete_stoploss']);
    const known = live?.run.stops.rules ?? [];
    const same =
      message !== 'add_stoploss' && known.length > 0 && dice.chance(0.7) ? dice.pick(known).raw : null;
    const command = randomStopCommand(maker);
    const params = same ? { ...command, strategy: same.strategy, trigger: same.trigger } : command;
    this.#send({ type: 'bot.message', id, runId, message, params });
  }

  #batch(bots: readonly BotRecord[]): void {
    const { dice } = this.#o;
    const some = bots.filter(() => dice.chance(0.6));
    const ids = some.map(({ id }) => id);
    switch (dice.int(0, 3)) {
      case 0:
      case 1:
        this.#send({ type: 'bot.batchStart', ids });
        return;
      case 2: {
        const way = this.#way();
        const runs = some.map(({ id, runId }) => [id, runId ?? 'rnone'] as const);
        for (const [, runId] of runs) this.#note(runId, way);
        this.#send({ type: 'bot.batchStop', runs, way });
        return;
      }
      default:
        this.#send({ type: 'bot.batchDelete', ids: ids.slice(0, 1) });
    }
  }

  /** Cancels an order of a run: a run has to cope with cancels by anybody. */
  #cancelOrder(desk: SimDesk): void {
    const open = [...desk.core.engine.memory.orders.values()].filter(
      ({ creator, status }) => creator === 'BOT' && !TERMINAL.has(status),
    );
    if (open.length === 0) return;
    const { exchange, id } = this.#o.dice.pick(open);
    this.#o.clients.send(KEEPER, KEY_IDS[0], { type: 'cancel', exchange, id }, this.#o.clients.maybeKey());
  }

  /** Mutes a bot or the receiver for a while, as a console does. */
  #mute(desk: SimDesk, bot: BotRecord): void {
    const { dice } = this.#o;
    const what = dice.chance(0.5)
      ? ({ kind: 'bot', id: bot.id } as const)
      : ({ kind: 'target', id: TARGET } as const);
    const on = dice.chance(0.5);
    this.#o.struck('mute');
    desk.trading.mutes.set({ ...what, on });
  }

  #nonsense(bot: BotRecord): void {
    const { dice } = this.#o;
    const id = dice.pick(['bnone', bot.id]);
    switch (dice.int(0, 3)) {
      case 0:
        this.#send({ type: 'bot.start', id });
        return;
      case 1:
        this.#send({ type: 'bot.stop', id, runId: 'rnone', way: {} });
        return;
      case 2:
        this.#send({ type: 'bot.batchStart', ids: [id, id] });
        return;
      default:
        this.#send({ type: 'bot.message', id, runId: bot.runId ?? 'rnone', message: 'dance', params: {} });
    }
  }

  #send(command: BotCommand): void {
    this.#o.clients.send(KEEPER, KEY_IDS[0], command, this.#o.clients.maybeKey());
  }

  #maker(desk: SimDesk): BotMaker {
    const { dice, accounts } = this.#o;
    // On accounts where others close positions there are more bots.
    const shared = accounts.find(({ account }) => account.id === ROUGH_FUTURES_ID);
    const { account } = shared && dice.chance(0.5) ? shared : dice.pick(accounts);
    return new BotMaker(dice, this.#view(desk, account.id));
  }

  #view(desk: SimDesk, exchange: string): BotView {
    const { plan } = this.#o;
    const {
      wallet: { balances },
      futures,
      account,
    } = desk.core.engine.memory.account(exchange);
    const free = (asset: string) => {
      const balance = balances.get(asset);
      return balance ? Math.max(0, toNumber(balance.free)) : 0;
    };
    const positions = [...(futures?.positions.values() ?? [])];
    const position = (symbol: string) => positions.find((one) => one.symbol === symbol);
    return {
      exchange,
      kind: account.kind === 'futures' ? 'futures' : 'spot',
      hedge: futures?.hedge ?? false,
      free: free('USDT'),
      held: (symbol) => {
        if (!futures) return free(symbol.slice(0, -4));
        const one = position(symbol);
        return one ? toNumber(signedAmount(one)) : 0;
      },
      last: (symbol) =>
        desk.lastPrice(symbol, marketOf(account)) ??
        SYMBOLS.find((one) => one.symbol === symbol)?.start ??
        1_000,
      marketTime: desk.marketTime,
      // Distances that a market moves within a few ticks, so that a short seed sees fills.
      stride: plan.stride * 60,
      leverages: tasteOf(plan, exchange)?.leverages ?? [1],
      dayKept: plan.bots?.once === true,
    };
  }
}

/** Whether an order of this role may stay after a stop: at least one of the given ways leaves it. */
export function mayStay(ways: readonly StopWay[], role: 'entry' | 'exit'): boolean {
  const stays: readonly Cleanup[] =
    role === 'entry' ? ['leaveAllOrders'] : ['leaveAllOrders', 'cancelBuyOrders'];
  return ways.some(({ cleanup, action }) => action !== 'stop_and_sell' && cleanup && stays.includes(cleanup));
}
