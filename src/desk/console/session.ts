/**
 * The desk's end of one terminal: a snapshot after `hello`, in parts where it is large, then what has changed, at most ten
 * times a second and never before the last state message was acknowledged. Changes are kept as marks in sets of bounded size, so a terminal that
 * stands still costs nothing. Silence while nothing changes. It must never throw into the desk.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { marketKey } from '../../domain/exchange.ts';
import { instrumentKey } from '../../domain/instrument.ts';
import type { LogLine } from '../../domain/rows.ts';
import { MAX_CALLS_IN_FLIGHT, TOO_MANY_CALLS } from '../hosting/transports/client.ts';
import { FrameError } from '../hosting/transports/frames.ts';
import type { DeskLine } from '../hosting/transports/line.ts';
import type { ChangeMark, DirtyMarks, RunningDesk } from '../running.ts';
import { callProblem, isMethod } from './call-check.ts';
import { shortened } from './mirrored.ts';
import {
  type DeskDelta,
  type DeskState,
  type FromDesk,
  LOG_LINES,
  PROTOCOL_VERSION,
  type ToDesk,
} from './protocol.ts';
import { deltaParts, emptied, snapshotParts } from './state-parts.ts';

/** Least time between two state messages. */
export const STATE_INTERVAL_MS = 100;
/** With more orders (or prices) marked than this, a fresh snapshot is sent instead of a delta. */
export const MAX_MARKED = 5_000;
/** The same of instruments, which go out as one list. */
export const MAX_INSTRUMENTS = 1_000;
/** Terminals on one desk at the same time; and as many again that only ask and give orders, so that these always get through. */
export const MAX_SESSIONS = 32;
/** How long a connection may take to say hello; until then it counts as none of the terminals. */
export const HELLO_WAIT_MS = 5_000;
/** Connections that have not said hello. With one more, the oldest of them is closed. */
export const MAX_SILENT = 32;

export interface SessionOptions {
  readonly desk: Pick<RunningDesk, 'info' | 'call' | 'state' | 'delta' | 'onChange'>;
  readonly clock: Clock;
  /** Internal failures, for the log: what the terminal gets is a generic sentence. */
  readonly report: (doing: string, error: unknown) => void;
}

/** Marks since the last state message, or the note that they became too many. */
class Marks implements DirtyMarks {
  readonly orders = new Set<string>();
  readonly prices = new Set<string>();
  readonly portfolios = new Set<string>();
  readonly positions = new Set<string>();
  readonly bots = new Set<string>();
  readonly instruments = new Set<string>();
  alerts = false;
  clock = false;
  accounts = false;
  equity = false;
  keys = false;
  vault = false;
  maintenance = false;
  log: LogLine[] = [];
  any = false;
  tooMany = false;

  add(mark: ChangeMark): void {
    this.any = true;
    if (this.tooMany) return;
    switch (mark.kind) {
      case 'order':
        this.orders.add(mark.id);
        break;
      case 'price':
        this.prices.add(marketKey(mark.market, mark.symbol));
        break;
      case 'portfolio':
        this.portfolios.add(mark.exchange);
        break;
      case 'positions':
        this.positions.add(mark.exchange);
        break;
      case 'bot':
        this.bots.add(mark.id);
        break;
      case 'instrument':
        this.instruments.add(instrumentKey(mark));
        break;
      case 'log':
        // Only the newest LOG_LINES would be kept by the mirror anyway.
        if (this.log.push(mark.line) > LOG_LINES) this.log.shift();
        break;
      default:
        this[mark.kind] = true;
    }
    if (this.instruments.size > MAX_INSTRUMENTS) this.#giveUp();
    if ([this.orders, this.prices, this.bots].some((set) => set.size > MAX_MARKED)) this.#giveUp();
  }

  #giveUp(): void {
    this.tooMany = true;
    this.orders.clear();
    this.prices.clear();
    this.portfolios.clear();
    this.positions.clear();
    this.bots.clear();
    this.instruments.clear();
    this.log = [];
  }
}

/** `full` mirrors the state, `light` only calls. */
type Kind = 'full' | 'light';
type StateMessage = Exclude<FromDesk, { t: 'result' | 'error' | 'welcome' | 'bye' }>;
/** A state message without its number. */
type Numbered<T> = T extends unknown ? Omit<T, 'seq'> : never;
type Unsent = Numbered<StateMessage>;

