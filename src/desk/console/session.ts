/**
 * The desk's end of one terminal: a snapshot after `hello`, in parts where it is large, then the changes, at
 * most ten times a second and never before the last state message was acknowledged. Changes are kept as marks
 * in sets of bounded size, so a terminal that does not read costs nothing. Sends nothing while nothing
 * changes. It must never throw into the desk.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { Role } from '../../domain/operator.ts';
import type { LogLine } from '../../domain/rows.ts';
import { MAX_CALLS_IN_FLIGHT, TOO_MANY_CALLS } from '../hosting/transports/client.ts';
import { FrameError } from '../hosting/transports/frames.ts';
import type { DeskLine } from '../hosting/transports/line.ts';
import type { Caller, DeskMethod, RunningDesk } from '../running.ts';
import { callProblem, isMethod } from './call-check.ts';
import { IdleLock } from './idle-lock.ts';
import { allowedWhileLocked, LOCKED, lessFor } from './locked.ts';
import { isAudited, roleProblem } from './method-roles.ts';
import { shortened } from './mirrored.ts';
import {
  type DeskDelta,
  type FromDesk,
  type Me,
  type Method,
  PROTOCOL_VERSION,
  type SessionView,
  type ToDesk,
} from './protocol.ts';
import { SessionLook } from './session-look.ts';
import { deltasOf, inParts, lockedState, type Unsent } from './session-states.ts';
import type { Follower, SharedChanges, SharedMarks } from './shared-changes.ts';
import { asMessage } from './to-desk.ts';
import { Who } from './who.ts';

/** Shortest time between two state messages. */
export const STATE_INTERVAL_MS = 100;
/** How long a connection may take to say hello; until then it does not count as a terminal. */
export const HELLO_WAIT_MS = 5_000;
export interface SessionOptions {
  readonly desk: Pick<
    RunningDesk,
    'info' | 'call' | 'state' | 'delta' | 'onChange' | 'roster' | 'pin' | 'look'
  >;
  readonly clock: Clock;
  /** Logs internal failures: the terminal only gets a generic sentence. */
  readonly report: (doing: string, error: unknown) => void;
  /** Writes lines of the audit: who came, who was refused what, who left. */
  readonly audit?: (level: LogLine['level'], text: string) => void;
  /** Time without a key before the terminal is locked, ms; 0, the default: never. */
  readonly idleLockMs?: number;
}

/** `full` mirrors the state, `light` only calls. */
export type Kind = 'full' | 'light';

export interface Hub {
  readonly changes: SharedChanges;
  /** Returns why there is no place for the session; null: it has one. */
  admit(session: Session, kind: Kind): string | null;
  onEnd(session: Session): void;
  /**
   * Runs it, one session a turn of the event loop: telling all sessions about a tick delays an order no
   * longer than telling one. Those of other machines (`isLocal` false) are run a moment apart, since each
   * wakes a console on this machine, which draws.
   */
  inTurn(run: () => void, isLocal: boolean): void;
  list(): SessionView[];
  end(id: string, reason: string): boolean;
}

export class Session {
  readonly id: string;
  readonly since: number;
  readonly #options: SessionOptions;
  readonly #line: DeskLine;
  readonly #hub: Hub;
  readonly #helloLimit: Cancelable;
  #follower: Follower | null = null;
  #who: Who | null = null;
  #lock: IdleLock | null = null;
  #expiry: Cancelable | null = null;
  /** A panic was begun at a locked screen: its calls are allowed. */
  #panics = false;
  #deniedAt = Number.NEGATIVE_INFINITY;
  #sentAt = 0;
  #kind: Kind | null = null;
  /** What must be sent to this terminal besides the shared changes. */
  #own: 'nothing' | 'something' | 'everything' = 'nothing';
  readonly #look: SessionLook;
  /** The rest of a state that is sent in parts; the next part is made already. */
  #parts: Iterator<Unsent, void, undefined> | null = null;
  #next: Unsent | null = null;
  #seq = 0;
  #acked = 0;
  /** A timer for the next state message is running, or the interval since the last one is not over. */
  #waiting = false;
  #inFlight = 0;
  #ended = false;

