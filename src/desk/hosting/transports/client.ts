/**
 * The terminal's end of a connection as a `DeskClient`: matches results to calls, passes state messages on
 * one at a time and reports a lost connection. It holds at most one state message and MAX_CALLS_IN_FLIGHT
 * calls.
 */
import type { Cancelable, Clock } from '../../../domain/clock.ts';
import {
  type DeskClient,
  type DeskDelta,
  type DeskState,
  type FromDesk,
  type Introduction,
  type Method,
  type Params,
  PROTOCOL_VERSION,
  type Result,
} from '../../console/protocol.ts';
import { addPart, type StatePart } from '../../console/state-parts.ts';
import type { TerminalLine } from './line.ts';

/** How long a desk may take to answer `hello` with its first snapshot, and with each part of it, ms. */
export const HELLO_LIMIT_MS = 5_000;
/** Most calls of a terminal that wait for an answer at the same time; more are refused at once. */
export const MAX_CALLS_IN_FLIGHT = 64;
/** Shortest time between two reports of key presses, ms. */
const TOUCHED_EVERY_MS = 1_000;
export const TOO_MANY_CALLS = `more than ${MAX_CALLS_IN_FLIGHT} calls are waiting for an answer; wait for some of them`;

type StateMessage = { snapshot: DeskState } | { delta: DeskDelta };
type StateListener = (message: StateMessage, ack: () => void) => void;
type Waiting = { resolve: (value: never) => void; reject: (error: Error) => void };

class LineClient implements DeskClient {
  readonly #line: TerminalLine;
  readonly #calls = new Map<number, Waiting>();
  readonly #closedListeners: ((reason: string) => void)[] = [];
  #nextCall = 1;
  #touchedAt = Number.NEGATIVE_INFINITY;
  #listener: StateListener | null = null;
  /** A snapshot of which parts are still to come. */
  #gathering: DeskState | null = null;
  #pending: { message: StateMessage; seq: number } | null = null;
  #bye: string | null = null;
  #closed: string | null = null;
  /** Set until the first snapshot has come or the connection has ended. */
  #opened: {
    resolve: (client: DeskClient) => void;
    reject: (error: Error) => void;
    limit: Cancelable;
  } | null;
  readonly #clock: Clock;

  constructor(
    line: TerminalLine,
    clock: Clock,
    resolve: (client: DeskClient) => void,
    reject: (error: Error) => void,
    { state = true, ...introduction }: ClientOptions,
  ) {
    this.#line = line;
    this.#clock = clock;
    this.#opened = { resolve, reject, limit: this.#limit() };
    line.onMessage((message) => this.#receive(message));
    line.onClosed((reason) => this.#end(this.#bye ?? reason));
    line.send({ t: 'hello', protocol: PROTOCOL_VERSION, ...(state ? {} : { state }), ...introduction });
  }

  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    if (this.#closed !== null) return Promise.reject(new Error(this.#closed));
    if (this.#calls.size >= MAX_CALLS_IN_FLIGHT) return Promise.reject(new Error(TOO_MANY_CALLS));
    return new Promise((resolve, reject) => {
      const id = this.#nextCall++;
      this.#line.send({ t: 'call', id, method, params });
      this.#calls.set(id, { resolve, reject });
    });
  }

  touched(): void {
    const now = this.#clock.monotonic();
    if (this.#closed !== null || now - this.#touchedAt < TOUCHED_EVERY_MS) return;
    this.#touchedAt = now;
    this.#line.send({ t: 'key' });
  }

  onState(listener: StateListener): void {
    this.#listener = listener;
    // Not within this call: the caller has to finish its own setup first.
    queueMicrotask(() => this.#deliver());
  }

  onClosed(listener: (reason: string) => void): void {
    if (this.#closed === null) this.#closedListeners.push(listener);
    else {
      const reason = this.#closed;
      queueMicrotask(() => listener(reason));
    }
  }

  close(): void {
    this.#listener = null;
    this.#line.close();
  }

  #receive(message: FromDesk): void {
    switch (message.t) {
      case 'snapshot':
        this.#gathering = message.state;
        this.#gather({}, message);
        return;
      case 'part':
        this.#gather(message.part, message);
        return;
      case 'welcome':
        this.#open();
        return;
      case 'delta':
        this.#pending = { message: { delta: message.delta }, seq: message.seq };
        this.#deliver();
        return;
      case 'result':
        this.#take(message.id)?.resolve(message.value as never);
        return;
      case 'error':
        this.#take(message.id)?.reject(new Error(message.message));
        return;
      case 'bye':
        this.#bye = message.reason;
        this.#line.close();
        return;
    }
  }

  /**
   * Adds a part. Parts are acknowledged as they come, the last one by the listener, which gets the whole
   * state.
   */
  #gather(part: StatePart, { seq, more }: { readonly seq: number; readonly more?: true }): void {
    const state = this.#gathering;
    if (!state) return;
    addPart(state, part);
    if (more) {
      if (this.#opened) {
        this.#opened.limit.cancel();
        this.#opened.limit = this.#limit();
      }
      this.#line.send({ t: 'ack', seq });
      return;
    }
    this.#gathering = null;
    this.#pending = { message: { snapshot: state }, seq };
    this.#open();
    this.#deliver();
  }

  #limit(): Cancelable {
    return this.#clock.after(HELLO_LIMIT_MS, () => {
      this.#bye = `the desk did not answer within ${HELLO_LIMIT_MS / 1000} s`;
      this.#line.close();
    });
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#calls.get(id);
    this.#calls.delete(id);
    return waiting;
  }

  #deliver(): void {
    if (!this.#listener || !this.#pending) return;
    const { message, seq } = this.#pending;
    this.#pending = null;
    let acked = false;
    this.#listener(message, () => {
      if (acked || this.#closed !== null) return;
      acked = true;
      this.#line.send({ t: 'ack', seq });
    });
  }

  #open(): void {
    this.#opened?.limit.cancel();
    this.#opened?.resolve(this);
    this.#opened = null;
  }

  #end(reason: string): void {
    if (this.#closed !== null) return;
    this.#closed = reason;
    this.#pending = null;
    this.#gathering = null;
    this.#opened?.limit.cancel();
    this.#opened?.reject(new Error(reason));
    this.#opened = null;
    for (const waiting of this.#calls.values()) waiting.reject(new Error(reason));
    this.#calls.clear();
    for (const listener of this.#closedListeners.splice(0)) listener(reason);
  }
}

/** Options of a client. */
export interface ClientOptions extends Introduction {
  /**
   * False: only calls, no state ever; then even a desk with a very large state answers at once. Default true.
   */
  readonly state?: boolean;
}

/**
 * Says hello over `line`. Resolves once the desk has answered with its state; rejects with the desk's reason.
 */
export function openClient(
  line: TerminalLine,
  clock: Clock,
  options: ClientOptions = {},
): Promise<DeskClient> {
  return new Promise((resolve, reject) => {
    new LineClient(line, clock, resolve, reject, options);
  });
}
