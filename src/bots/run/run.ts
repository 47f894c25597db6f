/**
 * One run of one bot: takes inputs, keeps lots, orders, stop rules and counters, asks its strategy, and
 * returns the actions it wants (strategies.md 2), live, in the backtest and in the preview. Pure; `state` is
 * all it remembers, to be stored between two inputs.
 */
import { type Dec, fixed, str, ZERO } from '../../domain/decimal.ts';
import { assertNever } from '../../domain/errors.ts';
import type { BotCandle } from '../market/view.ts';
import { afterEnd } from './after-end.ts';
import type {
  Alert,
  EndReason,
  Fill,
  FrameNeeds,
  OrderChange,
  Pause,
  PricePoint,
  RunAction,
  RunInput,
  RunOrder,
  TickBounds,
  Wanted,
} from './contract.ts';
import { beginEnding, finish, settleEnding } from './ending.ts';
import { DEFAULT_FRAME_MS, gateNeeds, gateOpen, hasGate, readsDay } from './gates.ts';
import { positionChanged } from './lost.ts';
import { RunFacts } from './run-facts.ts';
import type { RunOptions, RunState } from './run-state.ts';
import type { Slot } from './slot.ts';
import { RunSlotContext } from './slot-context.ts';
import { SlotBook } from './slots.ts';
import { StopBook } from './stop-book.ts';
import { TickTurn } from './tick-turn.ts';
import { quietOf, type WakeBounds, wakeBoundsOf } from './wake-bounds.ts';
import { saleOf } from './wants.ts';

/** Ends after which nothing is left to do. */
const COMPLETES: ReadonlySet<EndReason> = new Set(['completed', 'liquidated', 'closed elsewhere']);

export class Run extends RunFacts {
  readonly slots: SlotBook;
  readonly stops: StopBook;
  /** Actions to carry out, in order; the host takes them after each input. */
  actions: RunAction[] = [];
  /** The state has changed in a way that must be stored with the effects of this input. */
  changed = false;
  /**
   * The state has followed the price (peaks, lows): it is stored with the next commit, which it does not
   * force.
   */
  moved = false;
  readonly #turn: TickTurn;
  #ticksGiven = 0;
  #vanishes = false;
  /** Null: every tick is wanted. */
  #quiet: TickBounds | null = null;

