/**
 * Keeps the dead-man switch of one account from going off while the desk lives: each countdown is renewed
 * four times before it ends. It is taken back where no entry is open any more, when the desk stops and when
 * the vault is locked. The engine decides which symbols need one (`engine/dead-man.ts`); an entry of a new
 * symbol leaves right after its first countdown and does not wait for the answer.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import {
  CONDITIONALS,
  countdownsName,
  countdownsValue,
  type DeadManCaps,
  type DeadManOffer,
  WHOLE_ACCOUNT,
} from '../../domain/dead-man.ts';
import type { SettingOutcome } from '../../domain/position.ts';
import { entrySymbols } from '../../engine/dead-man.ts';
import type { Dispatch } from '../../venues/venue.ts';
import { deadlineOf, shortWords, started } from './adapter-call.ts';
import { atMost } from './at-most.ts';
import { CALL_TIMEOUT_MS } from './calls.ts';
import { DailyQuestion } from './daily-question.ts';
import type { ReadableVenue } from './readable-venue.ts';
import type { Turn } from './turn.ts';

/** Renewals within one countdown: three of them may be lost. */
const RENEWALS = 4;
/** After this many failed renewals of a countdown in a row an error is logged. */
const FAILED = 2;
/** How long a stop or a lock of the vault waits at most for the answers. */
const TAKE_BACK_MS = 3_000;

export interface DeadManOptions {
  readonly venue: ReadableVenue;
  readonly turn: Turn;
  readonly clock: Clock;
  /** The account can be asked something. */
  readonly isOpen: () => boolean;
  /** What is shown of the switch has changed. */
  readonly changed: () => void;
  readonly report: (level: 'error' | 'warn' | 'info', text: string) => void;
}

/** What terminals are shown of the switch; `seconds` null: it is off. */
export interface DeadManView {
  readonly form: DeadManCaps['form'];
  readonly seconds: number | null;
  /** Symbols whose entries the switch would end; empty for a switch of the whole account. */
  readonly symbols: readonly string[];
  readonly running: boolean;
  /** Its last two renewals failed. */
  readonly failing: boolean;
  /** What the exchange offers where it watches the connection itself; left out: it has not said. */
  readonly offer?: DeadManOffer;
}

interface Running {
  seconds: number;
  /** Monotonic time of the last renewal; -Infinity: it was in an earlier start. */
  sentAt: number;
  readonly pending: Set<Promise<unknown>>;
  failed: number;
  ending: boolean;
}

export class DeadMan {
  readonly #o: DeadManOptions;
  readonly #caps: DeadManCaps | undefined;
  readonly #exchange: string;
  /** Countdowns that run at the exchange, or may. */
  readonly #running = new Map<string, Running>();
  readonly #offered: DailyQuestion<DeadManOffer> | null = null;
  #offer: DeadManOffer | null = null;
  #timer: Cancelable | null = null;
  #timerMs = 0;
  #wasOpen = false;
  #isFailing = false;
  /** The stored countdowns are older than these. */
  #moved = false;
  #closed = false;