  constructor(id: string, line: DeskLine, options: SessionOptions, hub: Hub) {
    this.id = id;
    this.since = options.clock.wall();
    this.#line = line;
    this.#options = options;
    this.#hub = hub;
    this.#look = new SessionLook(options.desk, () => {
      if (this.#own === 'nothing') this.#own = 'something';
      if (this.#lock?.why == null) this.#schedule();
    });
    line.onMessage((message) => this.#receive(message));
    line.onClosed(() => this.#forget());
    this.#helloLimit = options.clock.after(HELLO_WAIT_MS, () =>
      this.end(`no hello came within ${HELLO_WAIT_MS / 1_000} s`),
    );
  }

  /** Says good-bye and closes the connection. */
  end(reason: string): void {
    if (this.#ended) return;
    this.#send({ t: 'bye', reason });
    this.#forget();
    this.#line.close();
  }

  #forget(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#helloLimit.cancel();
    this.#follower?.end();
    this.#look.away();
    this.#lock?.end();
    this.#expiry?.cancel();
    this.#parts = null;
    this.#next = null;
    if (this.#kind !== null && this.#who && !this.#who.isLocal)
      this.#options.audit?.(
        'info',
        `${this.#label} left after ${seconds(this.#options.clock.wall() - this.since)}`,
      );
    this.#hub.onEnd(this);
  }

  #receive(raw: unknown): void {
    if (this.#ended) return;
    const message = asMessage(raw);
    if (!message) this.end('a message was not understood');
    else if (message.t === 'hello') this.#hello(message);
    else if (this.#kind === null) this.end('a terminal says hello first');
    else if (message.t === 'key') this.#lock?.key();
    else if (message.t === 'call') void this.#call(message);
    else if (message.seq === this.#seq) {
      this.#acked = message.seq;
      if (this.#next) this.#sendPart();
      else this.#schedule();
    }
  }

  #hello({ protocol, state = true, ...introduction }: Extract<ToDesk, { t: 'hello' }>): void {
    const kind = state ? 'full' : 'light';
    const { desk, audit } = this.#options;
    if (this.#kind !== null) {
      this.end('a terminal says hello once');
      return;
    }
    if (protocol !== PROTOCOL_VERSION) {
      this.end(
        `the desk speaks version ${PROTOCOL_VERSION} of the terminal protocol, this terminal version ${protocol}: stop the desk and start it with the same version of outcry`,
      );
      return;
    }
    const who = new Who(this.id, introduction, desk.roster);
    const standing = who.standing();
    if ('refused' in standing) {
      audit?.('warn', `${who.name}${who.from === null ? '' : ` ${who.from}`} refused: ${standing.refused}`);
      this.end(standing.refused);
      return;
    }
    this.#who = who;
    const full = this.#hub.admit(this, kind);
    if (full !== null) {
      this.end(full);
      return;
    }
    this.#kind = kind;
    this.#helloLimit.cancel();
    if (!who.isLocal) audit?.('info', `${this.#label} came as ${standing.role}`);
    this.#watchExpiry(standing.expiresAt);
    if (kind === 'light') {
      this.#send({ t: 'welcome', desk: desk.info });
      return;
    }
    this.#lock = this.#newLock(standing.role);
    if (who.isLocal && desk.pin?.isSet) this.#lock.lock('asked');
    this.#listen();
  }

  get who(): Who | null {
    return this.#who;
  }

  /** Returns the session as the list shows it; null: it has not said hello. */
  view(): SessionView | null {
    const who = this.#who;
    if (!who || this.#kind === null) return null;
    const standing = who.standing();
    const { clock } = this.#options;
    const waits = this.#acked !== this.#seq;
    return {
      id: this.id,
      name: who.name,
      role: 'refused' in standing ? 'viewer' : standing.role,
      from: who.from,
      since: this.since,
      idleMs: this.#lock?.idleMs ?? 0,
      ageMs: this.#kind === 'light' ? null : waits ? clock.monotonic() - this.#sentAt : 0,
      bytes: this.#line.sentBytes ?? 0,
      terminal: who.terminal,
      version: who.version,
      locked: this.#lock?.why != null,
    };
  }

  /** Ends the session if its operator's role has changed or the operator may do nothing any more. */
  review(before: Role): void {
    const standing = this.#who?.standing();
    if (!standing) return;
    if ('refused' in standing) this.end(standing.refused);
    else if (standing.role !== before) this.end(`your role is ${standing.role} now; log in again`);
    else this.#watchExpiry(standing.expiresAt);
  }

  get role(): Role {
    const standing = this.#who?.standing();
    return !standing || 'refused' in standing ? 'viewer' : standing.role;
  }

  get #label(): string {
    const { name, from } = this.#who ?? { name: '?', from: null };
    return `${name}/${this.id}${from === null ? '' : ` ${from}`}`;
  }

  #watchExpiry(at: number | null): void {
    this.#expiry?.cancel();
    this.#expiry = null;
    if (at === null) return;
    const { clock } = this.#options;
    // Checked again within the hour, since the wall clock may be set.
    const wait = Math.min(Math.max(at - clock.wall(), 0), 3_600_000);
    this.#expiry = clock.after(wait, () => {
      const standing = this.#who?.standing();
      if (standing && 'refused' in standing) this.end(standing.refused);
      else this.#watchExpiry(at);
    });
  }

  #newLock(role: Role): IdleLock {
    const { clock, idleLockMs = 0, audit } = this.#options;
    return new IdleLock({
      clock,
      afterMs: role === 'viewer' ? 0 : idleLockMs,
      ends: this.#who?.isLocal === false,
      locked: () => {
        audit?.('info', `${this.#label} is locked`);
        this.#tellAll();
      },
      ended: () => this.end('nobody came back to this locked terminal for half an hour'),
    });
  }

  /** Makes the next message a whole state. */
  #tellAll(): void {
    this.#own = 'everything';
    this.#schedule();
  }

  #me(): Me {
    const { session, name, isLocal } = this.#who as Who;
    const { role } = this;
    const pin = this.#options.desk.pin?.isSet === true;
    return { session, name, role, local: isLocal && role === 'owner', locked: this.#lock?.why ?? null, pin };
  }

  #listen(): void {
    this.#follower = this.#hub.changes.follow(() => {
      if (this.#lock?.why == null) this.#schedule();
    });
    this.#own = 'everything'; // the first message is a whole snapshot
    this.#flush();
  }

  #schedule(): void {
    if (this.#waiting || !this.#mayFlush) return;
    // Not at once: other changes of this turn belong in the same message.
    this.#waitThenLook(0);
  }

  get #mayFlush(): boolean {
    // While parts are left, the last one is not acknowledged: its acknowledgement sends the next.
    const any = this.#own !== 'nothing' || this.#follower?.marks.any === true;
    return !this.#ended && any && this.#acked === this.#seq;
  }

  #waitThenLook(delayMs: number): void {
    this.#waiting = true;
    const look = () => {
      this.#waiting = false;
      if (this.#mayFlush) this.#flush();
    };
    this.#options.clock.after(delayMs, () => this.#hub.inTurn(look, this.#who?.isLocal !== false));
  }

  #flush(): void {
    const marks = this.#follower?.take();
    if (!marks) return;
    const isWhole = this.#own === 'everything' || marks.tooMany;
    this.#own = 'nothing';
    const { desk } = this.#options;
    const begun = this.#telling(() => {
      const { role } = this;
      if (this.#lock?.why != null) this.#parts = [lockedState(desk.state(), this.#me())].values();
      else if (isWhole)
        this.#parts = inParts({ ...lessFor(role, desk.state()), me: this.#me(), ...this.#look.whole() });
      else this.#parts = deltasOf(this.#change(marks, role));
      this.#next = this.#parts.next().value ?? null;
    });
    if (begun && this.#sendPart()) this.#waitThenLook(STATE_INTERVAL_MS);
  }

  /**
   * Returns the object that is shared with other terminals, unless this one has something of its own to add.
   */
  #change(marks: SharedMarks, role: Role): DeskDelta {
    const delta = this.#hub.changes.delta(marks, role);
    const look = this.#look.change();
    return 'look' in look ? { ...delta, ...look } : delta;
  }

  /** Sends the next part of a state that is being sent; returns whether that succeeded. */
  #sendPart(): boolean {
    return this.#telling(() => {
      const part = this.#next;
      if (!part) return;
      this.#next = this.#parts?.next().value ?? null;
      const seq = this.#seq + 1;
      const more = this.#next !== null && part.t !== 'delta' ? { more: true as const } : {};
      this.#line.send({ ...part, seq, ...more });
      this.#seq = seq;
      this.#sentAt = this.#options.clock.monotonic();
    });
  }

  #telling(tell: () => void): boolean {
    try {
      tell();
      return true;
    } catch (error) {
      this.#options.report('telling a terminal the state', error);
      this.end('the desk could not tell its state; see the log');
      return false;
    }
  }

  async #call({ id, method, params }: Extract<ToDesk, { t: 'call' }>): Promise<void> {
    const refused = (message: string) => this.#send({ t: 'error', id, message });
    if (!isMethod(method)) return refused(`there is no method ${shortened(method)}`);
    if (this.#inFlight >= MAX_CALLS_IN_FLIGHT) return refused(TOO_MANY_CALLS);
    const caller = this.#callerOf(method);
    if ('refused' in caller) return refused(caller.refused);
    const problem = callProblem(method, params);
    if (problem !== null) return refused(`${method}: ${problem}`);
    if (this.#lock?.why != null && !this.#mayWhileLocked(method, params)) return refused(LOCKED);
    if (caller.by !== undefined && isAudited(method))
      this.#options.audit?.('info', `${caller.by} asks for ${method}`);
    this.#inFlight++;
    try {
      const value = isOwn(method)
        ? await this.#answer(method, params as never)
        : await this.#options.desk.call(method, params as never, caller);
      this.#line.send({ t: 'result', id, value });
    } catch (error) {
      if (error instanceof FrameError) return refused(`the answer to ${method} is too long to be told`);
      this.#options.report(`answering ${method}`, error);
      refused(`the desk failed internally at ${method}; see the log`);
    } finally {
      this.#inFlight--;
    }
  }

  /** Returns the caller, if its role allows the method now. */
  #callerOf(method: Method): Caller | { readonly refused: string } {
    const who = this.#who as Who;
    const standing = who.standing();
    if ('refused' in standing) {
      this.end(standing.refused);
      return standing;
    }
    const caller = who.caller(standing.role);
    const problem = roleProblem(method, { role: standing.role, local: who.isLocal });
    if (problem === null) return caller;
    this.#noteDenied(method);
    return { refused: problem };
  }

  /** Notes a refused call, at most one line a second, however often a terminal calls. */
  #noteDenied(method: Method): void {
    const { clock, audit } = this.#options;
    if (clock.monotonic() - this.#deniedAt < 1_000) return;
    this.#deniedAt = clock.monotonic();
    audit?.('warn', `${this.#label} may not ${method}`);
  }

  #mayWhileLocked(method: Method, params: unknown): boolean {
    if (method === 'desk.panic') {
      this.#panics = (params as { phase?: unknown }).phase === 'start';
      return true;
    }
    return allowedWhileLocked(method, params, this.#panics);
  }

  /** Answers calls about terminals themselves. */
  async #answer(method: OwnMethod, params: never): Promise<unknown> {
    switch (method) {
      case 'sessions.list':
        return this.#hub.list();
      case 'sessions.end':
        return this.#endOther(params);
      case 'market.look':
        return this.#look.at(params);
      case 'market.lookAway':
        this.#look.away();
        return null;
      case 'session.lock':
        this.#lock?.lock('asked');
        return null;
      case 'session.unlock':
        return this.#unlock(params);
      case 'session.pin':
        return this.#options.desk.pin?.set((params as { pin: string | null }).pin) ?? NO_PIN;
    }
  }

  #endOther({ id, reason = '' }: { readonly id: string; readonly reason?: string }): Outcome<null> {
    const words = reason === '' ? `ended by ${this.#label}` : `ended by ${this.#label}: ${shortened(reason)}`;
    if (!this.#hub.end(id, words)) return refuse('NOT_FOUND', `there is no session ${shortened(id)}`);
    this.#options.audit?.('info', `${id} ${words}`);
    return ok(null);
  }

  async #unlock({ pin }: { readonly pin?: string }): Promise<Outcome<null>> {
    const { desk, audit } = this.#options;
    if (!this.#who?.isLocal) return refuse('CONFLICT', 'this terminal is unlocked by a new login');
    if (desk.pin?.isSet) {
      const checked = await desk.pin.check(pin ?? '');
      if (!checked.ok) {
        audit?.('warn', `${this.#label}: a wrong PIN`);
        return checked;
      }
    }
    this.#panics = false;
    this.#lock?.unlock();
    this.#tellAll();
    return ok(null);
  }

  /** Sends messages that can always be sent: a failure is the connection's, which then ends by itself. */
  #send(message: FromDesk): void {
    try {
      this.#line.send(message);
    } catch (error) {
      this.#options.report('sending to a terminal', error);
    }
  }
}

type OwnMethod = Exclude<Method, DeskMethod>;

const OWN: ReadonlySet<string> = new Set<OwnMethod>([
  ...(['sessions.list', 'sessions.end', 'session.lock', 'session.unlock', 'session.pin'] as const),
  ...(['market.look', 'market.lookAway'] as const),
]);
const NO_PIN: Outcome<null> = refuse('CONFLICT', 'this desk keeps no PIN');

function isOwn(method: Method): method is OwnMethod {
  return OWN.has(method);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
