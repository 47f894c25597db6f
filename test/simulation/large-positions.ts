/**
 * A guard is lowered while a run holds five times the new largest order value, and somebody wants that
 * position closed: by a rule of the run, by stopping it with a sale, or by panic. No guard may block any of
 * these. Checked from outside; draws from dice of its own. Not tested while an exchange errs, since positions
 * are uncertain there.
 */

import type { LiveRun } from '../../src/bots/runtime/live-run.ts';
import { isOneWay } from '../../src/bots/runtime/symbol-users.ts';
import { OWNER } from '../../src/domain/actor.ts';
import { type Dec, dec, div, floorTo, maxDec, mul, str, ZERO } from '../../src/domain/decimal.ts';
import { guardsName, isGuardCode } from '../../src/domain/guards.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { Row } from '../../src/domain/rows.ts';
import { closesByOrigin, sizeOf } from '../../src/engine/guard-figures.ts';
import { signedAmount } from '../../src/engine/positions.ts';
import type { Effect, OrderCommand } from '../../src/engine/step.ts';
import { runIdOf } from './bot-watch.ts';
import type { Dice } from './dice.ts';
import type { SimClock } from './sim-clock.ts';
import type { SimDesk } from './sim-desk.ts';
import { type Strikes, strike } from './sim-faults.ts';

/** Number of this invariant, beside those of design/testing.md. */
export const LARGE = 17;
const OPERATOR = { kind: 'operator', user: OWNER } as const;
const TIMES = dec('5');
/** Smallest value of a position that is tested: less falls below an exchange's minimum once it is divided. */
const LEAST = dec('50');
const CENT = dec('0.01');
const LOOK_MS = 500;
const WAYS = { rule: 3, stop: 2, panic: 2 } as const;
/** Only on futures does a panic close more than what runs hold. */
const WAYS_ON_FUTURES = { rule: 2, stop: 1, panic: 3 } as const;

export interface LargePlan {
  /** How many times a guard is lowered. */
  readonly times: number;
  /** Whether the guard is lifted again after a while. */
  readonly lifts: boolean;
}

export interface LargeOptions {
  readonly plan: LargePlan;
  readonly dice: Dice;
  readonly clock: SimClock;
  readonly strikes: Strikes;
  readonly violate: (invariant: number, text: string) => void;
  readonly desk: () => SimDesk | null;
  /** Time between two looks, ms of the clock. */
  readonly thinkMs: number;
}

export class LargePositions {
  readonly #o: LargeOptions;
  /** `maxOrderValue` by account, as stored. */
  readonly #most = new Map<string, Dec>();
  /** By run: `maxOrderValue` at the acknowledgement of a stop with a sale. */
  readonly #sold = new Map<string, Dec>();
  readonly #panicked = new Set<string>();
  /** Closes that have been counted already. */
  readonly #told = new Set<string>();
  #left: number;
  #active = false;

  constructor(options: LargeOptions) {
    this.#o = options;
    this.#left = options.plan.times;
  }

  start(): void {
    this.#active = true;
    this.#arm();
  }

  stop(): void {
    this.#active = false;
  }

