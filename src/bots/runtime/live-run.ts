/**
 * One run on the live desk: its `Run`, its orders at the engine, the balances that it reserves, and the row
 * it is stored as. Pure; the bot engine drives it.
 */
import type { RunRecord } from '../../domain/bot.ts';
import { type Dec, dec, div, floorTo, maxDec, mul, ONE, str, ZERO } from '../../domain/decimal.ts';
import { encodeState } from '../run/codec.ts';
import type { OrderChange, RunOrder } from '../run/contract.ts';
import type { Run } from '../run/run.ts';
import { figuresOf } from './figures.ts';
import type { Subscriptions } from './subscribe.ts';

export interface LiveRunParts {
  readonly runId: string;
  readonly botId: string;
  readonly user: string;
  readonly exchange: string;
  /** Market of the exchange account. */
  readonly market: string;
  readonly rawSettings: Readonly<Record<string, unknown>>;
  readonly rawOptions: Readonly<Record<string, unknown>> | null;
  readonly run: Run;
  readonly subscriptions: Subscriptions;
}

/** Shares of a lot's cost may have endless decimals; shown values are rounded down to this step. */
const SHOWN_STEP = dec('0.00000001');

/** The amount of one asset that a run reserves. */
export interface Reservation {
  /** Amount that is shown as lockedByBot. */
  readonly shown: Dec;
  /** The part in the free balance: what the run's own resting orders have not locked at the exchange yet. */
  readonly excess: Dec;
}

export class LiveRun {
  readonly parts: LiveRunParts;
  readonly run: Run;
  /** Engine order id by the run's order key, and the reverse; only for orders that are in a slot. */
  readonly ids = new Map<string, string>();
  readonly keys = new Map<string, string>();
  /** Settings of the exchange that must still be made before the run starts. */
  settings: string[] = [];
  /** The leverage that the bot asks for has been set for this start. */
  isLeverageSet = false;
  reservations = new Map<string, Reservation>();
  label = '';
  /** Wall time at which the bot was last reported. */
  toldAt = 0;
  /**
   * The end of the run has been reported. That was stored with the end: the bot may have had another run
   * since.
   */
  told: boolean;

  constructor(parts: LiveRunParts) {
    this.parts = parts;
    this.run = parts.run;
    this.label = parts.run.label();
    this.told = !this.going;
  }

  get id(): string {
    return this.parts.runId;
  }

  get going(): boolean {
    return this.run.state.phase !== 'ended';
  }

  bind(key: string, orderId: string): void {
    this.ids.set(key, orderId);
    this.keys.set(orderId, key);
  }

  /** Gives the run a change of its order. The ids of an order that has left its slot are dropped. */
  change(change: OrderChange): void {
    this.run.input({ type: 'order', change });
    const id = this.ids.get(change.key);
    if (id === undefined || this.run.slots.find(change.key)) return;
    this.ids.delete(change.key);
    this.keys.delete(id);
  }

  /** True when the run wants the order cancelled. */
  asksToCancel(key: string): boolean {
    return this.run.slots.find(key)?.order.cancelAsked === true;
  }

  release(): void {
    this.parts.subscriptions.release();
    this.run.release();
  }

  /** True when nothing can happen to the run any more: it has ended, and none of its orders is left. */
  get over(): boolean {
    return !this.going && [...this.run.slots.orders()].length === 0;
  }

  record(): RunRecord {
    const { parts, run } = this;
    const { state } = run;
    return {
      runId: parts.runId,
      botId: parts.botId,
      user: parts.user,
      type: run.settings.type,
      exchange: parts.exchange,
      symbol: run.settings.symbol,
      startedAt: state.startedAt,
      endedAt: state.endedAt,
      reason: state.reason,
      error: state.error,
      settings: parts.rawSettings,
      options: parts.rawOptions,
      label: run.label(),
      figures: figuresOf(run),
      state: this.over ? '' : encodeState(state),
    };
  }

