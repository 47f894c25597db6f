/**
 * One socket: pings, logins, subscriptions, and its closing by the exchange. Pushed messages come from the
 * feeds. Sources: OKX v5 "WebSocket" (Connect, Login, Subscribe, Notification, Connection count limit),
 * "Error Code" 600xx and close frames.
 */
import type { Cancelable, Clock } from '../../../src/domain/clock.ts';
import type { SocketPeer, SocketSession } from '../kit/wire.ts';
import { ABOVE_TIER, type Address, type Arg, CHANNELS, type Channel, type Subscription } from './channels.ts';
import type { EmulatorKey, Keys } from './keys.ts';
import { Refusal } from './wire.ts';

const SILENCE_MS = 30_000;
const HOUR = 3_600_000;
const OPERATIONS_AN_HOUR = 480;
const BYTES_MOST = 65_536;

export interface SocketOptions {
  readonly address: Address;
  readonly connId: string;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly now: () => number;
  readonly ip: string;
  /** Whether the named instrument or instrument type exists. */
  readonly knows: (channel: string, arg: Arg) => boolean;
  /** Called for a new subscription: the feeds push the first messages. */
  readonly subscribed: (session: OkxSocket, subscription: Subscription) => void;
  /** Returns how many sockets of the account have the channel now, this one included; null: one too many. */
  readonly count: (account: string, channel: string) => number | null;
  readonly gone: (session: OkxSocket) => void;
  readonly odd: (what: string) => void;
}

export class OkxSocket implements SocketSession {
  readonly o: SocketOptions;
  readonly #peer: SocketPeer;
  readonly subscriptions = new Map<string, Subscription>();
  #key: EmulatorKey | null = null;
  #isOver = false;
  #operations: number[] = [];
  #active: number;
  #silence: Cancelable;

  constructor(peer: SocketPeer, o: SocketOptions) {
    this.#peer = peer;
    this.o = o;
    this.#active = o.clock.monotonic();
    this.#silence = this.#watch(SILENCE_MS);
  }

  get account(): string | null {
    return this.#key ? (this.#key.account ?? 'main') : null;
  }

  get apiKey(): string | null {
    return this.#key?.apiKey ?? null;
  }

  message(text: string): void {
    if (this.#isOver) return;
    this.#active = this.o.clock.monotonic();
    if (text === 'ping') {
      this.#send('pong');
      return;
    }
    if (Buffer.byteLength(text) > BYTES_MOST) {
      this.close(1009, 'Request message exceeds the maximum frame length');
      return;
    }
    let id = '';
    try {
      const frame = read(text);
      if (typeof frame.id === 'string' && /^[A-Za-z0-9]{1,32}$/.test(frame.id)) id = frame.id;
      this.#operate(frame, id, text);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#refuse(error, id);
    }
  }

  ponged(): void {}

  closed(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#silence.cancel();
    this.o.gone(this);
  }

  /** Closes the socket from the exchange's side. */
  close(code: number, reason: string): void {
    if (this.#isOver) return;
    this.closed();
    this.#peer.close(code, reason);
  }

  /** Pushes a message of a subscription: its argument, with the account's number on private channels. */
  push(
    subscription: Subscription,
    data: readonly unknown[],
    more: Record<string, unknown> = {},
    uid?: string,
  ): void {
    const arg = uid === undefined ? subscription.arg : { ...subscription.arg, uid };
    this.#say({ arg, ...more, data });
  }

  notice(code: string, msg: string): void {
    this.#say({ event: 'notice', code, msg, connId: this.o.connId });
  }

  #operate(frame: Record<string, unknown>, id: string, text: string): void {
    const { op, args } = frame;
    if (op !== 'login' && op !== 'subscribe' && op !== 'unsubscribe')
      throw new Refusal('60019', `Invalid op: ${String(op)}`);
    if (!Array.isArray(args) || args.length === 0) throw new Refusal('60013', 'Invalid args');
    if (!this.#fits()) throw new Refusal('60014', 'Requests too frequent');
    if (op === 'login') {
      this.#login(args[0] as Record<string, unknown>);
      return;
    }
    for (const arg of args) {
      if (typeof arg !== 'object' || arg === null)
        throw new Refusal('60012', `Invalid request: ${text.slice(0, 200)}`);
      try {
        if (op === 'subscribe') this.#subscribe(arg as Record<string, unknown>, id);
        else this.#unsubscribe(arg as Record<string, unknown>, id);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        this.#refuse(error, id);
      }
    }
  }

  #login(arg: Record<string, unknown>): void {
    const { address, keys, ip, now, connId } = this.o;
    if (address === 'public')
      throw new Refusal(
        '60028',
        'The current operation is not supported by this URL. Please use the correct WebSocket URL for the operation.',
      );
    if (this.#key)
      throw new Refusal('60031', 'The WebSocket endpoint does not allow multiple or repeated logins.');
    try {
      this.#key = keys.login(arg, ip, now());
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#refuse(error, '');
      this.close(4001, 'Login Failed');
      return;
    }
    this.#say({ event: 'login', code: '0', msg: '', connId });
  }

  #subscribe(given: Record<string, unknown>, id: string): void {
    const { connId } = this.o;
    const { name, channel, arg } = this.#channelOf(given);
    const subscription: Subscription = { arg, everyMs: everyMsOf(name, given.extraParams, this.o.odd) };
    const isNew = ![...this.subscriptions.values()].some(({ arg: other }) => other.channel === name);
    this.subscriptions.set(keyOf(arg), subscription);
    this.#say({ ...withId(id), event: 'subscribe', arg, connId });
    if (channel.isCounted && isNew && !this.#countIn(name)) {
      this.subscriptions.delete(keyOf(arg));
      return;
    }
    this.o.subscribed(this, subscription);
  }

  /**
   * Counts the connection in, and reports how many have the channel; false: it was one too many and is
   * closed.
   */
  #countIn(name: string): boolean {
    const { connId, count } = this.o;
    const connCount = count(this.account as string, name);
    const event = connCount === null ? 'channel-conn-count-error' : 'channel-conn-count';
    this.#say({ event, channel: name, connCount: String(connCount ?? 30), connId });
    return connCount !== null;
  }

