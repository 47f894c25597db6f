/**
 * The stream of the typed client: one WebSocket that reconnects by itself, with its subscriptions, after every
 * disconnect except final ones: a revoked key (4003), or a refusal that another try would not change.
 *
 * @example
 * const stream = await client.stream({ onError: (error) => log(error) });
 * const orders = await stream.subscribe('orders', {
 *   exchange: 'paper-spot',
 *   onResync: async () => { open = await client.orders.list({ exchange: 'paper-spot' }); },
 *   onEvent: ({ event, order }) => { ... },
 * });
 */
import type { Cancelable } from '../domain/clock.ts';
import type { StreamChannel } from '../schemas/stream.ts';
import { NetworkError, StreamError } from './errors.ts';
import { backOffMs } from './retry.ts';
import { type ConnectionOptions, StreamConnection } from './stream-connection.ts';
import type { StreamState } from './stream-options.ts';
import {
  type StreamFilters,
  type StreamHandlers,
  Subscription,
  subscribeArgs,
} from './stream-subscription.ts';

/** Most subscriptions that the service accepts on one socket (D39). */
const MAX_SUBSCRIPTIONS = 200;
/** After a connection that lasted this long the waits start small again. */
const GOOD_AFTER_MS = 10_000;

export interface StreamSubscription {
  readonly channel: StreamChannel;
  /** Ends the subscription: no event comes after the call; resolves when the service has acknowledged it. */
  unsubscribe(): Promise<void>;
}

export interface Stream {
  readonly state: StreamState;
  /**
   * Subscribes. Resolves when the service has acknowledged it and `onResync`, if there is one, has run.
   * Without a connection it waits for the next one. Rejects with a StreamError when refused, and with the
   * error of `onResync`.
   */
  subscribe<C extends StreamChannel>(
    channel: C,
    options: StreamFilters[C] & StreamHandlers<C>,
  ): Promise<StreamSubscription>;
  /** Checks the connection with a message of the protocol. Rejects without a connection. */
  ping(): Promise<{ readonly roundTripMs: number }>;
  /** Ends everything; idempotent. */
  close(): Promise<void>;
  /** Resolves when the stream has ended for good: with null after `close()`, else with the reason. */
  readonly closed: Promise<Error | null>;
}

export interface ReconnectingOptions extends ConnectionOptions {
  /** The local clock, ms. */
  readonly now: () => number;
  /** Random numbers, uniform in [0, 1). */
  readonly random: () => number;
}

export class ReconnectingStream implements Stream {
  readonly closed: Promise<Error | null>;
  /** Resolves with the first authentication. */
  readonly opened: Promise<void>;
  readonly #options: ReconnectingOptions;
  readonly #subscriptions = new Set<Subscription>();
  #state: StreamState = { status: 'connecting', attempt: 1 };
  #connection: StreamConnection | null = null;
  /** Attempts since the connection was last good. */
  #attempt = 0;
  #wasOpen = false;
  #timer: Cancelable | null = null;
  #settleOpened: { resolve(): void; reject(error: Error): void } | null = null;
  #settleClosed: (error: Error | null) => void = () => {};

  constructor(options: ReconnectingOptions) {
    this.#options = options;
    this.closed = new Promise((resolve) => {
      this.#settleClosed = resolve;
    });
    this.opened = new Promise((resolve, reject) => {
      this.#settleOpened = { resolve, reject };
    });
    this.#connect();
  }

  get state(): StreamState {
    return this.#state;
  }

  async subscribe<C extends StreamChannel>(
    channel: C,
    options: StreamFilters[C] & StreamHandlers<C>,
  ): Promise<StreamSubscription> {
    const args = subscribeArgs(channel, options);
    if (this.#state.status === 'closed') throw this.#closedError();
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) {
      throw new StreamError('INVALID_ARGS', `a stream has at most ${MAX_SUBSCRIPTIONS} subscriptions`);
    }
    const { after, baseDelayMs, maxDelayMs, heldEvents, random } = this.#options;
    const subscription = new Subscription(args, options as StreamHandlers<StreamChannel>, {
      after,
      baseDelayMs,
      maxDelayMs,
      heldEvents,
      random,
      failed: (error) => this.#handlerFailed(error),
    });
    const others = this.#ofTopic(subscription.topic);
    this.#subscriptions.add(subscription);
    if (this.#state.status === 'open') {
      if (others.length === 0) this.#request(subscription);
      else if (others.some(({ isOn }) => isOn)) subscription.switchOn();
    }
    try {
      await subscription.begun;
    } catch (error) {
      await this.#unsubscribe(subscription).catch(() => {});
      throw error;
    }
    return { channel, unsubscribe: () => this.#unsubscribe(subscription) };
  }

  ping(): Promise<{ readonly roundTripMs: number }> {
    return new Promise((resolve, reject) => {
      if (this.#state.status !== 'open' || !this.#connection) {
        return reject(
          this.#state.status === 'closed' ? this.#closedError() : new NetworkError('the stream is away'),
        );
      }
      const { now } = this.#options;
      const sentAt = now();
      this.#connection.request(
        { op: 'ping' },
        { answered: () => resolve({ roundTripMs: now() - sentAt }), failed: reject },
      );
    });
  }

