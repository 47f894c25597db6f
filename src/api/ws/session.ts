/**
 * One WebSocket session as a state machine (specification, "WebSocket authentication", "Events"; S15, D35 to
 * D39): input is what came and the time, output is what to do. Knows no sockets, clocks or signatures; the
 * shell (`stream-socket.ts`) carries the actions out, in order. After `close` there are no more actions.
 */

import { SlidingWindow } from '../../access/rate-limiter.ts';
import { tierAllows } from '../../access/tiers.ts';
import { parseWsAuth, type WsAuth } from '../../access/ws-auth.ts';
import type { AccessKey } from '../../domain/access-key.ts';
import type { CompiledServiceLimits } from '../../domain/limits.ts';
import { type ServerMessage, STREAM_CLOSE_CODES, type StreamErrorCode } from '../../schemas/stream.ts';
import {
  type ClientMessage,
  type MessageProblem,
  readClientMessage,
  readFilter,
  unknownOp,
} from './client-message.ts';
import { Subscriptions, type Topic } from './subscriptions.ts';

/** An action for the shell. */
export type Action =
  | { readonly do: 'send'; readonly message: ServerMessage }
  /** The last action. */
  | { readonly do: 'close'; readonly code: number; readonly reason: StreamErrorCode }
  /** Verify this, now or later, and call `verdict`. */
  | { readonly do: 'verify'; readonly auth: WsAuth }
  | { readonly do: 'authenticated'; readonly key: AccessKey }
  /** From now on the socket gets events of exactly these topics. */
  | { readonly do: 'listen'; readonly topics: readonly Topic[] };

/**
 * The result of an attempt to authenticate. INTERNAL_ERROR is the service's fault and does not count as an
 * attempt.
 */
export type Verdict =
  | { readonly ok: true; readonly key: AccessKey }
  | { readonly ok: false; readonly code: StreamErrorCode; readonly message: string };

/** Wall time for what is sent, monotonic time for the message budget; ms. */
export interface SessionTime {
  readonly wall: number;
  readonly monotonic: number;
}

export interface SessionOptions {
  /** The challenge of this connection, hexadecimal. */
  readonly challenge: string;
  readonly limits: CompiledServiceLimits['stream'];
  /** Whether a key may still be used; checked at every subscription. */
  readonly isActive: (keyId: string) => boolean;
}

type State =
  | { readonly name: 'challenged' }
  | { readonly name: 'verifying'; readonly keyId: string; readonly id: string | undefined }
  | { readonly name: 'authenticated'; readonly key: AccessKey }
  | { readonly name: 'ended' };

/** Fields of a message that its answer repeats. */
interface Echo {
  readonly id?: string;
  readonly op?: string;
}

