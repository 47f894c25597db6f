/**
 * One subscription of a script: selects its updates, and holds them back while the script reads the state
 * that they change. Nothing is lost in between: an overflow or a lost connection makes it read again. Knows
 * no connection.
 */
import type { Cancelable } from '../domain/clock.ts';
import type { StreamChannel, StreamUpdates, SubscribeArgs } from '../schemas/stream.ts';
import { StreamError } from './errors.ts';
import { backOffMs } from './retry.ts';
import type { UpdateMessage } from './stream-connection.ts';
import type { CompiledStreamOptions } from './stream-options.ts';

/** Filters that deliver events; the specification acknowledges others, which never deliver. */
export interface StreamFilters {
  readonly orders: { readonly exchange?: string; readonly symbol?: undefined } | OrderFilter;
  readonly balance: { readonly exchange?: string };
  readonly positions: { readonly exchange?: string };
  readonly botStatus: { readonly exchange?: undefined };
}

interface OrderFilter {
  readonly exchange: string;
  readonly symbol: string;
}

/**
 * Why the state must be read: at first, after a lost connection, or because too much came to be held back.
 */
export type ResyncReason = 'subscribed' | 'reconnected' | 'overflow';

export interface StreamHandlers<C extends StreamChannel> {
  /**
   * Called with each update of the channel that passes the filter, in order. `ts`: the service's time, Unix
   * ms. Its result is not awaited.
   */
  onEvent(update: StreamUpdates[C], ts: number): void;
  /**
   * Reads the state over REST: events may have been missed, or are not known yet. Events that arrive
   * meanwhile are delivered after it; some of them may be part of what it read. After a failure it is called
   * again a little later.
   */
  onResync?(reason: ResyncReason): void | Promise<void>;
}

export interface SubscriptionPorts
  extends Pick<CompiledStreamOptions, 'after' | 'baseDelayMs' | 'maxDelayMs' | 'heldEvents'> {
  random(): number;
  /** Called when a handler has failed. */
  failed(error: unknown): void;
}

type Held = readonly [update: never, ts: number];

export class Subscription {
  readonly args: SubscribeArgs;
  /** A key that is equal for equal args. */
  readonly topic: string;
  /** Resolves when the first events are delivered; rejects if that never happens. */
  readonly begun: Promise<void>;
  readonly #handlers: StreamHandlers<StreamChannel>;
  readonly #ports: SubscriptionPorts;
  #settle: { resolve(): void; reject(error: unknown): void } | null = null;
  /** Off: not subscribed on a connection. Syncing: subscribed, events are held back. */
  #phase: 'off' | 'syncing' | 'live' = 'off';
  #held: Held[] = [];
  #overflowed = false;
  /** Counts how often it was switched on: work of an earlier round is ignored. */
  #round = 0;
  #last: Promise<unknown> = Promise.resolve();
  #retry: Cancelable | null = null;

  constructor(args: SubscribeArgs, handlers: StreamHandlers<StreamChannel>, ports: SubscriptionPorts) {
    this.args = args;
    this.topic = JSON.stringify([args.channel, args.exchange, args.symbol]);
    this.#handlers = handlers;
    this.#ports = ports;
    this.begun = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // The subscriber gets the rejection; nobody else needs it.
    this.begun.catch(() => {});
  }

  /** Called when the service has acknowledged the subscription on this connection. */
  switchOn(): void {
    if (this.#phase !== 'off') return;
    this.#phase = 'syncing';
    this.#round += 1;
    this.#sync(this.#settle ? 'subscribed' : 'reconnected', 1);
  }

  /** Called when the connection is gone. */
  switchOff(): void {
    this.#phase = 'off';
    this.#round += 1;
    this.#held = [];
    this.#overflowed = false;
    this.#retry?.cancel();
    this.#retry = null;
  }

  /** Ends the subscription for good. */
  end(error: Error): void {
    this.switchOff();
    this.#settle?.reject(error);
    this.#settle = null;
  }

  /** Whether it has never delivered yet. */
  get isNew(): boolean {
    return this.#settle !== null;
  }

  get isOn(): boolean {
    return this.#phase !== 'off';
  }

  /** Takes an update of any channel; those of other subscriptions are ignored. */
  take(message: UpdateMessage): void {
    if (this.#phase === 'off' || !concerns(this.args, message)) return;
    if (this.#phase === 'live') this.#deliver(message.data as never, message.ts);
    else if (this.#held.length < this.#ports.heldEvents) this.#held.push([message.data as never, message.ts]);
    else this.#overflowed = true;
  }

  /** Runs `onResync` once the run before has ended, then delivers the held events. */
  #sync(reason: ResyncReason, attempt: number): void {
    const { onResync } = this.#handlers;
    if (!onResync) {
      this.#release();
      return;
    }
    const round = this.#round;
    const isOver = () => round !== this.#round;
    this.#last = this.#last
      .then(() => (isOver() ? undefined : onResync.call(this.#handlers, reason)))
      .then(
        () => isOver() || this.#synced(),
        (error: unknown) => isOver() || this.#syncFailed(error, reason, attempt),
      );
  }

  #synced(): void {
    if (this.#overflowed) {
      this.#overflowed = false;
      this.#held = [];
      this.#sync('overflow', 1);
    } else this.#release();
  }

  /** Handles a failed `onResync`. If it is the first one, the caller gets the error. */
  #syncFailed(error: unknown, reason: ResyncReason, attempt: number): void {
    if (this.#settle) {
      this.#settle.reject(error);
      this.#settle = null;
      return;
    }
    this.#ports.failed(error);
    const delayMs = backOffMs(attempt, this.#ports, () => this.#ports.random());
    this.#retry = this.#ports.after(delayMs, () => this.#sync(reason, attempt + 1));
  }

  #release(): void {
    this.#phase = 'live';
    const held = this.#held;
    this.#held = [];
    for (const [update, ts] of held) this.#deliver(update, ts);
    this.#settle?.resolve();
    this.#settle = null;
  }

  #deliver(update: never, ts: number): void {
    try {
      const result: unknown = this.#handlers.onEvent(update, ts);
      if (result instanceof Promise) result.catch((error: unknown) => this.#ports.failed(error));
    } catch (error) {
      this.#ports.failed(error);
    }
  }
}

/**
 * Whether an update passes the filter, as the service applies it (specification, "Filter rules"). An event
 * that passes several filters comes only once.
 */
function concerns({ channel, exchange, symbol }: SubscribeArgs, message: UpdateMessage): boolean {
  if (message.channel !== channel) return false;
  if (message.channel === 'botStatus') return true;
  if (message.channel === 'orders') {
    const { order } = message.data;
    return (
      (exchange === undefined || order.exchange === exchange) &&
      (symbol === undefined || order.symbol === symbol)
    );
  }
  return exchange === undefined || message.data.exchange === exchange;
}

/** Makes the args of a subscription; refuses those that would be acknowledged but never deliver. */
export function subscribeArgs(
  channel: StreamChannel,
  { exchange, symbol }: { readonly exchange?: string; readonly symbol?: string },
): SubscribeArgs {
  if (symbol !== undefined && (channel !== 'orders' || exchange === undefined)) {
    throw new StreamError(
      'INVALID_ARGS',
      'symbol filters orders only, together with exchange; such a subscription never delivers',
    );
  }
  if (exchange !== undefined && channel === 'botStatus') {
    throw new StreamError('INVALID_ARGS', 'botStatus takes no filter; such a subscription never delivers');
  }
  return {
    channel,
    ...(exchange === undefined ? {} : { exchange }),
    ...(symbol === undefined ? {} : { symbol }),
  };
}