  constructor(options: RunOptions, state: RunState) {
    super(options, state);
    this.slots = new SlotBook(state.slots, new RunSlotContext(this));
    this.stops = new StopBook(state.stops, this);
    if (state.stops.states.length === 0) this.stops.begin(options.settings.stops);
    this.#turn = new TickTurn(this);
    const { price, at } = options.market.lastTold;
    // Not stored: after a restart it is read from the stored market.
    if (!this.#turn.waits && state.firstPrice !== null && price !== null) this.#turn.before = { price, at };
    this.#quiet = quietOf(this, this.strategy);
  }

  /** Previous price and its time, null at the first tick: for "coming from above" and crossings. */
  get before(): PricePoint | null {
    return this.#turn.before;
  }

  /** True while the present tick has not been decided about: its fills and stops come first. */
  get tickPending(): boolean {
    return this.#turn.waits || this.market.ticks !== this.#ticksGiven;
  }

  // --- what a strategy does ---

  /**
   * Sets what should be in the named slot from now on (see `SlotBook.want`). Exits of lots that a rule is
   * selling are ignored.
   */
  want(slot: string, want: Wanted | null): void {
    if (want?.role === 'exit' && want.lots.some((lot) => this.lots.get(lot)?.closing)) return;
    this.slots.want(slot, want);
    this.changed = true;
  }

  /** Calls `onTimer` at a market time; null removes the timer. */
  timer(name: string, at: number | null): void {
    if (at === null) this.state.timers.delete(name);
    else this.state.timers.set(name, at);
    this.changed = true;
  }

  cycle(): void {
    const { stats, lots } = this.state;
    stats.cycles++;
    const earned = lots.realised - this.state.cycleFrom;
    if (earned > ZERO) stats.winningCycles++;
    this.state.cycleFrom = lots.realised;
    this.state.cycledAt = this.now;
    this.state.sold = false;
    this.notice(2, `cycle ${stats.cycles} complete, ${fixed(earned, 2)} ${this.rules.quote}`);
    this.changed = true;
  }

  notice(level: 1 | 2 | 3, text: string): void {
    if (level <= this.settings.noticeLevel) this.act({ do: 'notice', level, text });
  }

  alert(alert: Alert): void {
    this.act({ do: 'alert', alert });
    this.changed = true;
  }

  /** Ends the run by itself: all its orders are cancelled, a position is kept unless `sell`. */
  end(reason: EndReason, sell = false): void {
    if (this.state.phase === 'ending' || this.state.phase === 'ended') return;
    beginEnding(this, 'cancelAllOrders', sell, reason);
  }

  /** Rule 3: ends the run as ERROR since an entry cannot be placed; the position is kept. */
  fail(reason: string): void {
    this.state.error = reason;
    this.end('error');
  }

  /** Sells lots at MARKET, or as LIMIT at `price`, after their exits are withdrawn. */
  close(slot: string, lots: readonly string[], label: string, price: Dec | null = null): void {
    for (const key of lots) {
      const lot = this.lots.get(key);
      if (lot) lot.closing = true;
    }
    for (const other of this.slots.sellers(lots, slot)) this.slots.want(other.name, null);
    this.slots.want(slot, saleOf(lots, label, price));
    this.changed = true;
  }

  // --- what the host does ---

  /** Returns the state label (specification, Bot record). */
  label(): string {
    const { phase, gate, reason } = this.state;
    if (phase === 'ended' || phase === 'ending') {
      if (reason === 'expired') return 'expired';
      return reason !== null && COMPLETES.has(reason) ? 'completed' : 'stopped';
    }
    if (this.state.pause != null) return 'paused';
    if (phase === 'waiting') return 'waiting';
    if (phase === 'standby') return 'standby';
    if (!gate && this.lots.open.length === 0) return 'paused';
    return this.strategy.label(this);
  }

  /** Handles the first input: the run exists from here on. */
  start(): void {
    const { settings, state } = this;
    state.started = true;
    this.changed = true;
    if (settings.ttl !== null) this.timer('ttl', state.startedAt + settings.ttl);
    this.stops.armTimers();
    if (!this.strategy.needsPrice) this.#begin();
    this.#settle();
  }

  /**
   * Candles and indicators that the run reads, and whose closes it gets; `days`: symbols whose figures of the
   * day it reads. A run that scans has no symbol of its own.
   */
  needs(): { readonly frames: readonly FrameNeeds[]; readonly days: readonly string[] } {
    const { settings } = this;
    const own = settings.timeFrame ?? DEFAULT_FRAME_MS;
    const stops = this.stops.frames().map((frameMs) => ({ frameMs }));
    const needed = this.strategy.needs?.(settings, this.world) ?? [];
    const ofOwn = settings.symbol === '' ? [] : [{ frameMs: own }, ...gateNeeds(settings, own), ...stops];
    const frames: FrameNeeds[] = [...ofOwn, ...needed];
    const days = readsDay(settings) ? frames.map(({ symbol = settings.symbol }) => symbol) : [];
    return { frames, days: [...new Set(days)] };
  }

  /**
   * False: the tick at this price changes nothing and is skipped. Called after the tick's fills were given.
   */
  wantsTick(price: Dec): boolean {
    if (this.#quiet === null) return true;
    const { below, above } = this.#quiet;
    const wanted = (below !== null && price <= below) || (above !== null && price >= above);
    if (!wanted) this.passTicks();
    return wanted;
  }

  /** Marks the ticks so far as over although they were not given. */
  passTicks(): void {
    this.#ticksGiven = this.market.ticks;
  }

  /**
   * Replaces a run whose engine was loaded again: ticks that were given to the old run are not pending here.
   */
  takeOver(run: Run): void {
    this.#ticksGiven = run.#ticksGiven;
    if (!this.#turn.waits) this.#turn.before = run.#turn.before;
  }

  /** Returns what must be given next; null: every tick. For hosts that know the candles ahead. */
  wakeBounds(): WakeBounds | null {
    return this.#quiet === null || this.observes ? null : wakeBoundsOf(this, this.strategy, this.#quiet);
  }

  /** Handles one input. The resulting actions are in `actions`. */
  input(input: RunInput): void {
    if (this.state.phase === 'ended') {
      if (input.type === 'timer') this.#timer(input.name);
      afterEnd(this, input);
      return;
    }
    switch (input.type) {
      case 'candle':
        this.#candle(input.symbol, input.frameMs, input.candle);
        break;
      case 'timer':
        this.#timer(input.name);
        break;
      case 'order':
        this.#order(input.change);
        break;
      case 'tick':
        this.#ticksGiven = this.market.ticks;
        this.#tick();
        break;
      case 'stop':
        this.#stop(input);
        break;
      case 'pause':
        this.#pause(input.pause);
        break;
      case 'position':
        positionChanged(this, input.lost, (lots) => this.strategy.onDust?.(this, lots));
        break;
      default:
        assertNever(input);
    }
    this.#settle();
  }

  // --- inputs ---

  #candle(symbol: string, frameMs: number, shared: BotCandle): void {
    const { candle, changed } = this.firsts.close(symbol, frameMs, shared);
    this.moved ||= changed;
    if (!this.running && this.strategy.needsPrice) return;
    if (this.drawdown(candle)) this.moved = true;
    this.#updateGate();
    this.strategy.beforeCandle?.(this, candle, frameMs);
    this.stops.onCandle(frameMs, candle);
    if (this.running) this.strategy.onCandle?.(this, candle, frameMs, symbol);
  }

  #timer(name: string): void {
    this.state.timers.delete(name);
    this.changed = true;
    if (name === 'ttl') this.end('ttl');
    else if (name.startsWith('retry ')) this.slots.retries.retry(name.slice('retry '.length));
    else if (!this.stops.onTimer(name) && this.running) this.strategy.onTimer?.(this, name);
  }

  #tick(): void {
    const { state, price } = this;
    if (state.phase === 'waiting') {
      state.firstPrice = price;
      if (this.settings.startTrigger) {
        state.phase = 'standby';
        this.#standby(price);
      } else this.#begin();
      this.changed = true;
    } else if (state.phase === 'standby') this.#standby(price);
    if (state.phase === 'running' || state.phase === 'ending') this.#turn.tick();
    else this.#turn.before = { price, at: this.now };
  }

