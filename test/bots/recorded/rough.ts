/**
 * A run on an exchange that answers late, in parts, or with a refusal, at random: orders are accepted,
 * filled, given back or refused, cancels are crossed by fills or refused. Records all actions of the run, and
 * what is wrong with it. `forgets`: the run is rebuilt from its stored state before each tick, as after a
 * restart.
 */
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { decodeState, encodeState } from '../../../src/bots/run/codec.ts';
import type { OrderChange, RunOrder } from '../../../src/bots/run/contract.ts';
import { Run } from '../../../src/bots/run/run.ts';
import { newRunState } from '../../../src/bots/run/run-state.ts';
import { applyStopCommand } from '../../../src/bots/run/stop-commands.ts';
import { compileBot } from '../../../src/bots/settings/compile.ts';
import type { BotType, MarketRules } from '../../../src/bots/settings/compiled.ts';
import { kindOf } from '../../../src/bots/types/kinds.ts';
import { type Dec, dec, floorTo, mul, ONE, str, ZERO } from '../../../src/domain/decimal.ts';
import type { DiffCase } from '../../differential/case.ts';
import { rulesOf, settingsWorld } from '../../scenarios/on-tick-market.ts';
import { instrumentsOf } from '../../scenarios/scenario.ts';
import { Dice } from '../../simulation/dice.ts';
import { textOf } from './story.ts';

const RICH = dec('1000000');
/** Rounds on a calm exchange within which a stopped run must be over. */
const CALM_ROUNDS = 60;

interface Held {
  readonly order: RunOrder;
  left: Dec;
  phase: 'asked' | 'open';
  /** For a stop: its price has been reached. */
  triggered: boolean;
  cancel: boolean;
}

type Change = OrderChange extends infer C ? (C extends OrderChange ? Omit<C, 'key'> : never) : never;

export interface RoughPlay {
  readonly lines: readonly string[];
  readonly wrong: readonly string[];
  readonly fills: number;
}

/** Plays a case; null: the bot does not start. */
export function playRough(one: DiffCase, forgets: boolean): RoughPlay | null {
  const rough = Rough.open(one, forgets);
  rough?.play();
  return rough;
}

class Rough implements RoughPlay {
  readonly lines: string[] = [];
  readonly wrong: string[] = [];
  fills = 0;
  readonly #one: DiffCase;
  readonly #forgets: boolean;
  readonly #options: ConstructorParameters<typeof Run>[0];
  readonly #hub: CandleHub;
  readonly #dice: Dice;
  readonly #orders = new Map<string, Held>();
  readonly #rules: MarketRules;
  #run: Run;
  #now: number;
  #price = ZERO;
  #calm = false;
  /** Base units that its fills have bought, net of fees, less those sold. */
  #base = ZERO;

  static open(one: DiffCase, forgets: boolean): Rough | null {
    const { type, scenario } = one;
    const instruments = instrumentsOf(scenario);
    const world = { ...settingsWorld(scenario, instruments), now: scenario.start };
    const compiled = compileBot(type as BotType, scenario.settings, scenario.options, world);
    const [instrument] = instruments;
    if (!compiled.ok || !instrument || compiled.settings.symbol === '') return null;
    const rough = new Rough(one, forgets, compiled.settings, rulesOf(instrument));
    return rough.#run.startProblems().length === 0 ? rough : null;
  }

