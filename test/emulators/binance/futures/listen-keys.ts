/**
 * Listen keys and the sockets that carry an account's events. A key lives 60 minutes from its last POST or
 * PUT; a socket with an expired or unknown key opens, but gets no events. Sources: USD-M "User Data Streams";
 * facts-binance A (`events` is an allow list), E 9.
 */
import { Refusal, type SocketPeer, type SocketSession } from '../wire.ts';

const LIFE = 3_600_000;

interface ListenKey {
  readonly account: string;
  readonly key: string;
  until: number;
}

export class ListenKeys {
  readonly #keys = new Map<string, ListenKey>();
  readonly #now: () => number;
  readonly #id: (length: number) => string;
  readonly sockets = new Set<PrivateSocket>();

  constructor(now: () => number, id: (length: number) => string) {
    this.#now = now;
    this.#id = id;
  }

  /** Returns the account's key; an existing one is extended. */
  create(account: string): string {
    const known = this.#of(account);
    if (known) {
      known.until = this.#now() + LIFE;
      return known.key;
    }
    const key = this.#id(64);
    this.#keys.set(key, { account, key, until: this.#now() + LIFE });
    return key;
  }

  /** Throws Refusal -1125. */
  extend(account: string): string {
    const known = this.#of(account);
    if (!known) throw new Refusal(-1125, 'This listenKey does not exist.');
    known.until = this.#now() + LIFE;
    return known.key;
  }

  remove(account: string): void {
    const known = this.#of(account);
    if (!known) throw new Refusal(-1125, 'This listenKey does not exist.');
    this.#keys.delete(known.key);
  }

  /** Ends expired keys, and reports that on their sockets. */
  expire(): void {
    const time = this.#now();
    for (const { key, account, until } of [...this.#keys.values()]) {
      if (until > time) continue;
      for (const socket of this.sockets) socket.tell(key, { e: 'listenKeyExpired', E: time, listenKey: key });
      this.#keys.delete(this.#of(account)?.key ?? key);
      this.#keys.delete(key);
    }
  }

  tell(account: string, event: Record<string, unknown>): void {
    const known = this.#of(account);
    if (!known) return;
    for (const socket of this.sockets) socket.tell(known.key, event);
  }

  open(peer: SocketPeer, combined: boolean, query: string): PrivateSocket {
    const socket = new PrivateSocket(peer, combined, query, () => this.sockets.delete(socket));
    this.sockets.add(socket);
    return socket;
  }

  #of(account: string): ListenKey | undefined {
    const time = this.#now();
    for (const known of this.#keys.values())
      if (known.account === account && known.until > time) return known;
    return undefined;
  }
}

export class PrivateSocket implements SocketSession {
  readonly #peer: SocketPeer;
  readonly #combined: boolean;
  readonly #gone: () => void;
  /** Key -> the events that are sent for it; null: all. */
  readonly #keys = new Map<string, Set<string> | null>();

  constructor(peer: SocketPeer, combined: boolean, query: string, gone: () => void) {
    this.#peer = peer;
    this.#combined = combined;
    this.#gone = gone;
    // listenKey=K1&events=A/B&listenKey=K2&events=C: pairs, in order.
    let key = '';
    for (const [name, value] of new URLSearchParams(query)) {
      if (name === 'listenKey') {
        key = value;
        this.#keys.set(value, null);
      } else if (name === 'events' && key !== '') this.#keys.set(key, new Set(value.split('/')));
      else if (name === 'streams')
        for (const item of value.split('/')) if (item !== '') this.#keys.set(item, null);
    }
  }

  message(text: string): void {
    let message: { method?: unknown; params?: unknown; id?: unknown };
    try {
      message = JSON.parse(text) as typeof message;
    } catch {
      this.#peer.message(JSON.stringify({ error: { code: 3, msg: 'Invalid JSON' } }));
      return;
    }
    const params = Array.isArray(message.params) ? message.params.map(String) : [];
    const { id = null, method } = message;
    if (method === 'SUBSCRIBE') for (const item of params) this.#keys.set(item, null);
    if (method === 'UNSUBSCRIBE') for (const item of params) this.#keys.delete(item);
    this.#peer.message(
      JSON.stringify({ result: method === 'LIST_SUBSCRIPTIONS' ? [...this.#keys.keys()] : null, id }),
    );
  }

  ponged(): void {}

  closed(): void {
    this.#gone();
  }

  tell(key: string, event: Record<string, unknown>): void {
    const events = this.#keys.get(key);
    if (events === undefined || (events !== null && !events.has(String(event.e)))) return;
    this.#peer.message(JSON.stringify(this.#combined ? { stream: key, data: event } : event));
  }

  shutdown(time: number): void {
    this.#peer.message(JSON.stringify({ e: 'serverShutdown', E: time }));
  }
}
