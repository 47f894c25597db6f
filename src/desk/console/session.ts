/**
 * The desk's end of one terminal: a snapshot after `hello`, then what has changed, at most ten times a second and never
 * before the last state message was acknowledged. Changes are kept as marks in sets of bounded size, so a terminal that
 * stands still costs nothing. Silence while nothing changes. It must never throw into the desk.
 */
import type { Clock } from '../../domain/clock.ts';
import type { LogLine } from '../../domain/rows.ts';
import { MAX_CALLS_IN_FLIGHT, TOO_MANY_CALLS } from '../hosting/transports/client.ts';
import type { DeskLine } from '../hosting/transports/line.ts';
import type { ChangeMark, DirtyMarks, RunningDesk } from '../running.ts';
import { type FromDesk, LOG_LINES, type Method, PROTOCOL_VERSION, type ToDesk } from './protocol.ts';

/** Least time between two state messages. */
export const STATE_INTERVAL_MS = 100;
/** With more orders (or prices) marked than this, a fresh snapshot is sent instead of a delta. */
export const MAX_MARKED = 5_000;
/** Terminals on one desk at the same time. */
export const MAX_SESSIONS = 32;

const METHODS: Record<Method, true> = {
  'orders.place': true,
  'orders.check': true,
  'orders.cancel': true,
  'orders.cancelAll': true,
  'orders.split': true,
  'orders.splitPreview': true,
  'orders.detail': true,
  'orders.closed': true,
  'trades.list': true,
  'trades.page': true,
  'orders.export': true,
  'trades.export': true,
  'market.candles': true,
  'futures.set': true,
  'futures.brackets': true,
  'futures.marginMode': true,
  'portfolio.dust': true,
  'portfolio.export': true,
  'bots.create': true,
  'bots.check': true,
  'bots.ladder': true,
  'bots.replay': true,
  'bots.replayProgress': true,
  'bots.replayEnd': true,
  'bots.patch': true,
  'bots.tag': true,
  'bots.delete': true,
  'bots.start': true,
  'bots.stop': true,
  'bots.message': true,
  'bots.batch': true,
  'bots.detail': true,
  'alerts.seen': true,
  'alerts.mute': true,
  'keys.check': true,
  'keys.generate': true,
  'keys.register': true,
  'keys.revoke': true,
  'keys.example': true,
  'keys.reveal': true,
  'keys.explain': true,
  'feed.control': true,
  'feed.speed': true,
  'exchange.reconcile': true,
  'paper.configure': true,
  'paper.balance': true,
  'paper.reset': true,
  'paper.faults': true,
  'paper.fault': true,
  'desk.panic': true,
  'desk.maintenance': true,
  'desk.stop': true,
};

export interface SessionOptions {
  readonly desk: Pick<RunningDesk, 'call' | 'state' | 'delta' | 'onChange'>;
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
  alerts = false;
  clock = false;
  accounts = false;
  equity = false;
  keys = false;
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
        this.prices.add(mark.symbol);
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
      case 'log':
        // Only the newest LOG_LINES would be kept by the mirror anyway.
        if (this.log.push(mark.line) > LOG_LINES) this.log.shift();
        break;
      default:
        this[mark.kind] = true;
    }
    if ([this.orders, this.prices, this.bots].some((set) => set.size > MAX_MARKED)) this.#giveUp();
  }

  #giveUp(): void {
    this.tooMany = true;
    this.orders.clear();
    this.prices.clear();
    this.portfolios.clear();
    this.positions.clear();
    this.bots.clear();
    this.log = [];
  }
}

class Session {
  readonly #options: SessionOptions;
  readonly #line: DeskLine;
  readonly #onEnd: () => void;
  #unlisten: (() => void) | null = null;
  #marks = new Marks();
  #seq = 0;
  #acked = 0;
  /** A timer for the next state message is running, or the interval since the last one has not passed. */
  #waiting = false;
  #inFlight = 0;
  #ended = false;