  committed(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.kind === 'meta' && row.name.startsWith(guardsName(''))) {
        const exchange = row.name.slice(guardsName('').length);
        const most = (row.value as { maxOrderValue?: string | null } | null)?.maxOrderValue ?? null;
        if (most === null) this.#most.delete(exchange);
        else this.#most.set(exchange, dec(most));
      }
      if (row.kind === 'run') this.#lookAtExits(row.run.runId);
    }
  }

  /** Checks an effect that is released now, after its commit. */
  released(desk: SimDesk, effect: Effect): void {
    if (effect.kind !== 'order-event' || this.#most.size === 0) return;
    const { order } = effect;
    if (!closesByOrigin(desk.core.engine.memory.account(order.exchange), order)) return;
    if (isGuardCode(order.rejectCode))
      this.#o.violate(LARGE, `the close ${order.id} was refused: ${order.rejectCode}, ${order.text}`);
    const most = this.#most.get(order.exchange);
    const executed = dec(order.executedQty);
    if (most === undefined || executed === ZERO || this.#told.has(order.id)) return;
    // A fill may be only a small part of the order: the order's size counts.
    if (div(mul(dec(order.origQty), dec(order.quoteQty)), executed) < mul(most, TIMES)) return;
    this.#told.add(order.id);
    strike(this.#o.strikes, `five times an order, closed by ${this.#wayOf(order)}`);
  }

  /** Checks once all is quiet: a run that has stopped and sold holds no more than one order may be worth. */
  checkEnd(desk: SimDesk): void {
    for (const [runId, most] of this.#sold) {
      const live = desk.core.bots?.book.runs.get(runId);
      if (!live || live.going) continue;
      const worth = worthOf(live);
      if (worth > most)
        this.#o.violate(LARGE, `run ${runId} has stopped and sold, and holds ${str(worth)} USDT`);
    }
  }

  #wayOf({ creator, id, metadata }: OrderRecord): string {
    if (creator !== 'BOT') return 'hand';
    const { slot = '' } = JSON.parse(metadata ?? '{}') as { slot?: string };
    if (slot === 'end') return this.#panicked.has(runIdOf(id)) ? 'panic' : 'stop_and_sell';
    return slot.startsWith('stop:') ? 'a stop rule' : 'an exit';
  }

  /** Finds exits that wait for a guard: such a run was refused a close. */
  #lookAtExits(runId: string): void {
    const live = this.#o.desk()?.core.bots?.book.runs.get(runId);
    if (!live || opens(live)) return;
    for (const { name, want, guarded } of live.run.state.slots.slots.values())
      if (guarded && want?.role === 'exit')
        this.#o.violate(LARGE, `run ${runId}: the exit ${name} waits for a guard`);
  }

  #arm(): void {
    const { clock, dice, thinkMs } = this.#o;
    clock.after(Math.max(thinkMs, LOOK_MS) * dice.between(0.5, 2), () => {
      if (!this.#active || this.#left === 0) return;
      this.#act();
      this.#arm();
    });
  }

  #act(): void {
    const { dice, plan } = this.#o;
    const desk = this.#o.desk();
    if (!desk?.ready) return;
    const large = [...(desk.core.bots?.book.runs.values() ?? [])].filter(
      (live) => live.going && live.run.state.phase === 'running' && !opens(live) && worthOf(live) >= LEAST,
    );
    if (large.length === 0) return;
    this.#left -= 1;
    const live = dice.pick(large);
    const { exchange } = live.parts;
    // Above five times, because the price may fall before the sale.
    const most = floorTo(div(worthOf(live), dec(dice.pick(['5.5', '7', '20']))), CENT);
    this.#ask(desk, { type: 'guards', exchange, change: { maxOrderValue: str(most) } }, () => {
      strike(this.#o.strikes, 'guard lowered below what is held');
      this.#later(dice.between(0, 2_000), (one) => this.#close(one, live.id, most));
      if (plan.lifts)
        this.#later(dice.between(10_000, 30_000), (one) =>
          this.#ask(one, { type: 'guards', exchange, change: { maxOrderValue: null } }),
        );
    });
  }

  #close(desk: SimDesk, runId: string, most: Dec): void {
    const live = desk.core.bots?.book.runs.get(runId);
    if (!live?.going) return;
    const { botId: id, exchange } = live.parts;
    const { dice } = this.#o;
    const { futures } = desk.core.engine.memory.account(exchange);
    switch (dice.weighted(futures ? WAYS_ON_FUTURES : WAYS)) {
      case 'rule': {
        const { price, settings } = live.run;
        // A stop price that the market passes within a few ticks.
        const value = str(floorTo(mul(price, dec(settings.short ? '1.0001' : '0.9999')), CENT));
        const trigger = { type: dice.pick(['kline', 'exchange']), value };
        const params = { strategy: 'fixed', trigger, order: { type: 'MARKET' }, complete: true };
        this.#ask(desk, { type: 'bot.message', id, runId, message: 'add_stoploss', params });
        return;
      }
      case 'stop': {
        const way = { cleanup: 'cancelAllOrders', action: 'stop_and_sell' } as const;
        this.#ask(desk, { type: 'bot.stop', id, runId, way }, () => this.#sold.set(runId, most));
        return;
      }
      case 'panic': {
        this.#panicked.add(runId);
        const way = { cleanup: 'cancelAllOrders', action: 'stop_and_sell', force: true } as const;
        this.#ask(desk, { type: 'bot.batchStop', runs: [[id, runId]], way });
        for (const position of futures?.positions.values() ?? []) {
          const { symbol, side: positionSide } = position;
          const amount = signedAmount(position);
          if (amount === ZERO) continue;
          const side = amount > ZERO ? ('SELL' as const) : ('BUY' as const);
          // A fill that the desk has received may have closed the position that the exchange reported last:
          // then no guard can block anything.
          const account = desk.core.engine.memory.account(exchange);
          if (sizeOf(account, symbol, positionSide, side === 'SELL' ? 'BUY' : 'SELL') <= ZERO) continue;
          const request = {
            exchange,
            symbol,
            side,
            positionSide,
            type: 'MARKET',
            closePosition: true,
          } as const;
          this.#ask(desk, { type: 'place', request });
        }
      }
    }
  }

  #later(ms: number, then: (desk: SimDesk) => void): void {
    this.#o.clock.after(ms, () => {
      const desk = this.#o.desk();
      if (desk?.ready) then(desk);
    });
  }

  /** Sends a command as a person at a console does. */
  #ask(desk: SimDesk, command: OrderCommand, then: () => void = () => {}): void {
    desk.core.execute(OPERATOR, command, { requestId: 'large' }).then(
      ({ outcome }) => {
        if (!desk.life.alive || !outcome) return;
        if (outcome.ok) then();
        else if (command.type === 'place' && isGuardCode(outcome.error.reason))
          this.#o.violate(LARGE, `panic was refused: ${outcome.error.message}`);
      },
      () => {},
    );
  }
}

/** Whether a run can open a position by selling, as a twap can. */
function opens({ run: { settings, rules } }: LiveRun): boolean {
  return isOneWay(settings) && rules.kind === 'futures';
}

function worthOf({ run }: LiveRun): Dec {
  const { price } = run.market;
  return price === null ? ZERO : mul(maxDec(run.lots.total(), ZERO), price);
}