  constructor(options: DeadManOptions) {
    this.#o = options;
    const { venue, clock } = options;
    this.#caps = venue.deadMan ? venue.caps.deadMan : undefined;
    this.#exchange = venue.account.id;
    if (this.#caps?.form === 'exchange')
      this.#offered = new DailyQuestion({
        clock,
        ask: async () => (await venue.deadMan?.offered?.()) ?? null,
        answered: (offer) => {
          this.#offer = offer;
          options.changed();
        },
      });
  }

  get view(): DeadManView | null {
    if (!this.#caps) return null;
    const { form } = this.#caps;
    const symbols = [...this.#running.keys()].filter((key) => key !== WHOLE_ACCOUNT);
    return {
      form,
      seconds: this.#seconds,
      symbols,
      failing: this.#isFailing,
      running: this.#running.size > 0,
      ...(this.#offer ? { offer: this.#offer } : {}),
    };
  }

  /** Called when the link to the account may have changed. */
  lineChanged(): void {
    const isOpen = this.#o.isOpen();
    if (isOpen === this.#wasOpen) return;
    this.#wasOpen = isOpen;
    if (!isOpen) return;
    this.#offered?.start();
    // Countdowns of an earlier start still run at the exchange.
    for (const [key, { seconds }] of this.#memory.countdowns)
      if (seconds > 0 && !this.#running.has(key))
        this.#running.set(key, { ...newRunning(seconds), sentAt: Number.NEGATIVE_INFINITY });
    this.look();
  }

  /** Called when an order of the symbol is about to leave. */
  submitting(symbol: string): void {
    if (this.#seconds === null) return;
    const known = this.#running.get(this.#caps?.form === 'symbol' ? symbol : WHOLE_ACCOUNT);
    if (!known || known.ending) this.look();
  }

  /**
   * Begins and takes back countdowns after orders or the setting may have changed. `all`: renews all others,
   * too.
   */
  look(all = false): void {
    if (this.#closed || !this.#caps || this.#caps.form === 'exchange' || !this.#o.isOpen()) return;
    const seconds = this.#seconds;
    const wanted = this.#wanted();
    for (const key of [...this.#running.keys()]) if (!wanted.has(key)) void this.#takeBack(key);
    for (const key of wanted) {
      const known = this.#running.get(key);
      if (all || known?.seconds !== seconds || known?.sentAt === Number.NEGATIVE_INFINITY)
        void this.#renew(key, seconds as number);
    }
    this.#keep();
    this.#arm(seconds);
  }

  /**
   * Takes back every countdown, so that no order ends because this desk is silent: it stops, or may not send
   * for a long time. Resolves when that is answered, soon.
   */
  async takeBackAll(why: string): Promise<void> {
    if (this.#closed) return;
    this.close();
    const keys = [...this.#running.keys()];
    if (keys.length === 0 || !this.#o.isOpen()) return;
    await atMost(this.#o.clock, TAKE_BACK_MS, Promise.all(keys.map((key) => this.#takeBack(key, true))));
    const left = this.#running.size;
    const text =
      left === 0
        ? `${this.#exchange}: its dead-man switch is taken back: ${why}; what is open stays open`
        : `${this.#exchange}: its dead-man switch could not be taken back (${why}): the exchange will end open orders`;
    this.#o.report(left === 0 ? 'warn' : 'error', text);
    this.#keep();
  }

  /** Stops renewing; what runs at the exchange runs on. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#offered?.close();
  }

  get #memory() {
    return this.#o.turn.engine.memory.account(this.#exchange);
  }

  /** The length of a countdown, seconds; null: the switch is off. */
  get #seconds(): number | null {
    return this.#memory.guards?.set.deadManSeconds ?? null;
  }

  #wanted(): ReadonlySet<string> {
    if (this.#seconds === null) return new Set();
    const symbols = entrySymbols(this.#o.turn.engine.memory, this.#memory);
    if (this.#caps?.form === 'symbol') return symbols;
    return new Set(symbols.size > 0 ? [WHOLE_ACCOUNT] : []);
  }

  async #renew(key: string, seconds: number): Promise<void> {
    const { clock } = this.#o;
    const known = this.#running.get(key);
    const running = known ?? newRunning(seconds);
    if (!known) this.#running.set(key, running);
    const isOther = known?.seconds !== seconds;
    running.seconds = seconds;
    running.sentAt = clock.monotonic();
    const at = clock.wall();
    // Whether the request arrives or not, the countdown may end orders from then on.
    if (isOther) this.#tell(key, { at, seconds });
    const outcome = await this.#ask(key, seconds, running);
    if (this.#closed || this.#running.get(key) !== running) return;
    if (outcome.kind === 'done') {
      running.failed = 0;
      this.#tell(key, { at, seconds });
    } else running.failed += 1;
    this.#judge(key, outcome);
  }

  /** Takes one countdown back. `anyway`: also where an entry is open. Requests under way arrive first. */
  async #takeBack(key: string, anyway = false): Promise<void> {
    const running = this.#running.get(key);
    if (!running || (running.ending && !anyway)) return;
    running.ending = true;
    await Promise.allSettled([...running.pending]);
    const isWanted = !anyway && this.#wanted().has(key);
    const outcome = isWanted ? null : await this.#ask(key, 0, running);
    running.ending = false;
    const isOver = this.#o.clock.monotonic() > running.sentAt + running.seconds * 1_000;
    if (outcome?.kind === 'done' || (outcome && isOver)) {
      this.#running.delete(key);
      this.#tell(key, null);
    }
    this.#judge(key, null);
    // An entry that came meanwhile may have relied on the running countdown.
    if (!this.#running.has(key) && this.#wanted().has(key)) this.look();
  }

  async #ask(key: string, seconds: number, running: Running): Promise<SettingOutcome> {
    const { venue, clock } = this.#o;
    const answerMs = Math.min(CALL_TIMEOUT_MS, periodOf(running.seconds));
    const dispatch: Dispatch = {
      lane: 'renewal',
      ...deadlineOf(venue, clock),
      waitUntil: clock.monotonic() + answerMs,
      onWaits: () => {},
      leaves: () => deadlineOf(venue, clock),
    };
    let outcome: SettingOutcome = { kind: 'unknown', cause: 'no answer' };
    const symbol = key === WHOLE_ACCOUNT ? null : key;
    const call = started(
      () => venue.deadMan?.arm?.({ symbol, seconds }, dispatch) ?? Promise.reject(new Error('it has none')),
    ).then(
      (came) => {
        outcome = came;
      },
      (error: unknown) => {
        outcome = { kind: 'unknown', cause: shortWords(error) };
      },
    );
    const bounded = atMost(clock, answerMs, call);
    running.pending.add(bounded);
    await bounded;
    running.pending.delete(bounded);
    return outcome;
  }

  #tell(symbol: string, countdown: { readonly at: number; readonly seconds: number } | null): void {
    this.#o.turn.step({ type: 'countdown', exchange: this.#exchange, symbol, countdown });
    this.#moved = true;
    this.#o.changed();
  }

  /** Stores the countdowns with the next commit; an older row only says an earlier end. */
  #keep(): void {
    if (!this.#moved) return;
    this.#moved = false;
    this.#o.turn.keep({
      kind: 'meta',
      name: countdownsName(this.#exchange),
      value: countdownsValue(this.#memory.countdowns),
    });
  }

  #judge(key: string, outcome: SettingOutcome | null): void {
    const isFailing = [...this.#running.values()].some(({ failed }) => failed >= FAILED);
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    const what = key === WHOLE_ACCOUNT ? 'open orders' : `open orders of ${key}`;
    const { seconds = 0 } = this.#running.get(key) ?? {};
    const why =
      outcome?.kind === 'rejected' ? outcome.message : outcome?.kind === 'unknown' ? outcome.cause : '';
    if (isFailing)
      this.#o.report(
        'error',
        `${this.#exchange}: its dead-man switch was not renewed twice in a row (${why}): the exchange ends ${what} ${seconds} s after the last renewal; ${CONDITIONALS}`,
      );
    else this.#o.report('info', `${this.#exchange}: its dead-man switch is renewed again`);
    this.#o.changed();
  }

  #arm(seconds: number | null): void {
    const ms = periodOf(seconds ?? Math.max(...[...this.#running.values()].map((one) => one.seconds), 0));
    if (this.#timer && this.#timerMs === ms) return;
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#running.size === 0) return;
    this.#timerMs = ms;
    this.#timer = this.#o.clock.after(ms, () => {
      this.#timer = null;
      this.look(true);
    });
  }
}

function newRunning(seconds: number): Running {
  return { seconds, sentAt: 0, pending: new Set(), failed: 0, ending: false };
}

function periodOf(seconds: number): number {
  return (seconds * 1_000) / RENEWALS;
}
