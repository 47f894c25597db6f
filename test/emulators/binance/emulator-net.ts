/**
 * The network between an adapter and the emulator, without sockets: `Net` of the kit on a virtual clock, with faults that are drawn
 * from a seed. What is lost here is lost as on a wire: a request may have been executed although its answer never comes.
 */
import type { Cancelable, Clock } from '../../../src/domain/clock.ts';
import type {
  Net,
  SocketEvents,
  SocketRequest,
  WireAnswer,
  WireRequest,
  WireSocket,
} from '../../../src/venues/kit/net.ts';
import type { Dice } from '../../simulation/dice.ts';
import type { BinanceEmulator } from './emulator.ts';
import type { EmulatorAnswer, SocketSession } from './wire.ts';

/** Chances are of one request, or of one message of a socket. All default to none. */
export interface NetFaults {
  /** One way, ms: least and most. */
  readonly delayMs?: readonly [number, number];
  /** No connection is made: not a byte leaves. */
  readonly unsent?: number;
  /** It never arrives; the caller waits in vain. */
  readonly requestLost?: number;
  /** It is executed, its answer is lost. */
  readonly answerLost?: number;
  /** It is executed, and answered with 503 or 504 "execution status unknown". */
  readonly executedUnknown?: number;
  /** It is not executed: 503, documented as failed. */
  readonly failed?: number;
  /** It is not executed: an HTML page of the gate in front, 403, 502 or 200. */
  readonly htmlPage?: number;
  /** 429 with Retry-After, not executed. */
  readonly limited?: number;
  /** 418 with Retry-After, for everything that follows as well. */
  readonly banned?: number;
  /** Answer and events change places: an answer waits so long, ms at most. */
  readonly lateAnswer?: readonly [number, number];
  /** Mean time between cuts of one socket, ms; 0: never. */
  readonly cutEveryMs?: number;
  /** A socket does not open. */
  readonly socketRefused?: number;
  /** A message comes twice. */
  readonly duplicate?: number;
  /** A message comes after the one behind it. */
  readonly swapped?: number;
  /** A message and all behind it come so much later, ms at most. */
  readonly stall?: readonly [number, number];
  /** A message is lost, the socket stays open. */
  readonly messageLost?: number;
}

export interface EmulatorNetOptions {
  readonly emulator: BinanceEmulator;
  readonly clock: Clock;
  readonly dice: Dice;
  readonly faults?: NetFaults;
  /** Hears of every fault that strikes. */
  readonly struck?: (fault: string) => void;
  /** Hears of every request that reaches the exchange. */
  readonly seen?: (request: WireRequest, answer: EmulatorAnswer) => void;
}

const GATE_PAGE = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';

export class EmulatorNet implements Net {
  readonly #o: EmulatorNetOptions;
  readonly #sockets = new Set<VirtualSocket>();
  faults: NetFaults;
  /** Nothing gets through, and every socket is dead. */
  #isDown = false;

  constructor(o: EmulatorNetOptions) {
    this.#o = o;
    this.faults = o.faults ?? {};
  }

  /** The line is cut or mended. */
  set down(isDown: boolean) {
    this.#isDown = isDown;
    if (isDown) this.cut('the network is down');
  }

  /** Ends every socket, or those whose URL has the text in it. */
  cut(cause: string, inUrl = ''): void {
    for (const socket of [...this.#sockets]) if (socket.url.includes(inUrl)) socket.cut(cause);
  }

  get sockets(): number {
    return this.#sockets.size;
  }

  request(request: WireRequest): Promise<WireAnswer> {
    const { promise, resolve } = Promise.withResolvers<WireAnswer>();
    const { clock, dice } = this.#o;
    const faults = this.faults;
    const later = (ms: number, answer: () => WireAnswer) => clock.after(ms, () => resolve(answer()));
    const strikes = (name: string, chance: number | undefined) => {
      if (chance === undefined || chance <= 0 || !dice.chance(chance)) return false;
      this.#o.struck?.(name);
      return true;
    };
    if (this.#isDown || strikes('unsent', faults.unsent)) {
      later(this.#delay(), () => ({ kind: 'unsent', cause: 'connect ECONNREFUSED' }));
      return promise;
    }
    if (strikes('request lost', faults.requestLost)) {
      later(request.timeoutMs, () => ({ kind: 'lost', cause: 'no answer in time' }));
      return promise;
    }
    const instead = this.#gate(strikes);
    clock.after(this.#delay(), () => {
      const answer = instead ?? this.#execute(request);
      if (instead === null && strikes('answer lost', faults.answerLost)) {
        later(request.timeoutMs, () => ({ kind: 'lost', cause: 'socket hang up' }));
        return;
      }
      const unknown = instead === null && strikes('executed, status unknown', faults.executedUnknown);
      const given = unknown ? this.#unknown() : answer;
      const extra = faults.lateAnswer ? dice.int(...faults.lateAnswer) : 0;
      if (extra > 0) this.#o.struck?.('late answer');
      const wait = Math.min(this.#delay() + extra, request.timeoutMs);
      later(wait, () =>
        wait >= request.timeoutMs
          ? { kind: 'lost', cause: 'no answer in time' }
          : { kind: 'answer', status: given.status, headers: given.headers, body: given.body },
      );
    });
    return promise;
  }

  socket(request: SocketRequest, events: SocketEvents): WireSocket {
    const refused = this.#isDown || (this.faults.socketRefused ?? 0) > this.#o.dice.next();
    const socket = new VirtualSocket(
      request.url,
      events,
      this.#o,
      () => this.faults,
      () => this.#sockets.delete(socket),
    );
    if (refused) this.#o.struck?.('socket refused');
    this.#sockets.add(socket);
    socket.open(refused, this.#delay());
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

  /** What the gate in front of the exchange says instead of it; null: it lets the request through. */
  #gate(strikes: (name: string, chance: number | undefined) => boolean): EmulatorAnswer | null {
    const { dice, emulator } = this.#o;
    const { faults } = this;
    const json = (status: number, code: number, msg: string, headers = {}): EmulatorAnswer => ({
      status,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ code, msg }),
    });
    if (strikes('failed, not executed', faults.failed))
      return json(
        503,
        -1008,
        'Server is currently overloaded with other requests. Please try again in a few minutes.',
      );
    if (strikes('HTML page', faults.htmlPage))
      return {
        status: dice.pick([403, 502, 200]),
        headers: { 'content-type': 'text/html' },
        body: GATE_PAGE,
      };
    if (strikes('limited', faults.limited))
      return json(429, -1003, 'Too many requests; please use WebSocket Streams for live updates.', {
        'retry-after': '3',
      });
    if (strikes('banned', faults.banned)) {
      const until = emulator.now() + 5_000;
      emulator.spotLimits.ban(until);
      emulator.futuresLimits.ban(until);
      return json(418, -1003, `Way too many requests; IP banned until ${until}.`, { 'retry-after': '5' });
    }
    return null;
  }

  #unknown(): EmulatorAnswer {
    const bodies = [
      [503, { code: -1000, msg: 'Unknown error, please check your request or try again later.' }],
      [
        504,
        {
          code: -1007,
          msg: 'Timeout waiting for response from backend server. Send status unknown; execution status unknown.',
        },
      ],
      [502, null],
    ] as const;
    const [status, body] = this.#o.dice.pick(bodies);
    return body === null
      ? { status, headers: { 'content-type': 'text/html' }, body: GATE_PAGE }
      : { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  }

  #delay(): number {
    const [least, most] = this.faults.delayMs ?? [1, 1];
    return this.#o.dice.int(least, most);
  }
}

class VirtualSocket implements WireSocket {
  readonly url: string;
  readonly #events: SocketEvents;
  readonly #o: EmulatorNetOptions;
  readonly #faults: () => NetFaults;
  readonly #gone: () => void;
  #session: SocketSession | null = null;
  #isOpen = false;
  #isEnded = false;
  /** When the newest message on its way arrives, by the monotonic clock. */
  #arrival = 0;
  #cutTimer: Cancelable | null = null;

