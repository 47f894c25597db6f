/**
 * Requests of one connection: numbered, matched with their replies by id in any order, kept below the
 * service's message limit. Everything here is bounded and ends with the connection.
 */
import type { Cancelable } from '../domain/clock.ts';
import type { ClientMessage, ServerMessage } from '../schemas/stream.ts';
import { NetworkError, StreamError } from './errors.ts';

/** The service allows 200 messages in 10 s; messages may arrive closer together than they were sent. */
const WINDOW_MS = 10_000;
const WINDOW_MESSAGES = 150;
/** Most unanswered requests, waiting ones included. */
const MAX_REQUESTS = 1_000;

/**
 * Each is called at most once, in the turn in which the reply arrived: the next message may already depend on
 * it.
 */
export interface ReplyHandlers {
  answered(reply: ServerMessage): void;
  failed(error: NetworkError | StreamError): void;
}

type Unnumbered<M> = M extends { op: string } ? Omit<M, 'id'> : never;
/** A message without its id. */
export type StreamRequest = Unnumbered<ClientMessage>;

export interface RequestPorts {
  send(text: string): void;
  after(delayMs: number, run: () => void): Cancelable;
  readonly replyTimeoutMs: number;
  /** Called when a request got no answer. */
  silent(error: NetworkError): void;
}

interface Waiting extends ReplyHandlers {
  readonly message: StreamRequest;
  timeout: Cancelable | null;
}

export class StreamRequests {
  readonly #ports: RequestPorts;
  /** Requests that wait for their reply, by id. */
  readonly #waiting = new Map<string, Waiting>();
  /** Messages that are not sent yet. */
  readonly #queue: string[] = [];
  /** One timer for each message of the window. */
  readonly #window = new Set<Cancelable>();
  #lastId = 0;

  constructor(ports: RequestPorts) {
    this.#ports = ports;
  }

  /** Sends the message; delayed if too many were sent just before. */
  send(message: StreamRequest, handlers: ReplyHandlers): void {
    if (this.#waiting.size >= MAX_REQUESTS) {
      handlers.failed(new StreamError('RATE_LIMITED', `more than ${MAX_REQUESTS} requests are unanswered`));
      return;
    }
    const id = String(++this.#lastId);
    this.#waiting.set(id, { ...handlers, message, timeout: null });
    this.#queue.push(id);
    this.#flush();
  }

  /** Takes a message. True when it was the reply to a request, which ends that request. */
  take(message: ServerMessage): boolean {
    const id = 'id' in message ? message.id : undefined;
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || !waiting?.timeout) return false;
    this.#waiting.delete(id);
    waiting.timeout.cancel();
    if (message.op === 'error') waiting.failed(errorOf(message));
    else waiting.answered(message);
    return true;
  }

  /** Ends with the connection: every request fails. */
  end(error: NetworkError | StreamError): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#queue.length = 0;
    for (const timer of this.#window) timer.cancel();
    this.#window.clear();
    for (const { timeout, failed } of waiting) {
      timeout?.cancel();
      failed(error);
    }
  }

  #flush(): void {
    while (this.#window.size < WINDOW_MESSAGES) {
      const id = this.#queue.shift();
      if (id === undefined) return;
      const waiting = this.#waiting.get(id);
      if (!waiting) continue;
      const leaves = this.#ports.after(WINDOW_MS, () => {
        this.#window.delete(leaves);
        this.#flush();
      });
      this.#window.add(leaves);
      waiting.timeout = this.#ports.after(this.#ports.replyTimeoutMs, () =>
        this.#ports.silent(new NetworkError(`no answer to ${waiting.message.op}`)),
      );
      this.#ports.send(JSON.stringify({ ...waiting.message, id }));
    }
  }
}

/** Converts an error message of the service into an error. */
export function errorOf(message: Extract<ServerMessage, { op: 'error' }>): StreamError {
  return new StreamError(message.data.code, message.data.message);
}
