/**
 * The network between an adapter and an emulator, without sockets: `Net` of the kit on a virtual clock, with
 * faults that are drawn from a seed. A loss here is like one on a wire: a request may have been executed
 * although its answer never comes.
 */
import type { Cancelable, Clock } from '../../../src/domain/clock.ts';
import type {
  Net,
  SocketEvents,
  SocketRefusal,
  SocketRequest,
  WireAnswer,
  WireRequest,
  WireSocket,
} from '../../../src/venues/kit/net.ts';
import type { Dice } from '../../simulation/dice.ts';
import { Faults, type NetFaults } from './faults.ts';
import { type EmulatorAnswer, isRefusedHandshake, type SocketSession, type VenueEmulator } from './wire.ts';

export type { NetFaults } from './faults.ts';

export interface EmulatorNetOptions {
  readonly emulator: VenueEmulator;
  readonly clock: Clock;
  readonly dice: Dice;
  readonly faults?: NetFaults;
  /** Called for every fault that strikes. */
  readonly struck?: (fault: string) => void;
  /** Called for every request that reaches the exchange. */
  readonly seen?: (request: WireRequest, answer: EmulatorAnswer) => void;
}

export class EmulatorNet implements Net {
  readonly #o: EmulatorNetOptions;
  readonly #sockets = new Set<VirtualSocket>();
  readonly #faults: Faults;
  /** Whether the network is down: nothing passes, and every socket is dead. */
  #isDown = false;

  constructor(o: EmulatorNetOptions) {
    this.#o = o;
    this.#faults = new Faults(o.emulator.gate, o.dice, o.faults ?? {}, o.struck);
    this.#faults.aim(o.emulator);
  }

  get faults(): NetFaults {
    return this.#faults.plan;
  }

  /** Sets another plan from now on; an open socket keeps the time of its cut. */
  set faults(plan: NetFaults) {
    this.#faults.plan = plan;
  }

  /** Takes the network down, or restores it. */
  set down(isDown: boolean) {
    this.#isDown = isDown;
    if (isDown) this.cut('the network is down');
  }