  constructor(
    url: string,
    events: SocketEvents,
    o: EmulatorNetOptions,
    faults: () => NetFaults,
    gone: () => void,
  ) {
    this.url = url;
    this.#events = events;
    this.#o = o;
    this.#faults = faults;
    this.#gone = gone;
  }

  open(refused: boolean, delayMs: number): void {
    const { clock, dice, emulator } = this.#o;
    clock.after(delayMs, () => {
      if (this.#isEnded) return;
      const path = this.url.replace(/^wss?:\/\/[^/]+/, '') || '/';
      const session = refused
        ? null
        : emulator.connect(path, {
            message: (text) => this.#deliver(text),
            ping: () => this.#later(() => this.#pong()),
            close: (code, reason) =>
              this.#later(() => this.cut(`closed by the other side: ${code} ${reason}`)),
          });
      if (!session) {
        this.cut(refused ? 'connect ECONNREFUSED' : 'the handshake was refused: 404');
        return;
      }
      this.#session = session;
      this.#isOpen = true;
      this.#events.opened();
      const { cutEveryMs = 0 } = this.#faults();
      if (cutEveryMs > 0)
        this.#cutTimer = clock.after(dice.int(1, cutEveryMs * 2), () => {
          this.#o.struck?.('socket cut');
          this.cut('socket hang up');
        });
    });
  }

  send(text: string): boolean {
    if (!this.#isOpen) return false;
    this.#o.clock.after(this.#delay(), () => {
      if (this.#isOpen) this.#session?.message(text);
    });
    return true;
  }

  close(): void {
    this.#end();
  }

  /** The line breaks: the client hears of it, the exchange too. */
  cut(cause: string): void {
    if (this.#isEnded) return;
    this.#end();
    this.#events.closed(cause);
  }

  /** `Net` has answered it before the adapter hears of it. */
  #pong(): void {
    const session = this.#session;
    this.#after(this.#delay(), () => session?.ponged());
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
    const { dice } = this.#o;
    const { duplicate = 0, swapped = 0, messageLost = 0, stall } = this.#faults();
    const hand = () => this.#events.message(text);
    if (messageLost > 0 && dice.chance(messageLost)) {
      this.#o.struck?.('message lost');
      return;
    }
    if (stall && dice.chance(0.01)) {
      this.#o.struck?.('stall');
      this.#arrival = Math.max(this.#arrival, this.#o.clock.monotonic()) + dice.int(...stall);
    }
    if (swapped > 0 && dice.chance(swapped)) {
      this.#o.struck?.('messages swapped');
      this.#after(Math.max(this.#arrival - this.#o.clock.monotonic(), 0) + this.#delay() + 5, hand);
    } else this.#later(hand);
    if (duplicate > 0 && dice.chance(duplicate)) {
      this.#o.struck?.('message twice');
      this.#later(hand);
    }
  }

  /** In order with everything else of this socket. */
  #later(run: () => void): void {
    const now = this.#o.clock.monotonic();
    this.#arrival = Math.max(this.#arrival, now + this.#delay());
    this.#after(this.#arrival - now, run);
  }

  #after(ms: number, run: () => void): void {
    this.#o.clock.after(ms, () => {
      if (!this.#isEnded) run();
    });
  }

  #delay(): number {
    const [least, most] = this.#faults().delayMs ?? [1, 1];
    return this.#o.dice.int(least, most);
  }
}
