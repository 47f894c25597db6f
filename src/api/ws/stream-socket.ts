/**
 * Runs a session on its socket: passes on what comes and carries out its actions. Events are sent in one
 * write per turn of the event loop, however many there are. A reader that is too slow or silent is cut off
 * without a close frame (specification, "Close codes and heartbeat"), so that it costs others nothing.
 */
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { ApiDesk } from '../../desk/api/api-port.ts';
import type { AccessKey } from '../../domain/access-key.ts';
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { assertNever } from '../../domain/errors.ts';
import type { CompiledServiceLimits } from '../../domain/limits.ts';
import type { ServerMessage } from '../../schemas/stream.ts';
import type { FailedLogins } from '../failed-logins.ts';
import { cleanText } from '../text.ts';
import type { Audience } from './audience.ts';
import type { Beating, Heartbeat } from './heartbeat.ts';
import { type Action, Session, type SessionTime, type Verdict } from './session.ts';
import type { AuthAttempt, AuthVerifier } from './verify-auth.ts';

/** What all sockets of a stream share. */
export interface SocketDeps {
  readonly desk: Pick<ApiDesk, 'now' | 'activeKey' | 'touchKey' | 'keyRefused' | 'log'>;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly limits: CompiledServiceLimits['stream'];
  readonly verify: AuthVerifier;
  readonly onVerified: (keyId: string, address: string) => void;
  readonly failedLogins: Pick<FailedLogins, 'note'>;
  readonly audience: Audience<StreamSocket>;
  readonly heartbeat: Heartbeat;
  /** Arranges that `flush` is called at the end of this turn of the event loop. */
  readonly flushLater: (socket: StreamSocket) => void;
}

const OPEN = 1;
const GOING_AWAY = 1001;

export class StreamSocket implements Beating {
  readonly #deps: SocketDeps;
  readonly #ws: WebSocket;
  /**
   * The raw connection. Updates are written to it as whole frames: `ws` writes its own at once and in one
   * piece, since nothing is compressed or sent in parts, so the two never mix.
   */
  readonly #raw: Duplex;
  readonly #address: string;
  readonly #challenge: string;
  readonly #session: Session;
  readonly #authTimer: Cancelable;
  #key: AccessKey | null = null;
  #held = false;
  /** Whether the waiting bytes were within the limit when the turn began. */
  #caughtUp = true;
  /** Bytes of updates that are each longer than the limit, and that came to a reader who had caught up. */
  #oversized = 0;
  #awaitsPong = false;
  #failureLogged = false;

