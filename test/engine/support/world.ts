/**
 * The engine between a row store that commits in groups and a fake exchange behind an unreliable line, under
 * one virtual clock. Everything follows from the seed. Answers and events get lost, late, doubled; a crash
 * discards the engine with everything uncommitted, and the next engine starts from the rows. Mirrors
 * `desk/core/turn.ts` and `venue-link.ts`.
 */
import { str } from '../../../src/domain/decimal.ts';
import type {
  CancelOutcome,
  ExchangeOrder,
  QueryOutcome,
  SubmitOutcome,
} from '../../../src/domain/exchange.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { Row } from '../../../src/domain/rows.ts';
import { Engine } from '../../../src/engine/engine.ts';
import type {
  Answer,
  Effect,
  EngineEvent,
  OrderCommand,
  RequestContext,
  StepResult,
} from '../../../src/engine/step.ts';
import { type FakeEvent, FakeExchange } from './fake-exchange.ts';
import { ACCOUNT, BTC, CAPS, Dice, KEY_ACTOR, nowAt, SPOT, START } from './market.ts';
import { RowStore } from './row-store.ts';

/** Probabilities of the faults, each 0 .. 1. */
export interface FaultMix {
  readonly loseRequest: number;
  readonly loseAnswer: number;
  /** The exchange has carried out the request, but the answer says 5xx. */
  readonly breakAnswer: number;
  readonly doubleAnswer: number;
  readonly slowRequest: number;
  readonly slowAnswer: number;
  readonly refuse: number;
  readonly refuseCancel: number;
  readonly dropEvent: number;
  readonly doubleEvent: number;
  readonly lateEvent: number;
  readonly failReconcile: number;
  /** Share of steps after which the commit waits for the next step. */
  readonly groupCommit: number;
}

export const CALM: FaultMix = {
  loseRequest: 0,
  loseAnswer: 0,
  breakAnswer: 0,
  doubleAnswer: 0,
  slowRequest: 0,
  slowAnswer: 0,
  refuse: 0,
  refuseCancel: 0,
  dropEvent: 0,
  doubleEvent: 0,
  lateEvent: 0,
  failReconcile: 0,
  groupCommit: 0,
};

/** Same value as in `desk/core/venue-link.ts`. */
const CALL_TIMEOUT_MS = 10_000;

type Unknown = { readonly kind: 'unknown'; readonly cause: string };

interface Job {
  readonly due: number;
  /** The life of the desk; null: happens at the exchange and outlives a crash of the desk. */
  readonly epoch: number | null;
  readonly run: () => void;
}

export interface SentCommand {
  readonly token: number;
  readonly command: OrderCommand;
  readonly context: RequestContext;
  readonly entropy: string;
  readonly at: number;
  readonly epoch: number;
  readonly answers: Answer[];
  /** Wall time of the first answer. */
  answeredAt?: number;
}

export class World {
  readonly store = new RowStore();
  readonly exchange: FakeExchange;
  readonly commands: SentCommand[] = [];
  readonly submits = new Map<string, number>();
  readonly published: { event: 'ORDER_CREATE' | 'ORDER_UPDATE'; order: OrderRecord }[] = [];
  readonly logs: string[] = [];
  engine = new Engine();
  now = START;
  faults: FaultMix;
  /** Grows with each crash and each failed commit. */
  breaks = 0;
  readonly #dice: Dice;
  #jobs: Job[] = [];
  /** Grows with each crash: a caller from before it is gone. */
  epoch = 0;
  #rows: Row[] = [];
  #riding: Row[] = [];
  #effects: Effect[] = [];
  #force = false;
  #failNext = false;