  /** Cuts every socket, or those whose URL contains the text. */
  cut(cause: string, inUrl = ''): void {
    for (const socket of [...this.#sockets]) if (socket.url.includes(inUrl)) socket.cut(cause);
  }

  get sockets(): number {
    return this.#sockets.size;
  }

  request(request: WireRequest): Promise<WireAnswer> {
    const { promise, resolve } = Promise.withResolvers<WireAnswer>();
    const { clock } = this.#o;
    const faults = this.#faults;
    const { plan } = faults;
    const later = (ms: number, answer: () => WireAnswer) => clock.after(ms, () => resolve(answer()));
    if (this.#isDown || faults.strikes('unsent', plan.unsent)) {
      later(faults.delay(), () => ({ kind: 'unsent', cause: 'connect ECONNREFUSED' }));
      return promise;
    }
    if (faults.strikes('request lost', plan.requestLost)) {
      later(request.timeoutMs, () => ({ kind: 'lost', cause: 'no answer in time' }));
      return promise;
    }
    const instead = faults.gate();
    clock.after(faults.delay(), () => {
      const answer = instead ?? this.#execute(request);
      if (instead === null && faults.strikes('answer lost', plan.answerLost)) {
        later(request.timeoutMs, () => ({ kind: 'lost', cause: 'socket hang up' }));
        return;
      }
      const isUnknown = instead === null && faults.strikes('executed, status unknown', plan.executedUnknown);
      const given = isUnknown ? faults.unknown() : answer;
      const wait = Math.min(faults.delay() + faults.late(), request.timeoutMs);
      later(wait, () =>
        wait >= request.timeoutMs
          ? { kind: 'lost', cause: 'no answer in time' }
          : { kind: 'answer', status: given.status, headers: given.headers, body: given.body },
      );
    });
    return promise;
  }

  socket(request: SocketRequest, events: SocketEvents): WireSocket {
    const refused = this.#isDown || this.#faults.strikes('socket refused', this.faults.socketRefused);
    const socket = new VirtualSocket(request.url, events, this.#o, this.#faults, () =>
      this.#sockets.delete(socket),
    );
    this.#sockets.add(socket);
    socket.open(refused, this.#faults.delay());
    return socket;
  }

  #execute(request: WireRequest): EmulatorAnswer {
    const { method, path, headers, body } = request;
    const small = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const answer = this.#o.emulator.request({ method, path, headers: small, body });
    this.#o.seen?.(request, answer);
    return answer;
  }
}

class VirtualSocket implements WireSocket {
  readonly url: string;
  readonly #events: SocketEvents;
  readonly #o: EmulatorNetOptions;
  readonly #faults: Faults;
  readonly #gone: () => void;
  #session: SocketSession | null = null;
  #isOpen = false;
  #isEnded = false;
  /** Arrival time of the newest message on its way, by the monotonic clock. */
  #arrival = 0;
  #cutTimer: Cancelable | null = null;

  constructor(url: string, events: SocketEvents, o: EmulatorNetOptions, faults: Faults, gone: () => void) {
    this.url = url;
    this.#events = events;
    this.#o = o;
    this.#faults = faults;
    this.#gone = gone;
  }

  open(refused: boolean, delayMs: number): void {
    const { clock } = this.#o;
    clock.after(delayMs, () => {
      if (this.#isEnded) return;
      const path = this.url.replace(/^wss?:\/\/[^/]+/, '') || '/';
      if (refused) {
        this.cut('connect ECONNREFUSED');
        return;
      }
      const session = this.#dial(path);
      if (!session) return;
      this.#session = session;
      this.#isOpen = true;
      this.#events.opened();
      const cutAfter = this.#faults.cutAfter();
      if (cutAfter > 0)
        this.#cutTimer = clock.after(cutAfter, () => {
          this.#o.struck?.('socket cut');
          this.cut('socket hang up');
        });
    });
  }

  /** Opens the exchange's end; null: the handshake was refused. */
  #dial(path: string): SocketSession | null {
    try {
      const session = this.#o.emulator.connect(path, {
        message: (text) => this.#deliver(text),
        ping: () => this.#later(() => this.#pong()),
        close: (code, reason) => this.#later(() => this.cut(`closed by the other side: ${code} ${reason}`)),
      });
      if (!session) this.cut('the handshake was refused: 404', { status: 404, headers: {} });
      return session;
    } catch (error) {
      if (!isRefusedHandshake(error)) throw error;
      this.cut(`the handshake was refused: ${error.status}`, error);
      return null;
    }
  }

  send(text: string): boolean {
    if (!this.#isOpen) return false;
    this.#o.clock.after(this.#faults.delay(), () => {
      if (this.#isOpen) this.#session?.message(text);
    });
    return true;
  }

  close(): void {
    this.#end();
  }

  /** Breaks the connection: the client is told, the exchange too. */
  cut(cause: string, refusal?: SocketRefusal): void {
    if (this.#isEnded) return;
    this.#end();
    this.#events.closed(cause, refusal && { status: refusal.status, headers: refusal.headers });
  }

  /** A ping is answered: `Net` does that before the adapter sees it. */
  #pong(): void {
    const session = this.#session;
    this.#after(this.#faults.delay(), () => session?.ponged());
    this.#events.pinged();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#isOpen = false;
    this.#cutTimer?.cancel();
    this.#session?.closed();
    this.#gone();
  }

  #deliver(text: string): void {
    const faults = this.#faults;
    const { duplicate, swapped, messageLost } = faults.plan;
    const { clock } = this.#o;
    const hand = () => this.#events.message(text);
    if (faults.strikes('message lost', messageLost)) return;
    const stall = faults.stall();
    if (stall > 0) this.#arrival = Math.max(this.#arrival, clock.monotonic()) + stall;
    if (faults.strikes('messages swapped', swapped))
      this.#after(Math.max(this.#arrival - clock.monotonic(), 0) + faults.delay() + 5, hand);
    else this.#later(hand);
    if (faults.strikes('message twice', duplicate)) this.#later(hand);
  }

  /** Runs later, in order with everything else on this socket. */
  #later(run: () => void): void {
    const now = this.#o.clock.monotonic();
    this.#arrival = Math.max(this.#arrival, now + this.#faults.delay());
    this.#after(this.#arrival - now, run);
  }

  #after(ms: number, run: () => void): void {
    this.#o.clock.after(ms, () => {
      if (!this.#isEnded) run();
    });
  }
}