  private constructor(
    one: DiffCase,
    forgets: boolean,
    settings: ConstructorParameters<typeof Run>[0]['settings'],
    rules: MarketRules,
  ) {
    this.#one = one;
    this.#forgets = forgets;
    this.#rules = rules;
    this.#dice = new Dice(one.seed, `rough ${one.kind}`);
    this.#now = one.scenario.start;
    this.#hub = new CandleHub({ time: this.#now });
    const market = this.#hub.view(settings.symbol);
    const held = one.scenario.position;
    this.#options = {
      settings,
      strategy: kindOf(settings.type).strategy,
      rules,
      market,
      marketOf: () => market,
      firsts: this.#hub.firsts,
      world: {
        now: () => this.#now,
        available: () => RICH,
        reservedByOthers: () => ZERO,
        position: () => held && { amount: dec(held.amount), entryPrice: dec(held.entryPrice) },
        leverage: () => BigInt(settings.deposit?.leverage ?? 1) * ONE,
        seed: () => 'rough',
        symbols: () => [settings.symbol],
      } as ConstructorParameters<typeof Run>[0]['world'],
    };
    this.#run = new Run(this.#options, newRunState(this.#now));
    const known = one.scenario.known ?? '1';
    this.#hub.lastPrice(settings.symbol, this.#now, dec(known));
  }

  play(): void {
    for (const { symbol = this.#run.settings.symbol, frameMs, ...needs } of this.#run.needs().frames)
      this.#hub.need(symbol, frameMs, needs);
    for (const symbol of this.#run.needs().days) this.#hub.needDay(symbol);
    this.#run.start();
    this.#drain();
    for (const event of this.#one.scenario.events) {
      this.#advance(event.at);
      if ('tick' in event) this.#tick(dec(event.tick), dec(event.volume ?? '1'));
      else if ('stop' in event) this.#stop(event.stop.action === 'stop_and_sell', event.stop.cleanup);
      else if ('command' in event)
        this.lines.push(applyStopCommand(this.#run, event.command.message, event.command.params) ?? 'done');
      this.#drain();
      this.#answer();
      this.#check();
    }
    this.#end();
  }

  /** Stops the run on an exchange that carries out every request: only dust may remain. */
  #end(): void {
    this.#calm = true;
    const { stopping } = this.#run.state;
    if (stopping === null) this.#stop(true, 'cancelAllOrders');
    const sells = stopping === null || stopping.sell;
    for (let round = 0; round < CALM_ROUNDS; round++) {
      this.#drain();
      this.#answer();
      this.#advance(this.#now + 1_000);
      if (this.#orders.size === 0 && this.#run.state.phase === 'ended') break;
    }
    const { phase } = this.#run.state;
    if (phase !== 'ended') this.wrong.push(`still ${phase} after its stop`);
    if (sells && this.#orders.size > 0) this.wrong.push(`${this.#orders.size} orders are left`);
    if (sells && this.#trades() && !this.#isDust(this.#run.lots.total()))
      this.wrong.push(`${str(this.#run.lots.total())} were not sold`);
    this.lines.push(
      JSON.stringify(this.#run.stats(), (_name, value) => (typeof value === 'bigint' ? str(value) : value)),
      `${this.#run.state.phase} ${this.#run.state.reason} ${this.#run.state.error} ${this.#run.label()}`,
    );
  }

  #trades(): boolean {
    return !['TPSL', 'TWAP'].includes(this.#one.kind);
  }

  #isDust(qty: Dec): boolean {
    const { minQty, minNotional, kind, step } = this.#rules;
    const whole = floorTo(qty, step);
    return whole < minQty || (kind === 'spot' && mul(whole, this.#price) < minNotional);
  }

  // --- inputs of the run ---

  #stop(sell: boolean, cleanup = 'cancelAllOrders'): void {
    this.#run.input({ type: 'stop', cleanup: cleanup as 'cancelAllOrders', sell, force: false });
  }

  #advance(time: number): void {
    for (;;) {
      const next = Math.min(this.#hub.nextDue, this.#run.nextTimer());
      if (next > time) break;
      this.#hub.advance(next, ({ time: at, symbol, frameMs, candle }) => {
        this.#now = at;
        this.#run.input({ type: 'candle', symbol, frameMs, candle });
        this.#drain();
      });
      this.#now = Math.max(this.#now, next);
      for (const [name, at] of [...this.#run.state.timers]) {
        if (at > next || this.#run.state.timers.get(name) !== at) continue;
        this.#run.input({ type: 'timer', name });
        this.#drain();
      }
    }
    this.#hub.advance(time, () => {});
    if (time > this.#now && this.#forgets) this.#restart();
    this.#now = Math.max(this.#now, time);
  }

  #restart(): void {
    const before = this.#run;
    this.#run = new Run(this.#options, decodeState(encodeState(before.state)));
    this.#run.takeOver(before);
  }

  #tick(price: Dec, volume: Dec): void {
    this.#price = price;
    const { symbol } = this.#run.settings;
    this.#hub.tick(symbol, this.#now, price, volume);
    for (const held of [...this.#orders.values()]) if (held.phase === 'open') this.#cross(held);
    if (this.#run.wantsTick(price)) this.#run.input({ type: 'tick' });
  }

  #tell(held: Held, change: Change): void {
    const { key } = held.order;
    this.#run.input({ type: 'order', change: { key, ...change } as OrderChange });
    this.#drain();
  }

  // --- the exchange ---

  #drain(): void {
    for (const action of this.#run.actions.splice(0)) {
      this.lines.push(`${this.#now} ${textOf(action)}`);
      if (action.do === 'place') {
        const { order } = action;
        if (this.#orders.has(order.key)) this.wrong.push(`key ${order.key} is used twice`);
        this.#orders.set(order.key, {
          order,
          left: order.qty,
          phase: 'asked',
          triggered: false,
          cancel: false,
        });
      } else if (action.do === 'cancel') {
        const held = this.#orders.get(action.key);
        if (held) held.cancel = true;
      }
    }
  }

  /** Answers all requests, in their order. */
  #answer(): void {
    for (const held of [...this.#orders.values()]) {
      if (!this.#orders.has(held.order.key)) continue;
      if (held.phase === 'asked') this.#decide(held);
      if (held.cancel && this.#orders.has(held.order.key) && held.phase === 'open') this.#withdraw(held);
    }
  }

  #decide(held: Held): void {
    const fate = this.#calm ? 'accept' : this.#dice.weighted({ accept: 16, later: 2, refuse: 2 });
    if (fate === 'later') return;
    if (fate === 'refuse') {
      const why = this.#dice.weighted({
        other: 10,
        balance: 4,
        later: 4,
        passed: held.order.stopPrice ? 6 : 0,
        final: 1,
      });
      this.#orders.delete(held.order.key);
      this.#tell(held, {
        kind: 'rejected',
        reason: `no, ${why}`,
        why,
        ...(this.#dice.chance(0.5) ? { sent: true } : {}),
      });
      return;
    }
    held.phase = 'open';
    this.#tell(held, { kind: 'accepted' });
    this.#cross(held);
    const { type, stopPrice } = held.order;
    if (type === 'MARKET' || (type === 'STOP_MARKET' && stopPrice !== null && held.triggered))
      this.#over(held);
  }

  /** Fills the order if the price is at or beyond its own. */
  #cross(held: Held): void {
    const { side, type, price, stopPrice } = held.order;
    if (!this.#orders.has(held.order.key)) return;
    const buys = side === 'BUY';
    if (stopPrice !== null && !held.triggered) {
      if (buys ? this.#price < stopPrice : this.#price > stopPrice) return;
      held.triggered = true;
      if (type === 'STOP_LIMIT') this.#tell(held, { kind: 'triggered' });
    }
    const crosses = price === null || (buys ? this.#price <= price : this.#price >= price);
    if (!crosses || !this.#orders.has(held.order.key)) return;
    const part = this.#calm ? 'whole' : this.#dice.weighted({ whole: 6, half: 3, none: 1 });
    if (part !== 'none')
      this.#fill(held, part === 'whole' ? held.left : floorTo(held.left / 2n, this.#rules.step));
    if (price === null && this.#orders.has(held.order.key)) this.#over(held);
  }

  #fill(held: Held, qty: Dec): void {
    if (qty === ZERO) return;
    const { order } = held;
    const { base, quote, kind, takerRate } = this.#rules;
    const price = order.price ?? this.#price;
    const buys = order.side === 'BUY';
    const inBase = buys && kind === 'spot';
    const fee = mul(inBase ? qty : mul(qty, price), takerRate);
    this.fills++;
    held.left -= qty;
    const net = order.role === 'entry' ? (inBase ? qty - fee : qty) : -qty;
    this.#base += net;
    if (held.left === ZERO) this.#orders.delete(order.key);
    this.#tell(held, {
      kind: 'fill',
      fill: { price, qty, fee, feeAsset: inBase ? base : quote, maker: false },
    });
    if (held.left === ZERO) this.#tell(held, { kind: 'ended' });
  }

  #withdraw(held: Held): void {
    const fate = this.#calm
      ? 'done'
      : this.#dice.weighted({ done: 12, filled: 2, part: 2, refused: 2, later: 2 });
    if (fate === 'later') return;
    if (fate === 'refused') {
      held.cancel = false;
      this.#tell(held, { kind: 'stays' });
      return;
    }
    if (fate === 'filled') this.#fill(held, held.left);
    if (fate === 'part') this.#fill(held, floorTo(held.left / 2n, this.#rules.step));
    this.#over(held);
  }

  #over(held: Held): void {
    if (!this.#orders.delete(held.order.key)) return;
    this.#tell(held, { kind: 'ended' });
  }

  // --- invariants ---

  #check(): void {
    if (!this.#trades()) return;
    const { lots, state } = this.#run;
    const { dust, kept, oversold } = lots.state;
    const has = lots.total() + dust + kept - oversold;
    if (has !== this.#base)
      this.wrong.push(`${this.#now}: it has ${str(has)}, its fills say ${str(this.#base)}`);
    const bySlot = new Map<string, Set<number>>();
    for (const order of this.#run.slots.orders()) {
      if (order.cancelAsked) continue;
      const wants = bySlot.get(order.slot) ?? new Set();
      bySlot.set(order.slot, wants.add(order.wantNumber ?? 0));
    }
    for (const [slot, wants] of bySlot)
      if (wants.size > 1) this.wrong.push(`${this.#now}: ${slot} has orders of ${wants.size} wants`);
    if (state.phase !== 'running' || this.#rules.kind !== 'spot') return;
    let selling = ZERO;
    for (const { role, qty, executed, cancelAsked, stopPrice } of this.#run.slots.orders())
      if (role === 'exit' && !cancelAsked && stopPrice === null) selling += qty - executed;
    if (selling > lots.total() + dust)
      this.wrong.push(`${this.#now}: it sells ${str(selling)} and has ${str(lots.total() + dust)}`);
  }
}