  async close(): Promise<void> {
    if (this.#state.status !== 'closed') {
      const error = new StreamError('CLOSED', 'the stream was closed');
      this.#finish(null, error);
      if (this.#connection) this.#connection.close(error);
      else this.#settleClosed(null);
    }
    await this.closed;
  }

  #connect(): void {
    this.#attempt += 1;
    this.#setState({ status: 'connecting', attempt: this.#attempt });
    // A listener may have closed it.
    if (this.#state.status === 'closed') return;
    this.#connection = new StreamConnection(this.#options, {
      authenticated: (userId) => this.#authenticated(userId),
      update: (message) => {
        for (const subscription of [...this.#subscriptions]) subscription.take(message);
      },
      error: (error) => this.#report(error),
      ended: (error) => this.#ended(error),
    });
  }

  #authenticated(userId: string): void {
    this.#wasOpen = true;
    this.#timer = this.#options.after(GOOD_AFTER_MS, () => {
      this.#attempt = 0;
    });
    this.#setState({ status: 'open', userId });
    this.#settleOpened?.resolve();
    this.#settleOpened = null;
    const topics = new Map([...this.#subscriptions].map((each) => [each.topic, each]));
    for (const subscription of topics.values()) this.#request(subscription);
  }

  /** Subscribes to the topic once for all subscriptions that share it. */
  #request({ args, topic }: Subscription): void {
    const connection = this.#connection;
    connection?.request(
      { op: 'subscribe', args },
      {
        answered: () => {
          for (const each of this.#ofTopic(topic)) each.switchOn();
        },
        failed: (error) => {
          // The connection is gone: the next one subscribes again.
          if (connection !== this.#connection || !(error instanceof StreamError)) return;
          this.#refused(topic, error);
        },
      },
    );
  }

  /**
   * Handles a refused topic. A new subscription ends; an earlier one is needed, so without it the stream
   * ends.
   */
  #refused(topic: string, error: StreamError): void {
    const subscriptions = this.#ofTopic(topic);
    const hadOne = subscriptions.some(({ isNew }) => !isNew);
    for (const each of subscriptions) if (each.isNew) each.end(error);
    if (hadOne) this.#connection?.drop(error);
  }

  async #unsubscribe(subscription: Subscription): Promise<void> {
    if (!this.#subscriptions.delete(subscription)) return;
    const wasOn = subscription.isOn;
    subscription.end(new StreamError('CLOSED', 'unsubscribed'));
    const connection = this.#connection;
    if (!wasOn || !connection || this.#ofTopic(subscription.topic).length > 0) return;
    await new Promise<void>((resolve, reject) => {
      connection.request(
        { op: 'unsubscribe', args: subscription.args },
        {
          answered: () => resolve(),
          // Without the connection the subscription is gone too.
          failed: (error) => (connection === this.#connection ? reject(error) : resolve()),
        },
      );
    });
  }

  #ofTopic(topic: string): Subscription[] {
    return [...this.#subscriptions].filter((each) => each.topic === topic);
  }

  #ended(error: NetworkError | StreamError): void {
    this.#connection = null;
    this.#timer?.cancel();
    for (const subscription of this.#subscriptions) subscription.switchOff();
    const isFinal = !error.retryable || (!this.#wasOpen && this.#attempt >= this.#options.attempts);
    if (isFinal) this.#finish(error, error);
    if (this.#state.status === 'closed') this.#settleClosed(this.#state.error);
    else this.#wait(error);
  }

  /** Waits until the next attempt; at least as long as the service asks. */
  #wait(error: NetworkError | StreamError): void {
    const asked = error instanceof StreamError ? (error.retryAfterMs ?? 0) : 0;
    const backOff = backOffMs(Math.max(1, this.#attempt), this.#options, this.#options.random);
    const delayMs = Math.max(asked, backOff);
    this.#timer = this.#options.after(delayMs, () => this.#connect());
    this.#report(error);
    this.#setState({ status: 'waiting', delayMs, error });
  }

  /** Ends the stream: no attempt and no event comes after it. */
  #finish(error: Error | null, told: Error): void {
    if (this.#state.status === 'closed') return;
    this.#timer?.cancel();
    for (const subscription of this.#subscriptions) subscription.end(told);
    this.#subscriptions.clear();
    this.#settleOpened?.reject(told);
    this.#settleOpened = null;
    this.#setState({ status: 'closed', error });
  }

  #closedError(): StreamError {
    const { error } = this.#state as { readonly error?: Error | null };
    const why = error ? `: ${error.message}` : '';
    return new StreamError('CLOSED', `the stream is closed${why}`, { cause: error });
  }

  /** Sets the state; `closed` is final. */
  #setState(state: StreamState): void {
    if (this.#state.status === 'closed') return;
    this.#state = state;
    try {
      this.#options.onState(state);
    } catch (error) {
      this.#handlerFailed(error);
    }
  }

  #report(error: Error): void {
    try {
      this.#options.onError?.(error);
    } catch (failure) {
      throwLater(failure);
    }
  }

  /** Reports a handler's failure; without `onError` it is thrown, so that the error is not hidden. */
  #handlerFailed(error: unknown): void {
    if (this.#options.onError) this.#report(error instanceof Error ? error : new Error(String(error)));
    else throwLater(error);
  }
}

/** Throws as an uncaught exception, outside the current call. */
function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