  constructor(line: DeskLine, options: SessionOptions, onEnd: () => void) {
    this.#line = line;
    this.#options = options;
    this.#onEnd = onEnd;
    line.onMessage((message) => this.#receive(message));
    line.onClosed(() => this.#forget());
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
    this.#unlisten?.();
    this.#marks = new Marks();
    this.#onEnd();
  }

  #receive(raw: unknown): void {
    if (this.#ended) return;
    const message = asMessage(raw);
    if (!message) this.end('a message was not understood');
    else if (message.t === 'hello') this.#hello(message.protocol);
    else if (this.#seq === 0) this.end('a terminal says hello first');
    else if (message.t === 'call') void this.#call(message.id, message.method, message.params);
    else if (message.seq === this.#seq) {
      this.#acked = message.seq;
      this.#schedule();
    }
  }

  #hello(protocol: number): void {
    if (this.#seq > 0) this.end('a terminal says hello once');
    else if (protocol !== PROTOCOL_VERSION)
      this.end(
        `the desk speaks version ${PROTOCOL_VERSION} of the terminal protocol, this terminal version ${protocol}: stop the desk and start it with the same version of outcry`,
      );
    else {
      this.#unlisten = this.#options.desk.onChange((mark) => {
        this.#marks.add(mark);
        this.#schedule();
      });
      this.#marks.tooMany = true; // the first message is a whole snapshot
      this.#flush();
    }
  }

  #schedule(): void {
    if (this.#waiting || this.#ended || !this.#marks.any || this.#acked !== this.#seq) return;
    // Not at once: what else changes in this turn belongs in the same message.
    this.#waitThenLook(0);
  }

  #waitThenLook(delayMs: number): void {
    this.#waiting = true;
    this.#options.clock.after(delayMs, () => {
      this.#waiting = false;
      if (!this.#ended && this.#marks.any && this.#acked === this.#seq) this.#flush();
    });
  }

  #flush(): void {
    const marks = this.#marks;
    this.#marks = new Marks();
    try {
      const seq = this.#seq + 1;
      const { desk } = this.#options;
      this.#line.send(
        marks.tooMany
          ? { t: 'snapshot', seq, state: desk.state() }
          : { t: 'delta', seq, delta: desk.delta(marks) },
      );
      this.#seq = seq;
      this.#waitThenLook(STATE_INTERVAL_MS);
    } catch (error) {
      this.#options.report('telling a terminal the state', error);
      this.end('the desk could not tell its state; see the log');
    }
  }

  async #call(id: number, method: Method, params: unknown): Promise<void> {
    if (!Object.hasOwn(METHODS, method))
      return this.#send({ t: 'error', id, message: `there is no method ${method}` });
    if (this.#inFlight >= MAX_CALLS_IN_FLIGHT) return this.#send({ t: 'error', id, message: TOO_MANY_CALLS });
    this.#inFlight++;
    try {
      const value = await this.#options.desk.call(method, params as never);
      this.#line.send({ t: 'result', id, value });
    } catch (error) {
      this.#options.report(`answering ${method}`, error);
      this.#send({ t: 'error', id, message: `the desk failed internally at ${method}; see the log` });
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

/** The message, if it has the form of one. The method and its parameters are looked at later. */
function asMessage(raw: unknown): ToDesk | null {
  if (typeof raw !== 'object' || raw === null || !('t' in raw)) return null;
  const message = raw as Record<string, unknown>;
  switch (message.t) {
    case 'hello':
      return typeof message.protocol === 'number' ? (raw as ToDesk) : null;
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
  const sessions = new Set<Session>();
  let over: string | null = null;
  return {
    accept(line) {
      const session = new Session(line, options, () => sessions.delete(session));
      const full = sessions.size >= MAX_SESSIONS;
      sessions.add(session);
      if (over !== null) session.end(over);
      else if (full)
        session.end(`${MAX_SESSIONS} terminals are attached to this desk already; close one of them`);
    },
    size: () => sessions.size,
    closeAll(reason) {
      over = reason;
      for (const session of [...sessions]) session.end(reason);
    },
  };
}
