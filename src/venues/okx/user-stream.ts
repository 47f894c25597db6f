/**
 * All events of an OKX account: orders, balances and positions on the private socket, conditional orders on
 * the business one. The stream is up when both sockets are; if one ends or is replaced, the whole stream has
 * a gap.
 */
import type { Clock, Random } from '../../domain/clock.ts';
import type { Caller } from '../kit/caller.ts';
import type { Net } from '../kit/net.ts';
import type { OkxMarketKind } from './account-given.ts';
import { PrivateSocket } from './private-socket.ts';
import { OKX } from './requests.ts';

/** Asks for changes only, without a full repeat every few seconds (OD Account channel: extraParams). */
const ON_EVENTS = { extraParams: '{"updateInterval":"0"}' } as const;

export interface UserStreamOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly caller: Caller;
  readonly kind: OkxMarketKind;
  readonly addresses: { readonly private: string; readonly business: string };
  event(channel: string, text: string): void;
  unread(problem: string): void;
  up(): void;
  gap(): void;
  down(cause: string): void;
}

export class UserStream {
  readonly #sockets: readonly PrivateSocket[];
  readonly #o: UserStreamOptions;
  #isUp = false;

  constructor(options: UserStreamOptions) {
    this.#o = options;
    const { net, clock, random, caller, kind, addresses } = options;
    // Crossed spot orders may come as margin orders: all types are heard, and those of this market are passed
    // on.
    const instType = kind === 'swap' ? 'SWAP' : 'ANY';
    const common = {
      net,
      clock,
      random,
      caller,
      event: (channel: string, text: string) => options.event(channel, text),
      unread: (problem: string) => options.unread(problem),
      up: () => this.#looked(null),
      gap: () => {
        if (this.#isUp) options.gap();
      },
      down: (cause: string) => this.#looked(cause),
      // Only the private socket gets this notice (OD Notification).
      upgrade: () => {
        for (const socket of this.#sockets) socket.rotate();
      },
    };
    this.#sockets = [
      new PrivateSocket({
        ...common,
        address: addresses.private,
        form: OKX.subscribe,
        channels: [
          { channel: 'orders', instType },
          { channel: 'account', ...ON_EVENTS },
          { channel: 'balance_and_position' },
          ...(kind === 'swap' ? [{ channel: 'positions', instType, ...ON_EVENTS }] : []),
        ],
      }),
      new PrivateSocket({
        ...common,
        address: addresses.business,
        form: OKX.subscribeAlgos,
        channels: [
          { channel: 'orders-algo', instType },
          { channel: 'algo-advance', instType },
        ],
      }),
    ];
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Opens both sockets. Null: both are subscribed; else why not. They keep trying until closed. */
  async open(ms: number): Promise<string | null> {
    const problems = await Promise.all(this.#sockets.map((socket) => socket.open(ms)));
    return problems.find((problem) => problem !== null) ?? null;
  }

  close(): void {
    this.#isUp = false;
    for (const socket of this.#sockets) socket.close();
  }

  #looked(cause: string | null): void {
    const isUp = this.#sockets.every((socket) => socket.isUp);
    if (isUp === this.#isUp) return;
    this.#isUp = isUp;
    if (isUp) this.#o.up();
    else this.#o.down(cause ?? 'a socket of its events has ended');
  }
}