  /** The run's position and what it waits for, for charts and panes. */
  outline() {
    const { run } = this;
    const text = (value: Dec | null) => (value === null ? null : str(value));
    return {
      symbol: run.settings.symbol,
      lots: run.lots.open.map(({ label, qty, filledQty, filledQuote, openedAt }) => ({
        label,
        qty: str(qty),
        entryPrice: str(div(filledQuote, filledQty)),
        openedAt,
      })),
      averageEntry: text(run.lots.averageEntry()),
      breakEven: text(run.lots.breakEven()),
      stops: run.stops.levels().map(({ rule, level }) => ({
        strategy: rule.strategy,
        trigger: rule.trigger.type,
        level: text(level),
        disabled: rule.disabled,
        rule: rule.raw,
      })),
    };
  }

  /**
   * What the run reserves for itself by asset (strategies.md 2, deposit): `reserve` the unspent budget and
   * what is held, `auto` what its orders and its position need, `no_reserve` nothing.
   */
  keeps(): Map<string, Reservation> {
    const { run } = this;
    const { deposit } = run.settings;
    const kept = new Map<string, Reservation>();
    if (!this.going || !deposit || deposit.allocate === 'no_reserve' || run.state.phase === 'standby') {
      return kept;
    }
    const { ordered, selling } = this.#committed();
    const invested = this.#margin(run.lots.cost());
    const open = this.#margin(ordered);
    // For a futures position its margin is spent.
    const unspent = positive(run.state.budget - (run.lots.spent() - run.lots.cost() + invested));
    const whole = deposit.allocate === 'reserve' ? maxDec(unspent, open) : open;
    const futures = run.rules.kind === 'futures';
    kept.set(deposit.asset, {
      shown: floorTo(futures ? whole + invested : whole, SHOWN_STEP),
      excess: positive(whole - open),
    });
    if (!futures) {
      const held = run.lots.total() + run.lots.state.dust;
      kept.set(run.rules.base, { shown: held, excess: positive(held - selling) });
    }
    return kept;
  }

  /** What a change of an order returns to the free balance; the exchange reports its balances later. */
  givenBack(change: OrderChange): { readonly asset: string; readonly amount: Dec } | null {
    const { order } = this.run.slots.find(change.key) ?? {};
    if (!order) return null;
    const { kind, base } = this.run.rules;
    const exits = order.role === 'exit';
    // An entry is paid in the deposit's asset and brings base units; an exit the reverse. Futures have margin
    // only.
    const gives = (asset: string, amount: Dec) =>
      asset === base && kind === 'futures' ? null : { asset, amount: positive(amount) };
    const paid = this.run.settings.deposit?.asset ?? this.run.rules.quote;
    if (change.kind === 'fill') {
      const { price, qty, fee, feeAsset } = change.fill;
      const asset = exits ? paid : base;
      return gives(asset, (exits ? this.#margin(mul(qty, price)) : qty) - (feeAsset === asset ? fee : ZERO));
    }
    if (change.kind !== 'ended' || order.phase !== 'open') return null;
    return exits
      ? gives(base, order.qty - order.executed)
      : gives(paid, this.#margin(this.#notionalOf(order)));
  }

  /**
   * Notional of the entries and base units of the exits at the engine; orders that it has not made yet take
   * nothing.
   */
  #committed(): { ordered: Dec; selling: Dec } {
    let ordered = ZERO;
    let selling = ZERO;
    for (const order of this.run.slots.orders()) {
      if (!this.ids.has(order.key)) continue;
      if (order.role === 'exit') selling += order.qty - order.executed;
      else ordered += this.#notionalOf(order);
    }
    return { ordered, selling };
  }

  /** Notional of the part that is not executed. */
  #notionalOf(order: RunOrder): Dec {
    return mul(order.qty - order.executed, order.price ?? order.stopPrice ?? this.run.price);
  }

  /** Amount of the deposit's asset that a notional takes. */
  #margin(notional: Dec): Dec {
    return this.run.rules.kind === 'futures' ? div(notional, this.run.notional(ONE)) : notional;
  }
}

function positive(value: Dec): Dec {
  return value > ZERO ? value : ZERO;
}
