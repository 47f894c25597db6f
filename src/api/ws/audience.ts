/**
 * Who gets which events: members (sockets) by user, channel and topic, so that an event finds its receivers
 * without asking others (specification, "Events": per user only). An event matches at most one topic of a
 * member, so it finds each member once. Pure.
 */
import type { StreamChannel } from '../../schemas/stream.ts';
import { type Topic, topicKeys } from './subscriptions.ts';

type Topics<T> = Map<string, Set<T>>;

export class Audience<T> {
  /** Topics, keyed by channel + space + user. Entries without members are removed. */
  readonly #channels = new Map<string, Topics<T>>();
  /** The user and topics of each member. */
  readonly #places = new Map<T, { readonly user: string; readonly topics: readonly Topic[] }>();

  /** Replaces the topics of a member. They must not cover each other (`Subscriptions.topics`). */
  listen(member: T, user: string, topics: readonly Topic[]): void {
    this.leave(member);
    if (topics.length === 0) return;
    this.#places.set(member, { user, topics });
    for (const { channel, key } of topics) {
      const name = `${channel} ${user}`;
      let byKey = this.#channels.get(name);
      if (!byKey) {
        byKey = new Map();
        this.#channels.set(name, byKey);
      }
      const members = byKey.get(key);
      if (members) members.add(member);
      else byKey.set(key, new Set([member]));
    }
  }

  leave(member: T): void {
    const place = this.#places.get(member);
    if (!place) return;
    this.#places.delete(member);
    for (const { channel, key } of place.topics) {
      const name = `${channel} ${place.user}`;
      const byKey = this.#channels.get(name);
      const members = byKey?.get(key);
      members?.delete(member);
      if (members?.size === 0) byKey?.delete(key);
      if (byKey?.size === 0) this.#channels.delete(name);
    }
  }

  /** Whether anybody listens to any topic of the channel. */
  hasAny(user: string, channel: StreamChannel): boolean {
    return this.#channels.has(`${channel} ${user}`);
  }

  /**
   * Returns the sets of members that an event reaches; no member is in two of them. `symbol`: of an order
   * event.
   */
  reached(user: string, channel: StreamChannel, exchange: string, symbol?: string): ReadonlySet<T>[] {
    const byKey = this.#channels.get(`${channel} ${user}`);
    if (!byKey) return [];
    const sets: ReadonlySet<T>[] = [];
    for (const key of topicKeys(exchange, symbol)) {
      const members = byKey.get(key);
      if (members) sets.push(members);
    }
    return sets;
  }
}