  /** `onGone` is called when the connection is closed for good. */
  constructor(
    deps: SocketDeps,
    connection: {
      readonly ws: WebSocket;
      readonly raw: Duplex;
      readonly address: string;
      readonly challenge: string;
    },
    onGone: (socket: StreamSocket) => void,
  ) {
    const { ws, raw, address, challenge } = connection;
    this.#deps = deps;
    this.#ws = ws;
    this.#raw = raw;
    this.#address = address;
    this.#challenge = challenge;
    this.#session = new Session({
      challenge,
      limits: deps.limits,
      isActive: (keyId) => deps.desk.activeKey(keyId) !== null,
    });
    this.#authTimer = deps.clock.after(deps.limits.authMs, () =>
      this.#perform(this.#session.authTimeout(this.#now())),
    );
    deps.heartbeat.join(this);
    ws.on('message', (data: RawData, binary) =>
      this.#perform(this.#session.message(data as Buffer, binary, this.#now())),
    );
    ws.on('ping', () => this.#perform(this.#session.frame(this.#now())));
    ws.on('pong', () => {
      // A pong that was not asked for counts like a message: reading it costs as much.
      if (this.#awaitsPong) this.#awaitsPong = false;
      else this.#perform(this.#session.frame(this.#now()));
    });
    // A frame against the protocol or too large: `ws` has closed with the matching code.
    ws.on('error', () => this.#leave());
    ws.on('close', () => {
      this.#leave();
      onGone(this);
    });
    this.#perform(this.#session.opened(this.#now()));
  }

  /** The key that the client has or claims to have. */
  get keyId(): string | null {
    return this.#session.keyId;
  }

  /** Sends an update (`textFrame`), at the end of this turn at the latest. */
  deliver(frame: Buffer): void {
    if (this.#ws.readyState !== OPEN) return;
    if (!this.#held) {
      this.#held = true;
      this.#caughtUp = this.#ws.bufferedAmount <= this.#deps.limits.backlogBytes;
      this.#raw.cork();
      this.#deps.flushLater(this);
    }
    if (this.#caughtUp && frame.length > this.#deps.limits.backlogBytes) this.#oversized += frame.length;
    this.#raw.write(frame);
  }

  /** Sends what `deliver` has held back. */
  flush(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#raw.uncork();
    this.#checkBacklog();
  }

  /** Tells the client of the revocation and closes, in this turn. */
  revoke(): void {
    this.#perform(this.#session.revoked(this.#now()));
  }

  /** Closes the socket because the service stops. */
  goAway(): void {
    this.#leave();
    this.#ws.close(GOING_AWAY, 'the service stops');
    this.flush();
  }

  beat(): void {
    if (this.#awaitsPong) {
      this.#cut('answered no ping');
      return;
    }
    // Revocation tells every socket itself; this catches a key removed in another way.
    if (this.#key !== null && this.#deps.desk.activeKey(this.#key.id) === null) {
      this.revoke();
      return;
    }
    if (this.#ws.readyState !== OPEN) return;
    this.#awaitsPong = true;
    this.#ws.ping();
  }

  #now(): SessionTime {
    return { wall: this.#deps.desk.now(), monotonic: this.#deps.clock.monotonic() };
  }

  #perform(actions: readonly Action[]): void {
    for (const action of actions) {
      switch (action.do) {
        case 'send':
          this.#send(action.message);
          break;
        case 'close':
          this.#leave();
          this.#ws.close(action.code, action.reason);
          this.flush();
          break;
        case 'verify':
          this.#verify({
            auth: action.auth,
            challenge: this.#challenge,
            address: this.#address,
            now: this.#deps.desk.now(),
          });
          break;
        case 'authenticated':
          this.#authenticated(action.key);
          break;
        case 'listen':
          if (this.#key) this.#deps.audience.listen(this, this.#key.user, action.topics);
          break;
        default:
          assertNever(action);
      }
    }
  }

  #send(message: ServerMessage): void {
    if (this.#ws.readyState !== OPEN) return;
    this.#ws.send(JSON.stringify(message));
    this.#checkBacklog();
  }

  /** Verifies an attempt; at once when the verifier answers at once. */
  #verify(attempt: AuthAttempt): void {
    const failed = (error: unknown) => {
      this.#deps.desk.log('error', `WebSocket authentication failed: ${cleanText(String(error), 500)}`);
      this.#judged({ ok: false, code: 'INTERNAL_ERROR', message: 'an unexpected error occurred' }, attempt);
    };
    let verdict: Verdict | Promise<Verdict>;
    try {
      verdict = this.#deps.verify(attempt);
    } catch (error) {
      failed(error);
      return;
    }
    if (verdict instanceof Promise) verdict.then((later) => this.#judged(later, attempt), failed);
    else this.#judged(verdict, attempt);
  }

  #judged(verdict: Verdict, { auth }: AuthAttempt): void {
    const { desk, failedLogins } = this.#deps;
    let final = verdict;
    if (verdict.ok && desk.activeKey(verdict.key.id) === null) {
      final = { ok: false, code: 'INVALID_KEY', message: 'the key was revoked while it was being verified' };
    }
    // The key's holder has signed, so they should see the refusal.
    if (!final.ok && final.code === 'IP_REJECTED') {
      desk.keyRefused(auth.keyId, 'IP_NOT_WHITELISTED', this.#address);
    }
    // One line for each socket: a stranger's attempts are free, but log lines are stored.
    if (!final.ok && !this.#failureLogged) {
      this.#failureLogged = true;
      failedLogins.note(this.#address, this.#line(auth.keyId, final.code));
    }
    this.#perform(this.#session.verdict(final, this.#now()));
  }

  #authenticated(key: AccessKey): void {
    const { desk } = this.#deps;
    this.#authTimer.cancel();
    this.#key = key;
    desk.touchKey(key.id, this.#address);
    this.#deps.onVerified(key.id, this.#address);
    desk.log('info', this.#line(key.id, 'authenticated'));
  }

  /** A log line: who, from where, and the outcome; the key by its first 8 characters (ASVS 16.2.5). */
  #line(keyId: string, outcome: string): string {
    return `WebSocket by key ${cleanText(keyId.slice(0, 8), 8)} from ${cleanText(this.#address, 45)}: ${outcome}`;
  }

  /**
   * Cuts off a reader that does not keep up. One long update cuts nobody off: a client that reads gets it,
   * one that does not is cut by what comes after it.
   */
  #checkBacklog(): void {
    if (this.#held) return;
    const { bufferedAmount: waiting } = this.#ws;
    const { backlogBytes } = this.#deps.limits;
    if (waiting <= backlogBytes) this.#oversized = 0;
    else if (waiting > backlogBytes + this.#oversized)
      this.#cut(`did not read, ${waiting} bytes were waiting`);
  }

  /** Ends the connection without a close frame: the other side does not read, or is not there. */
  #cut(why: string): void {
    if (this.#key !== null) this.#deps.desk.log('warn', this.#line(this.#key.id, `cut off, it ${why}`));
    this.#leave();
    this.#ws.terminate();
  }

  /** Stops events, beats and timers; nothing more that comes is read. */
  #leave(): void {
    this.#session.gone();
    this.#authTimer.cancel();
    this.#deps.audience.leave(this);
    this.#deps.heartbeat.leave(this);
  }
}
