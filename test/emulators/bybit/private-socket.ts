/**
 * `/v5/private`: login, topics of an account, heartbeat, and an account's events for each subscribed
 * connection. Sources: websocket/wss-authentication.mdx, websocket/private/*.mdx, facts-bybit-okx 1.8
 * (pybit#152, #300, nautilus#2101).
 */
import { createHmac } from 'node:crypto';
import type { SocketPeer, SocketSession } from '../kit/wire.ts';
import type { Keys } from './keys.ts';

const TOPICS = new Set([
  'order',
  'order.spot',
  'order.linear',
  'order.inverse',
  'order.option',
  'execution',
  'execution.spot',
  'execution.linear',
  'execution.inverse',
  'execution.option',
  'execution.fast',
  'execution.fast.spot',
  'execution.fast.linear',
  'position',
  'position.linear',
  'position.inverse',
  'position.option',
  'wallet',
  'greeks',
  'dcp.future',
  'dcp.spot',
  'dcp.option',
]);

export interface PrivateOptions {
  readonly keys: Keys;
  readonly now: () => number;
  readonly id: (length: number) => string;
  readonly ip: string | undefined;
  readonly gone: (socket: PrivateSocket) => void;
  readonly subscribed: (socket: PrivateSocket) => void;
}

interface Said {
  readonly req_id?: unknown;
  readonly op?: unknown;
  readonly args?: unknown;
}

export class PrivateSocket implements SocketSession {
  readonly #peer: SocketPeer;
  readonly #o: PrivateOptions;
  readonly #connId: string;
  readonly topics = new Set<string>();
  account: string | null = null;
  apiKey = '';

  constructor(peer: SocketPeer, o: PrivateOptions) {
    this.#peer = peer;
    this.#o = o;
    this.#connId = `${o.id(20)}-${o.id(3)}`;
  }

  message(text: string): void {
    let said: Said;
    try {
      said = JSON.parse(text) as Said;
    } catch {
      this.#answer({}, 'error', false, 'Invalid JSON');
      return;
    }
    const args = Array.isArray(said.args) ? said.args : [];
    switch (said.op) {
      case 'ping':
        this.#peer.message(
          JSON.stringify({
            ...reqId(said),
            op: 'pong',
            args: [String(this.#o.now())],
            conn_id: this.#connId,
          }),
        );
        return;
      case 'auth':
        this.#auth(said, args);
        return;
      case 'subscribe':
        this.#subscribe(said, args.map(String));
        return;
      case 'unsubscribe':
        for (const topic of args) this.topics.delete(String(topic));
        this.#answer(said, 'unsubscribe', true, '');
        return;
      default:
        this.#answer(said, String(said.op ?? ''), false, 'Unsupported op');
    }
  }

  ponged(): void {}

  closed(): void {
    this.#o.gone(this);
  }

  /** Ends the connection from the exchange's side. */
  end(reason: string): void {
    this.#peer.close(1000, reason);
    this.closed();
  }

  /** Sends an event of its account, if the topic is subscribed. */
  offer(topic: string, rows: readonly Record<string, unknown>[], id: string, time: number): void {
    const category = String(rows[0]?.category ?? '');
    const name = this.topics.has(topic) ? topic : `${topic}.${category}`;
    if (this.topics.has(name))
      this.#peer.message(JSON.stringify({ id, topic: name, creationTime: time, data: rows }));
    if (topic !== 'execution') return;
    for (const fast of ['execution.fast', `execution.fast.${category}`])
      if (this.topics.has(fast))
        this.#peer.message(JSON.stringify({ topic: fast, creationTime: time, data: rows.map(fastRow) }));
  }

  #auth(said: Said, args: readonly unknown[]): void {
    const [apiKey, expires, sign] = args;
    const refuse = (why: string) => this.#answer(said, 'auth', false, why);
    // The documents have a number; ccxt sends a text, which is accepted.
    const isTime = /^\d{13}$/.test(String(expires));
    if (typeof apiKey !== 'string' || !isTime || typeof sign !== 'string') {
      refuse('Params Error');
      return;
    }
    // It must be in the future when it arrives.
    if (Number(expires) <= this.#o.now()) {
      refuse('Params Error');
      return;
    }
    try {
      const key = this.#o.keys.admit(apiKey, this.#o.ip);
      if (!this.#o.keys.isSigned(key, `GET/realtime${expires}`, sign)) {
        refuse('Error sign, please check your signature generation algorithm.');
        return;
      }
      this.account = key.account ?? 'main';
      this.apiKey = apiKey;
    } catch (error) {
      refuse((error as Error).message);
      return;
    }
    this.#answer(said, 'auth', true, '');
  }

  /** Subscribes to all topics or to none. */
  #subscribe(said: Said, args: readonly string[]): void {
    const refuse = (why: string) => this.#answer(said, 'subscribe', false, why);
    if (this.account === null) {
      refuse('Request not authorized');
      return;
    }
    const unknown = args.find((topic) => !TOPICS.has(topic));
    if (unknown !== undefined || args.length === 0) {
      refuse(`Invalid topic: ${unknown ?? ''}`);
      return;
    }
    const mixed = ['order', 'execution', 'position'].find(
      (root) =>
        args.includes(root) && args.some((topic) => topic.startsWith(`${root}.`) && !topic.includes('fast')),
    );
    if (mixed !== undefined) {
      refuse(`All-In-One topic and Categorised topic cannot be in the same subscription request: ${mixed}`);
      return;
    }
    for (const topic of args) this.topics.add(topic);
    this.#o.subscribed(this);
    this.#answer(said, 'subscribe', true, '');
  }

  #answer(said: Said, op: string, success: boolean, retMsg: string): void {
    this.#peer.message(
      JSON.stringify({ ...reqId(said), success, ret_msg: retMsg, op, conn_id: this.#connId }),
    );
  }
}

function reqId(said: Said): Record<string, unknown> {
  return said.req_id === undefined ? {} : { req_id: said.req_id };
}

/** The row without a maker's order link id (facts-bybit-okx 1.8). */
function fastRow(row: Record<string, unknown>): Record<string, unknown> {
  const { category, symbol, orderId, isMaker, side, execId, execPrice, execQty, execTime, seq } = row;
  return {
    category,
    symbol,
    orderId,
    isMaker,
    orderLinkId: isMaker === true ? '' : row.orderLinkId,
    side,
    execId,
    execPrice,
    execQty,
    execTime,
    seq,
  };
}

/** The signature of a login. */
export function loginSign(secret: string, expires: number): string {
  return createHmac('sha256', secret).update(`GET/realtime${expires}`).digest('hex');
}
