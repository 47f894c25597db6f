/**
 * Requests of one connection: numbered, matched with their replies by id whatever their order, kept below the service's
 * message limit. Everything here is bounded and ends with the connection.
 */
import type { Cancelable } from '../domain/clock.ts';
import type { ClientMessage, ServerMessage } from '../schemas/stream.ts';
import { NetworkError, StreamError } from './errors.ts';

/** The service allows 200 messages in 10 s; what is on its way may arrive closer together than it was sent. */
const WINDOW_MS = 10_000;
const WINDOW_MESSAGES = 150;
/** Unanswered requests, waiting ones too. */
const MAX_REQUESTS = 1_000;

/** Called at most once each, in the turn in which the reply arrived: the next message may belong to what it began. */
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
  /** A request stayed without an answer. */
  silent(error: NetworkError): void;
}

interface Waiting extends ReplyHandlers {
  readonly message: StreamRequest;
  timeout: Cancelable | null;
}

export class StreamRequests {
  readonly #ports: RequestPorts;
  /** By id. */
  readonly #waiting = new Map<string, Waiting>();
  /** Not sent yet. */
  readonly #queue: string[] = [];
  /** One timer for each message of the window. */
  readonly #window = new Set<Cancelable>();
  #lastId = 0;

  constructor(ports: RequestPorts) {
    this.#ports = ports;
  }

  /** Sends the message, later if too many went out just now. */
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

  /** True when the message was the reply to a request; the request is over then. */
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

  /** The connection is gone: every request fails. */
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

/** An error message of the service as an error. */
export function errorOf(message: Extract<ServerMessage, { op: 'error' }>): StreamError {
  return new StreamError(message.data.code, message.data.message);
}