export class Session {
  readonly #options: SessionOptions;
  readonly #subscriptions: Subscriptions;
  readonly #budget: SlidingWindow;
  #state: State = { name: 'challenged' };
  #failedAttempts = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#subscriptions = new Subscriptions(options.limits.subscriptions);
    this.#budget = new SlidingWindow(options.limits.messageWindowMs);
  }

  /** The key that the client has, or claims while that is being verified. */
  get keyId(): string | null {
    if (this.#state.name === 'authenticated') return this.#state.key.id;
    return this.#state.name === 'verifying' ? this.#state.keyId : null;
  }

  /** Returns what a new connection is sent first. */
  opened(now: SessionTime): Action[] {
    const { challenge } = this.#options;
    return [{ do: 'send', message: { op: 'challenge', ts: now.wall, data: { challenge } } }];
  }

  message(data: Buffer, binary: boolean, now: SessionTime): Action[] {
    if (this.#state.name === 'ended') return [];
    const over = this.frame(now);
    if (over.length > 0) return over;
    const message = readClientMessage(data, binary);
    return 'problem' in message ? this.#refuse(message, now) : this.#handle(message, now);
  }

  /** Counts a frame that was not asked for: messages, and also control pings and pongs. */
  frame(now: SessionTime): Action[] {
    if (this.#state.name === 'ended') return [];
    const { messages, messageWindowMs } = this.#options.limits;
    if (this.#budget.take(messages, now.monotonic).accepted) return [];
    const message = `more than ${messages} messages within ${messageWindowMs / 1_000} s`;
    return this.#end('RATE_LIMITED', message, STREAM_CLOSE_CODES.rateLimited, now);
  }

  /** Takes the result of `verify`. */
  verdict(verdict: Verdict, now: SessionTime): Action[] {
    if (this.#state.name !== 'verifying') return [];
    const echo: Echo = { id: this.#state.id, op: 'auth' };
    if (!verdict.ok) {
      this.#state = { name: 'challenged' };
      return this.#failed(verdict.code, verdict.message, echo, now);
    }
    const { key } = verdict;
    // Success uses up the challenge (D37).
    this.#state = { name: 'authenticated', key };
    const data = { authenticated: true, userId: key.user };
    return [
      { do: 'authenticated', key },
      { do: 'send', message: { op: 'auth', ...idOf(echo), ts: now.wall, data } },
    ];
  }

  /** Ends a session whose time to authenticate is over. */
  authTimeout(now: SessionTime): Action[] {
    if (this.#state.name !== 'challenged' && this.#state.name !== 'verifying') return [];
    const message = `not authenticated within ${this.#options.limits.authMs / 1_000} s of connecting`;
    return this.#end('AUTH_TIMEOUT', message, STREAM_CLOSE_CODES.authFailed, now);
  }

  /** Ends a session whose key, or claimed key, was revoked. */
  revoked(now: SessionTime): Action[] {
    if (this.#state.name === 'ended') return [];
    return this.#end('KEY_REVOKED', 'the key was revoked', STREAM_CLOSE_CODES.keyRevoked, now);
  }

  /** Notes that the connection is gone. */
  gone(): void {
    this.#state = { name: 'ended' };
  }

  #handle(message: ClientMessage, now: SessionTime): Action[] {
    const echo: Echo = { op: message.op, ...idOf(message) };
    switch (message.op) {
      case 'ping':
        return [{ do: 'send', message: { op: 'pong', ...idOf(message), ts: now.wall } }];
      case 'auth':
        return this.#auth(message.args, echo, now);
      case 'subscribe':
      case 'unsubscribe':
        return this.#change(message.op, message.args, echo, now);
      case 'unknown':
        if (this.#state.name === 'authenticated') return [];
        return [this.#error('INVALID_ARGS', unknownOp(message.name), { ...echo, op: message.name }, now)];
    }
  }

  #auth(args: unknown, echo: Echo, now: SessionTime): Action[] {
    if (this.#state.name === 'authenticated') {
      const message = 'this connection is authenticated and its challenge used up; connect anew for another';
      return [this.#error('CHALLENGE_MISSING', message, echo, now)];
    }
    if (this.#state.name === 'verifying') {
      const message = 'an auth message is being verified; wait for its answer';
      return [this.#error('AUTH_IN_PROGRESS', message, echo, now)];
    }
    const auth = parseWsAuth(args);
    if ('problem' in auth) return this.#failed(auth.code, auth.problem, echo, now);
    this.#state = { name: 'verifying', keyId: auth.keyId, id: echo.id };
    return [{ do: 'verify', auth }];
  }

  /** Answers a failed attempt; after the last one the connection ends. */
  #failed(code: StreamErrorCode, problem: string, echo: Echo, now: SessionTime): Action[] {
    const { authAttempts } = this.#options.limits;
    const answer = this.#error(code, problem, echo, now);
    if (code === 'INTERNAL_ERROR') return [answer];
    this.#failedAttempts++;
    if (this.#failedAttempts < authAttempts) return [answer];
    const message = `${authAttempts} attempts to authenticate have failed`;
    return [answer, ...this.#end('TOO_MANY_ATTEMPTS', message, STREAM_CLOSE_CODES.authFailed, now)];
  }

  #change(op: 'subscribe' | 'unsubscribe', args: unknown, echo: Echo, now: SessionTime): Action[] {
    const fail = (code: StreamErrorCode, message: string) => [this.#error(code, message, echo, now)];
    if (this.#state.name !== 'authenticated') {
      return fail('AUTH_REQUIRED', `${op} needs an authenticated connection; send auth first`);
    }
    const { key } = this.#state;
    if (!this.#options.isActive(key.id)) return fail('UNAUTHORIZED', 'the key can no longer be used');
    if (!tierAllows(key.tier, 'read')) {
      return fail('INSUFFICIENT_PERMISSIONS', 'the key may not read, which subscriptions need');
    }
    const filter = readFilter(args);
    if ('problem' in filter) return fail('INVALID_ARGS', filter.problem);
    const before = this.#subscriptions.size;
    if (op === 'unsubscribe') this.#subscriptions.remove(filter);
    else if (!this.#subscriptions.add(filter)) {
      return fail('INVALID_ARGS', `${before} subscriptions are the most; unsubscribe from some first`);
    }
    const reply: Action = {
      do: 'send',
      message: {
        op: op === 'subscribe' ? 'subscribed' : 'unsubscribed',
        ...idOf(echo),
        ts: now.wall,
        channel: filter.channel,
      },
    };
    if (this.#subscriptions.size === before) return [reply];
    return [reply, { do: 'listen', topics: this.#subscriptions.topics(key.allowedExchanges) }];
  }

  #refuse({ code, problem, id, op }: MessageProblem, now: SessionTime): Action[] {
    return [this.#error(code, problem, { id, op }, now)];
  }

  #error(code: StreamErrorCode, message: string, echo: Echo, now: SessionTime): Action {
    const data = { code, message, ...(echo.op === undefined ? {} : { op: echo.op }) };
    return { do: 'send', message: { op: 'error', ...idOf(echo), ts: now.wall, data } };
  }

  #end(reason: StreamErrorCode, message: string, code: number, now: SessionTime): Action[] {
    this.#state = { name: 'ended' };
    return [this.#error(reason, message, {}, now), { do: 'close', code, reason }];
  }
}

function idOf({ id }: { readonly id?: string }): { id?: string } {
  return id === undefined ? {} : { id };
}