class Session {
  readonly #options: SessionOptions;
  readonly #line: DeskLine;
  readonly #admit: (session: Session, kind: Kind) => string | null;
  readonly #onEnd: () => void;
  readonly #helloLimit: Cancelable;
  #unlisten: (() => void) | null = null;
  #kind: Kind | null = null;
  #marks = new Marks();
  /** What is left of a state that goes out in parts, the next one drawn already. */
  #parts: Iterator<Unsent, void, undefined> | null = null;
  #next: Unsent | null = null;
  #seq = 0;
  #acked = 0;
  /** A timer for the next state message is running, or the interval since the last one has not passed. */
  #waiting = false;
  #inFlight = 0;
  #ended = false;

  constructor(
    line: DeskLine,
    options: SessionOptions,
    hub: { admit: (session: Session, kind: Kind) => string | null; onEnd: (session: Session) => void },
  ) {
    this.#line = line;
    this.#options = options;
    this.#admit = hub.admit;
    this.#onEnd = () => hub.onEnd(this);
    line.onMessage((message) => this.#receive(message));
    line.onClosed(() => this.#forget());
    this.#helloLimit = options.clock.after(HELLO_WAIT_MS, () =>
      this.end(`no hello came within ${HELLO_WAIT_MS / 1_000} s`),
    );
  }

  /** Says good-bye and closes the line. */
  end(reason: string): void {
    if (this.#ended) return;
    this.#send({ t: 'bye', reason });
    this.#forget();
    this.#line.close();
  }

  #forget(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#helloLimit.cancel();
    this.#unlisten?.();
    this.#marks = new Marks();
    this.#parts = null;
    this.#next = null;
    this.#onEnd();
  }

  #receive(raw: unknown): void {
    if (this.#ended) return;
    const message = asMessage(raw);
    if (!message) this.end('a message was not understood');
    else if (message.t === 'hello') this.#hello(message);
    else if (this.#kind === null) this.end('a terminal says hello first');
    else if (message.t === 'call') void this.#call(message);
    else if (message.seq === this.#seq) {
      this.#acked = message.seq;
      if (this.#next) this.#sendPart();
      else this.#schedule();
    }
  }

  #hello({ protocol, state = true }: Extract<ToDesk, { t: 'hello' }>): void {
    const kind = state ? 'full' : 'light';
    if (this.#kind !== null) this.end('a terminal says hello once');
    else if (protocol !== PROTOCOL_VERSION)
      this.end(
        `the desk speaks version ${PROTOCOL_VERSION} of the terminal protocol, this terminal version ${protocol}: stop the desk and start it with the same version of outcry`,
      );
    else {
      const full = this.#admit(this, kind);
      if (full !== null) {
        this.end(full);
        return;
      }
      this.#kind = kind;
      this.#helloLimit.cancel();
      if (kind === 'light') this.#send({ t: 'welcome', desk: this.#options.desk.info });
      else this.#listen();
    }
  }

  #listen(): void {
    this.#unlisten = this.#options.desk.onChange((mark) => {
      this.#marks.add(mark);
      this.#schedule();
    });
    this.#marks.tooMany = true; // the first message is a whole snapshot
    this.#flush();
  }

  #schedule(): void {
    if (this.#waiting || !this.#mayFlush) return;
    // Not at once: what else changes in this turn belongs in the same message.
    this.#waitThenLook(0);
  }

