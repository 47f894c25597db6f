/**
 * One desk's connection to the network: it can die at every request, its sockets die with it, and messages
 * that come while its machine sleeps are lost together with their connection.
 */
import type {
  Net,
  SocketEvents,
  SocketRequest,
  WireAnswer,
  WireRequest,
  WireSocket,
} from '../../../src/venues/kit/net.ts';
import type { CrashPoint } from '../plan.ts';
import type { Life, SimClock } from '../sim-clock.ts';

export interface LifeNetOptions {
  readonly net: Net;
  readonly clock: SimClock;
  readonly life: Life;
  /** Called at each crash point; may end the life. */
  readonly point: (point: CrashPoint) => void;
}

export class LifeNet implements Net {
  readonly #o: LifeNetOptions;
  readonly #sockets = new Set<WireSocket>();

  constructor(options: LifeNetOptions) {
    this.#o = options;
  }

  /** Ends everything: the process is gone. */
  die(): void {
    for (const socket of this.#sockets) socket.close();
    this.#sockets.clear();
  }

  request(request: WireRequest): Promise<WireAnswer> {
    const { net, life, clock, point } = this.#o;
    const never = new Promise<never>(() => {});
    if (!life.alive) return never;
    point('call.before');
    if (!life.alive) return never;
    const answered = net.request(request);
    point('call.after');
    return new Promise((resolve) => {
      void answered.then((answer) => {
        if (!life.alive) return;
        if (clock.awake(life)) resolve(answer);
        else this.#atWaking(() => resolve({ kind: 'lost', cause: 'read ECONNRESET' }));
      });
    });
  }

  socket(request: SocketRequest, events: SocketEvents): WireSocket {
    const { net, life, clock } = this.#o;
    let isOver = !life.alive;
    const end = (tell?: () => void) => {
      if (isOver) return;
      isOver = true;
      this.#sockets.delete(inner);
      inner.close();
      tell?.();
    };
    /** Runs an event of a socket; while the machine sleeps the event is lost, and the connection with it. */
    const awake = (run: () => void) => {
      if (isOver || !life.alive) return;
      if (clock.awake(life)) run();
      else this.#atWaking(() => end(() => events.closed('read ECONNRESET')));
    };
    const inner: WireSocket = net.socket(request, {
      opened: () => awake(() => events.opened()),
      message: (text) => awake(() => events.message(text)),
      pinged: () => awake(() => events.pinged()),
      closed: (cause) => awake(() => end(() => events.closed(cause))),
    });
    this.#sockets.add(inner);
    return { send: (text) => !isOver && clock.awake(life) && inner.send(text), close: () => end() };
  }

  #atWaking(run: () => void): void {
    const { clock, life } = this.#o;
    const again = () => (clock.awake(life) ? run() : this.#atWaking(run));
    clock.after((life.asleepUntil ?? 0) - clock.now, again, life);
  }
}