  #unsubscribe(given: Record<string, unknown>, id: string): void {
    const { arg } = this.#channelOf(given);
    this.subscriptions.delete(keyOf(arg));
    this.#say({ ...withId(id), event: 'unsubscribe', arg, connId: this.o.connId });
  }

  #channelOf(given: Record<string, unknown>): { name: string; channel: Channel; arg: Arg } {
    const { address, knows, odd } = this.o;
    const name = typeof given.channel === 'string' ? given.channel : '';
    if (name === '') throw new Refusal('60027', 'Parameter channel can not be empty.');
    if (ABOVE_TIER.has(name))
      throw new Refusal('64003', "Your trading fee tier doesn't meet the requirement to access this channel");
    const texts = Object.entries(given).filter(([, value]) => typeof value === 'string') as [
      string,
      string,
    ][];
    for (const [field, value] of Object.entries(given))
      if (typeof value !== 'string') odd(`${name}: ${field} is not a text`);
    const arg: Arg = Object.fromEntries(texts.filter(([field]) => field !== 'extraParams'));
    const channel = CHANNELS.get(name);
    const words = Object.entries(arg)
      .map(([field, value]) => `${field}:${value}`)
      .join(',');
    const wrong = new Refusal(
      '60018',
      `Wrong URL or ${words} doesn't exist. Please use the correct URL, channel and parameters referring to API document.`,
    );
    if (!channel) throw wrong;
    if (channel.address !== address) throw misplaced(name, channel, address);
    if (channel.needs !== 'nothing' && !arg[channel.needs]) throw wrong;
    if (channel.isPrivate && !this.#key) throw new Refusal('60011', 'Please log in');
    if (!knows(name, arg)) throw wrong;
    return { name, channel, arg };
  }

  #fits(): boolean {
    const now = this.o.now();
    this.#operations = this.#operations.filter((time) => time > now - HOUR);
    if (this.#operations.length >= OPERATIONS_AN_HOUR) return false;
    this.#operations.push(now);
    return true;
  }

  /** Closes the socket after thirty seconds without a message in either direction. */
  #watch(afterMs: number): Cancelable {
    return this.o.clock.after(afterMs, () => {
      if (this.#isOver) return;
      const left = this.#active + SILENCE_MS - this.o.clock.monotonic();
      if (left > 0) this.#silence = this.#watch(left);
      else this.close(4004, 'No data received in 30s');
    });
  }

  #refuse({ code, message }: Refusal, id: string): void {
    this.#say({ ...withId(id), event: 'error', code, msg: message, connId: this.o.connId });
  }

  #say(frame: Record<string, unknown>): void {
    this.#send(JSON.stringify(frame));
  }

  #send(text: string): void {
    if (this.#isOver) return;
    this.#active = this.o.clock.monotonic();
    this.#peer.message(text);
  }
}

const withId = (id: string): Record<string, string> => (id === '' ? {} : { id });

function keyOf(arg: Arg): string {
  return Object.keys(arg)
    .sort()
    .map((name) => `${name}=${arg[name]}`)
    .join('&');
}

function misplaced(name: string, channel: Channel, address: Address): Refusal {
  if (channel.address === 'business')
    return new Refusal(
      '64001',
      "This channel has been migrated to the '/business' URL. Please subscribe using the new URL. More details can refer to: https://www.okx.com/help-center/changes-to-v5-api-websocket-subscription-parameter-and-url.",
    );
  if (address === 'business')
    return new Refusal(
      '64002',
      'This channel is not supported by "/business" URL. Please use "/private" URL(for private channels), or "/public" URL(for public channels). More details can refer to: https://www.okx.com/help-center/changes-to-v5-api-websocket-subscription-parameter-and-url.',
    );
  return new Refusal(
    '60008',
    `The current WebSocket endpoint does not support subscribing to ${name} channels. Please check the WebSocket URL`,
  );
}

function read(text: string): Record<string, unknown> {
  const wrong = new Refusal('60012', `Invalid request: ${text.slice(0, 200)}`);
  try {
    const frame: unknown = JSON.parse(text);
    if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) throw wrong;
    return frame as Record<string, unknown>;
  } catch {
    throw wrong;
  }
}

/** Reads `extraParams`, a text with JSON in it; anything else counts as if it were not there. */
function everyMsOf(channel: string, extra: unknown, odd: (what: string) => void): number {
  if (channel !== 'account' && channel !== 'positions') return 0;
  if (extra === undefined) return 5000;
  try {
    const { updateInterval } = JSON.parse(extra as string) as { updateInterval?: unknown };
    if (updateInterval === '0') return 0;
    const ms = Number(updateInterval);
    if (channel === 'positions' && [2000, 3000, 4000].includes(ms)) return ms;
  } catch {
    odd(`${channel}: extraParams is not a text of JSON`);
  }
  return 5000;
}
