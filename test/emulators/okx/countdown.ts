/**
 * The dead-man switch: all orders end unless it is renewed in time. Source: OKX v5 Trade "Cancel All After".
 */
import type { Cancelable, Clock } from '../../../src/domain/clock.ts';
import type { Account } from './account.ts';
import type { Exchange } from './exchange.ts';
import { CANCEL } from './order.ts';
import type { Countdowns } from './trade-endpoints.ts';
import { Refusal } from './wire.ts';

const TAGS_MOST = 20;

export class Countdown implements Countdowns {
  readonly #exchange: Exchange;
  readonly #clock: Clock;
  readonly #timers = new Map<string, Cancelable>();

  constructor(exchange: Exchange, clock: Clock) {
    this.#exchange = exchange;
    this.#clock = clock;
  }

  /**
   * Sets the switch; returns when it fires, Unix ms; 0: it is off. Without a tag: every order of the account.
   */
  set(account: Account, seconds: number, tag: string): number {
    const name = `${account.name} ${tag}`;
    const isNew = !this.#timers.has(name);
    this.#timers.get(name)?.cancel();
    this.#timers.delete(name);
    if (seconds === 0) return 0;
    const tags = [...this.#timers.keys()].filter((one) => one.startsWith(`${account.name} `)).length;
    if (isNew && tag !== '' && tags >= TAGS_MOST)
      throw new Refusal('51071', "You've reached the maximum limit for tag level cancel all after timers.");
    const timer = this.#clock.after(seconds * 1000, () => {
      this.#timers.delete(name);
      for (const order of account.orders.open())
        if (tag === '' || order.tag === tag) this.#exchange.cancel(account, order, CANCEL.countdown);
    });
    this.#timers.set(name, timer);
    return this.#exchange.o.now() + seconds * 1000;
  }
}