  get #mayFlush(): boolean {
    // While parts are left the last one is not acknowledged: its acknowledgement sends the next.
    return !this.#ended && this.#marks.any && this.#acked === this.#seq;
  }

  #waitThenLook(delayMs: number): void {
    this.#waiting = true;
    this.#options.clock.after(delayMs, () => {
      this.#waiting = false;
      if (this.#mayFlush) this.#flush();
    });
  }

  #flush(): void {
    const marks = this.#marks;
    this.#marks = new Marks();
    const { desk } = this.#options;
    const begun = this.#telling(() => {
      this.#parts = marks.tooMany ? inParts(desk.state()) : deltasOf(desk.delta(marks));
      this.#next = this.#parts.next().value ?? null;
    });
    if (begun && this.#sendPart()) this.#waitThenLook(STATE_INTERVAL_MS);
  }

  /** The next part of what is under way; whether it was sent. */
  #sendPart(): boolean {
    return this.#telling(() => {
      const part = this.#next;
      if (!part) return;
      this.#next = this.#parts?.next().value ?? null;
      const seq = this.#seq + 1;
      const more = this.#next !== null && part.t !== 'delta' ? { more: true as const } : {};
      this.#line.send({ ...part, seq, ...more });
      this.#seq = seq;
    });
  }

  #telling(tell: () => void): boolean {
    try {
      tell();
      return true;
    } catch (error) {
      this.#options.report('telling a terminal the state', error);
      this.end('the desk could not tell its state; see the log');
      return false;
    }
  }

  async #call({ id, method, params }: Extract<ToDesk, { t: 'call' }>): Promise<void> {
    const refused = (message: string) => this.#send({ t: 'error', id, message });
    if (!isMethod(method)) return refused(`there is no method ${shortened(method)}`);
    if (this.#inFlight >= MAX_CALLS_IN_FLIGHT) return refused(TOO_MANY_CALLS);
    const problem = callProblem(method, params);
    if (problem !== null) return refused(`${method}: ${problem}`);
    this.#inFlight++;
    try {
      const value = await this.#options.desk.call(method, params as never);
      this.#line.send({ t: 'result', id, value });
    } catch (error) {
      if (error instanceof FrameError) return refused(`the answer to ${method} is too long to be told`);
      this.#options.report(`answering ${method}`, error);
      refused(`the desk failed internally at ${method}; see the log`);
    } finally {
      this.#inFlight--;
    }
  }

  /** For messages that always can travel: a failure is the line's, which then ends by itself. */
  #send(message: FromDesk): void {
    try {
      this.#line.send(message);
    } catch (error) {
      this.#options.report('sending to a terminal', error);
    }
  }
}

function* inParts(state: DeskState): Generator<Unsent, void, undefined> {
  let first = true;
  for (const part of snapshotParts(state)) {
    yield first ? { t: 'snapshot', state: { ...emptied(state), ...part } } : { t: 'part', part };
    first = false;
  }
}

function* deltasOf(delta: DeskDelta): Generator<Unsent, void, undefined> {
  for (const part of deltaParts(delta)) yield { t: 'delta', delta: part };
}

/** The message, if it has the form of one. The method and its parameters are looked at later. */
function asMessage(raw: unknown): ToDesk | null {
  if (typeof raw !== 'object' || raw === null || !('t' in raw)) return null;
  const message = raw as Record<string, unknown>;
  switch (message.t) {
    case 'hello': {
      const { protocol, state } = message;
      const formed = typeof protocol === 'number' && (state === undefined || typeof state === 'boolean');
      return formed ? (raw as ToDesk) : null;
    }
    case 'ack':
      return Number.isSafeInteger(message.seq) ? (raw as ToDesk) : null;
    case 'call': {
      const { id, method, params } = message;
      const formed = Number.isSafeInteger(id) && typeof method === 'string' && typeof params === 'object';
      return formed && params !== null ? (raw as ToDesk) : null;
    }
    default:
      return null;
  }
}

export interface SessionHub {
  /** Serves a terminal on `line` until either side ends it; over MAX_SESSIONS it is told so and turned away. */
  accept(line: DeskLine): void;
  /** Terminals served now. */
  size(): number;
  /** Ends every session with `reason`; later lines get it as well. */
  closeAll(reason: string): void;
}

/** All terminals of one desk. */
export function createSessionHub(options: SessionOptions): SessionHub {
  const silent = new Set<Session>();
  const serving = { full: new Set<Session>(), light: new Set<Session>() };
  let over: string | null = null;
  const hub = {
    admit(session: Session, kind: Kind): string | null {
      if (serving[kind].size >= MAX_SESSIONS)
        return `${MAX_SESSIONS} terminals are attached to this desk already; close one of them`;
      silent.delete(session);
      serving[kind].add(session);
      return null;
    },
    onEnd(session: Session): void {
      for (const set of [silent, serving.full, serving.light]) set.delete(session);
    },
  };
  return {
    accept(line) {
      const session = new Session(line, options, hub);
      silent.add(session);
      if (over !== null) session.end(over);
      const [oldest] = silent;
      if (silent.size > MAX_SILENT) oldest?.end('too many connections that have not said hello');
    },
    size: () => serving.full.size + serving.light.size,
    closeAll(reason) {
      over = reason;
      for (const set of [silent, serving.full, serving.light])
        for (const session of [...set]) session.end(reason);
    },
  };
}