  constructor(seed: number, faults: FaultMix, price = '60000') {
    this.#dice = new Dice(seed);
    this.faults = faults;
    this.exchange = new FakeExchange(new Dice(seed ^ 0x5bd1e995), price, (event) => this.#tell(event));
    this.#boot();
  }

  // --- actions of a test ---------------------------------------------------------------------------------------

  command(command: OrderCommand, idempotency?: { key: string; fingerprint: string }): SentCommand {
    const n = this.commands.length + 1;
    const context: RequestContext = { requestId: `req-${n}`, ...(idempotency ? { idempotency } : {}) };
    const entropy = n.toString(32).padStart(11, '0');
    const sent: SentCommand = {
      token: n,
      command,
      context,
      entropy,
      at: this.now,
      epoch: this.epoch,
      answers: [],
    };
    this.commands.push(sent);
    this.step({ type: 'command', token: n, actor: KEY_ACTOR, command, context, entropy });
    return sent;
  }

  tick(price: bigint): void {
    this.exchange.now = this.now;
    this.exchange.tick(price);
    this.step({ type: 'tick', market: 'paper', symbol: BTC.symbol, price: str(price) });
  }

  /** Lets time pass and does everything that falls due. */
  pass(ms: number): void {
    const until = this.now + ms;
    for (let turns = 0; ; turns++) {
      if (turns > 20_000) throw new Error('time does not move on: too much falls due');
      const wake = this.#wakeAt();
      const job = this.#jobs[0];
      if (Math.min(wake, job?.due ?? Number.POSITIVE_INFINITY) > until) break;
      if (job && job.due <= wake) {
        this.#jobs.shift();
        this.now = Math.max(this.now, job.due);
        this.exchange.now = this.now;
        if (job.epoch === null || job.epoch === this.epoch) job.run();
      } else {
        this.now = Math.max(this.now, wake);
        const { breaks } = this;
        this.step({ type: 'wake' });
        if (breaks === this.breaks && this.#wakeAt() <= this.now)
          throw new Error('a wake must lead to a later one');
      }
    }
    this.now = until;
    this.exchange.now = until;
    this.flush();
  }

  /** Kills the process. `committed`: after the commit, before or amid the release of its effects. */
  crash(mode: 'uncommitted' | 'committed' | 'amid'): void {
    this.breaks += 1;
    if (mode !== 'uncommitted') {
      const effects = this.#commit();
      const released = mode === 'amid' ? effects.slice(0, this.#dice.int(0, effects.length)) : [];
      for (const effect of released) this.#release(effect);
    }
    this.#forgetPending();
    this.#failNext = false;
    this.epoch += 1;
    this.now += this.#dice.int(1, 8_000);
    this.#boot();
  }

  /** Makes the store refuse the next commit. */
  failCommit(): void {
    this.#failNext = true;
  }

  /** Turns all faults off. */
  calm(): void {
    this.faults = CALM;
    this.#failNext = false;
  }

  /** Asks for open orders and balances, as the desk does at start, after a gap and every 15 minutes. */
  reconcile(): void {
    const epoch = this.epoch;
    if (this.#dice.chance(this.faults.failReconcile)) return;
    const askedAt = this.engine.memory.account(SPOT).wallet.versions.heard;
    this.#at(this.now + this.#dice.int(1, 30), null, () => {
      const open = this.exchange.open();
      const changed = this.exchange.balances();
      this.#at(this.now + this.#dice.int(1, 30), epoch, () => {
        this.step({ type: 'reconciled', exchange: SPOT, open });
        this.step({ type: 'venue.balances', exchange: SPOT, changed, all: true, askedAt });
      });
    });
  }

  step(event: EngineEvent): void {
    this.#take(this.engine.step(event, nowAt(this.now)));
    if (!this.#dice.chance(this.faults.groupCommit)) this.flush();
  }

  /** Commits what is pending and releases its effects. `all`: even when nothing forces a commit. */
  flush(all = false): void {
    if (all) this.#force = true;
    if (this.#force && this.#failNext) this.#reload();
    else for (const effect of this.#commit()) this.#release(effect);
  }

  // --- the turn ---------------------------------------------------------------------------------------------------

  #take(result: StepResult): void {
    if (result.force) {
      this.#rows.push(...result.rows);
      this.#force = true;
    } else this.#riding.push(...result.rows);
    this.#effects.push(...result.effects);
  }

  #commit(): Effect[] {
    const effects = this.#effects;
    this.#effects = [];
    if (this.#force) {
      this.store.commit([...this.#riding, ...this.#rows, ...this.engine.movedPeaks()]);
      this.engine.memory.movedPeaks.clear();
      this.#riding = [];
      this.#rows = [];
      this.#force = false;
    }
    return effects;
  }

  #forgetPending(): void {
    this.#rows = [];
    this.#riding = [];
    this.#effects = [];
    this.#force = false;
  }

  /** Reloads memory after a failed commit, in the same process (`desk-core.ts`, commitFailed). */
  #reload(): void {
    this.breaks += 1;
    this.#failNext = false;
    const effects = this.#effects;
    const before = this.engine;
    this.#forgetPending();
    this.engine = this.#load();
    for (const [asset, b] of before.memory.account(SPOT).wallet.balances) {
      this.engine.memory.account(SPOT).wallet.balances.set(asset, { ...b });
    }
    this.engine.memory.account(SPOT).unread.clear();
    // Answers on their way refer to events received before.
    this.engine.memory.account(SPOT).wallet.versions.copy(before.memory.account(SPOT).wallet.versions);
    for (const token of this.engine.carryOver(before, effects)) {
      this.#answered(token, { status: 503, body: '', replayed: false });
    }
    this.#take(this.engine.start(nowAt(this.now)));
    this.flush();
    this.reconcile();
  }

  #load(): Engine {
    const engine = new Engine();
    engine.memory.addAccount(ACCOUNT, CAPS, [BTC]);
    engine.load(this.store.load(this.now - 3_660_000));
    engine.step(
      { type: 'price', market: 'paper', symbol: BTC.symbol, price: str(this.exchange.price) },
      nowAt(this.now),
    );
    return engine;
  }