  /** Checks what protects the run: its filters, and the stops that the exchange does not hold. */
  lookAtStops(price: Dec): void {
    this.#updateGate();
    this.stops.onTick(price);
    this.slots.retries.retryStarved('exit');
    this.slots.onPrice(price, true);
  }

  /** Does the rest of a tick: entries, trailed exits, the strategy. */
  decide(price: Dec): void {
    this.slots.retries.retryStarved('entry');
    this.slots.onPrice(price, false);
    if (this.running) this.strategy.onTick?.(this);
  }

  /**
   * Lets entries wait while exits and stops go on: nothing is counted. Only a pause that does not pass by
   * itself ends the run (R12).
   */
  #pause(pause: Pause | null): void {
    this.state.pause = pause;
    this.changed = true;
    this.slots.touchAll();
    if (pause?.final && this.state.failed === undefined) this.#lose(pause.why);
    if (this.state.failed !== undefined) return;
    // A pause that passes by itself and withdraws nothing is reported at the more detailed level only.
    const level = pause === null || !pause.withdraws ? 2 : 1;
    this.notice(level, pause === null ? 'entries go on' : `entries wait: ${pause.why}`);
  }

  /** Marks the run as failed at once. What is held keeps its exits and stops: an end would cancel them. */
  #lose(why: string): void {
    if (this.state.phase === 'ending') return;
    Object.assign(this.state, { failed: why, error: why });
    if (this.lots.open.length > 0)
      this.notice(
        1,
        `failed: ${why}; it enters nothing any more, and what it holds keeps its exits and stops`,
      );
  }

  #standby(price: Dec): void {
    const side = this.state.triggerSide;
    const triggered = this.startTriggered(price);
    if (this.state.triggerSide !== side) this.moved = true;
    if (!triggered) return;
    const problem = this.fund();
    if (problem) this.fail(problem.message);
    else this.#begin();
  }

  #begin(): void {
    const { state } = this;
    state.phase = 'running';
    state.firstPrice ??= this.market.price;
    this.changed = true;
    this.#updateGate();
    state.strategy = this.strategy.begin(this);
  }

  #order(change: OrderChange): void {
    const found = this.slots.find(change.key);
    if (!found) return;
    const { slot, order } = found;
    this.changed = true;
    switch (change.kind) {
      case 'accepted':
        order.phase = 'open';
        if (slot.guarded) slot.guarded = false;
        if (change.triggered) this.stops.onTriggered(order);
        break;
      case 'triggered':
        this.stops.onTriggered(order);
        break;
      case 'fill':
        this.#fill(order, change.fill);
        break;
      case 'ended':
        if (this.slots.ended(slot, order)) this.#over(order);
        break;
      case 'stays':
        this.stays(slot, order);
        break;
      case 'rejected':
        if (this.slots.retries.rejected(slot, order, change)) this.#over(order);
        break;
      default:
        assertNever(change);
    }
  }

  /**
   * Handles a refused cancel. It is reported with every event of the order; a retry that is planned keeps its
   * time.
   */
  stays(slot: Slot, order: RunOrder): void {
    if (!this.state.timers.has(`retry ${slot.name}`)) this.slots.retries.stays(slot, order);
  }

  #fill(order: RunOrder, fill: Fill): void {
    const { state } = this;
    state.stats.fills++;
    const start = order.executed;
    order.executed += fill.qty;
    if (order.role === 'entry') this.bought(order, fill, start);
    else {
      const before = state.lots.realised;
      this.sold(order, fill);
      // The result of a sale that completes no cycle does not count for the next cycle either.
      const counts = !this.stops.owns(order.slot) || this.strategy.stopCompletesCycle(this.settings);
      if (!counts) state.cycleFrom += state.lots.realised - before;
    }
    this.notice(2, `${order.side} ${str(fill.qty)} ${this.rules.base} at ${str(fill.price)}, ${order.label}`);
    this.stops.onFill(order);
    const slot = this.slots.get(order.slot);
    const complete = order.executed === order.qty;
    // Another exit was to replace it, because more had been bought.
    const replaced = order.cancelAsked && slot?.want != null;
    const over = complete && slot !== undefined && this.slots.ended(slot, order);
    if (over && order.keepsRest && !replaced) {
      this.lots.keep(order.from);
      this.slots.dropSold();
    }
    this.slots.touchAll();
    if (this.running && !this.stops.owns(order.slot)) this.strategy.onFill?.(this, order, fill);
    if (over) this.#over(order);
  }

  /** Handles an order that is over and has left its slot free. */
  #over(order: RunOrder): void {
    if (this.lots.open.length === 0) this.stops.reset();
    if (this.stops.owns(order.slot)) this.stops.onSold(order);
    else if (this.running) this.strategy.onEnded?.(this, order);
  }

  /** Handles lots that were too small for an exit and have become dust. */
  vanished(slot: string, lots: readonly string[]): void {
    this.#vanishes = true;
    this.changed = true;
    this.notice(2, `too little to sell: ${lots.join(', ')} became dust`);
    if (this.stops.owns(slot)) this.stops.sold(slot, lots);
    else if (this.running) this.strategy.onDust?.(this, lots);
  }

  /** Handles the end of a stop rule's sale (strategies.md 2, stop); called by the stop book. */
  stopped(lots: readonly string[], complete: boolean, maxReached: boolean): void {
    if (!this.running) return;
    const counts = this.strategy.stopCompletesCycle(this.settings);
    // A target that sold what the stop had left has completed the cycle already.
    if (complete && counts && this.state.sold !== false) this.cycle();
    if (maxReached) {
      this.end('max stops');
      return;
    }
    if (complete && counts && this.settings.onetime) {
      this.end('completed');
      return;
    }
    this.strategy.onStopped?.(this, lots, complete);
  }

  #stop(input: Extract<RunInput, { type: 'stop' }>): void {
    this.changed = true;
    if (this.state.phase !== 'ending') beginEnding(this, input.cleanup, input.sell, 'operator');
    if (!input.force) return;
    // Cancels and sales are requested; their results are not waited for.
    this.slots.sync();
    finish(this);
  }

  // --- after each input ---

  #settle(): void {
    if (this.state.phase === 'ended') return;
    const { failed } = this.state;
    if (failed !== undefined && this.lots.open.length === 0) this.fail(failed);
    this.sync();
    this.#turn.goOn();
    if (this.state.phase === 'ending') settleEnding(this);
    this.#quiet = quietOf(this, this.strategy);
  }

  /** Places and cancels until nothing is left to do. */
  sync(): void {
    do {
      this.#vanishes = false;
      this.stops.sync();
      this.slots.sync();
      // Lots that became dust may leave a rule without its stop.
    } while (this.#vanishes);
  }

  #updateGate(): void {
    const { state, settings } = this;
    if (!this.running || !hasGate(settings)) return;
    const open = gateOpen(settings, {
      market: this.market,
      price: this.price,
      firstPrice: state.firstPrice ?? this.price,
      now: this.now,
    });
    if (open === state.gate) return;
    state.gate = open;
    this.changed = true;
    this.slots.touchAll();
    this.notice(3, open ? 'entries go on: the filters pass' : 'entries pause: a filter does not pass');
    if (state.strategy !== null) this.strategy.onGate?.(this, open);
  }

  /** Adds an action; called by the run and by its slots. */
  act(action: RunAction): void {
    this.actions.push(action);
    // A request to the exchange is stored together with the state.
    if (action.do === 'place' || action.do === 'cancel') this.changed = true;
  }
}