  #boot(): void {
    this.engine = this.#load();
    this.step({ type: 'venue.balances', exchange: SPOT, changed: this.exchange.balances(), all: true });
    this.#take(this.engine.start(nowAt(this.now)));
    this.flush();
    this.reconcile();
  }

  #release(effect: Effect): void {
    switch (effect.kind) {
      case 'answer':
        this.#answered(effect.token, effect.answer);
        return;
      case 'submit':
        this.#submit(effect.order);
        return;
      case 'cancel':
        this.#call<CancelOutcome>(
          () =>
            this.#dice.chance(this.faults.refuseCancel)
              ? { kind: 'rejected', reason: 'RATE_LIMITED', code: '-1003', message: 'Too many requests.' }
              : this.exchange.cancel(effect.orderId),
          (outcome) => this.step({ type: 'cancelled', exchange: SPOT, orderId: effect.orderId, outcome }),
        );
        return;
      case 'query': {
        const askedAt = nowAt(this.now).mono;
        this.#call<QueryOutcome>(
          () => this.exchange.query(effect.orderId),
          (outcome) =>
            this.step({ type: 'queried', exchange: SPOT, orderId: effect.orderId, outcome, askedAt }),
        );
        return;
      }
      case 'order-event':
        this.published.push({ event: effect.event, order: effect.order });
        return;
      case 'log':
        this.logs.push(effect.text);
        return;
      default:
        return;
    }
  }

  /** Returns the engine's next wake on the wall clock of this world. */
  #wakeAt(): number {
    return this.now + this.engine.nextWake() - nowAt(this.now).mono;
  }

  #answered(token: number, answer: Answer): void {
    const sent = this.commands[token - 1];
    if (!sent) throw new Error(`an answer to nobody: ${token}`);
    sent.answers.push(answer);
    sent.answeredAt ??= this.now;
  }

  // --- the line to the exchange -----------------------------------------------------------------------------------

  #submit(order: ExchangeOrder): void {
    this.submits.set(order.clientId, (this.submits.get(order.clientId) ?? 0) + 1);
    const signedAt = this.now;
    this.#call<SubmitOutcome>(
      () => {
        if (this.now - signedAt > CAPS.validityWindowMs) {
          return {
            kind: 'rejected',
            reason: 'CLOCK',
            code: '-1021',
            message: 'Timestamp is outside of the recvWindow.',
          };
        }
        return this.#dice.chance(this.faults.refuse)
          ? { kind: 'rejected', reason: 'OTHER', code: '-1013', message: 'Filter failure.' }
          : this.exchange.submit(order);
      },
      (outcome) =>
        this.step({
          type: 'submitted',
          exchange: SPOT,
          orderId: order.clientId,
          outcome,
          sentAt: nowAt(signedAt).mono,
        }),
    );
  }

  /**
   * The wait ends with the answer or the timeout; a late answer, or the same answer twice, is still an
   * input.
   */
  #call<T>(ask: () => T, step: (outcome: T | Unknown) => void): void {
    const epoch = this.epoch;
    const dice = this.#dice;
    const { faults } = this;
    let answered = false;
    this.#at(this.now + CALL_TIMEOUT_MS, epoch, () => {
      if (!answered) step({ kind: 'unknown', cause: 'no answer within 10 s' });
      answered = true;
    });
    if (dice.chance(faults.loseRequest)) return;
    const travel = dice.chance(faults.slowRequest) ? dice.int(500, 6_000) : dice.int(1, 20);
    this.#at(this.now + travel, null, () => {
      const outcome = ask();
      if (dice.chance(faults.loseAnswer)) return;
      const said: T | Unknown = dice.chance(faults.breakAnswer)
        ? { kind: 'unknown', cause: 'HTTP 502' }
        : outcome;
      for (let copies = dice.chance(faults.doubleAnswer) ? 2 : 1; copies > 0; copies--) {
        const back = dice.chance(faults.slowAnswer) ? dice.int(500, 14_000) : dice.int(1, 20);
        this.#at(this.now + back, epoch, () => {
          answered = true;
          step(said);
        });
      }
    });
  }

  #tell(event: FakeEvent): void {
    const { faults } = this;
    const dice = this.#dice;
    if (dice.chance(faults.dropEvent)) return;
    for (let copies = dice.chance(faults.doubleEvent) ? 2 : 1; copies > 0; copies--) {
      const delay = dice.chance(faults.lateEvent) ? dice.int(50, 9_000) : dice.int(0, 40);
      this.#at(this.now + delay, this.epoch, () => {
        if (event.kind === 'order') this.step({ type: 'venue.order', exchange: SPOT, state: event.state });
        else if (event.kind === 'fill') this.step({ type: 'venue.fill', exchange: SPOT, fill: event.fill });
        else this.step({ type: 'venue.balances', exchange: SPOT, changed: event.changed });
      });
    }
  }

  #at(due: number, epoch: number | null, run: () => void): void {
    let at = this.#jobs.length;
    while (at > 0 && (this.#jobs[at - 1]?.due ?? 0) > due) at--;
    this.#jobs.splice(at, 0, { due, epoch, run });
  }
}
