/**
 * The faults of a world's exchanges and how often each has struck: a fault that never struck was not tested.
 */
import {
  type EventFault,
  type EventKind,
  PaperFaults,
  type RequestFate,
} from '../../src/venues/paper/faults.ts';

/** By name of a fault: how often it struck in this seed. */
export type Strikes = Map<string, number>;

export function strike(strikes: Strikes, name: string): void {
  strikes.set(name, (strikes.get(name) ?? 0) + 1);
}

export class SimFaults extends PaperFaults {
  readonly #strikes: Strikes;
  readonly #hit: (kind: EventKind, fault: EventFault) => void;

  /** `hit`: called for every fault of an event. */
  constructor(
    random: { next(): number },
    strikes: Strikes,
    hit: (kind: EventKind, fault: EventFault) => void = () => {},
  ) {
    super(random);
    this.#strikes = strikes;
    this.#hit = hit;
  }

  override request(kind: 'submit' | 'cancel', validityWindowMs: number): RequestFate {
    const fate = super.request(kind, validityWindowMs);
    if (fate.fault !== 'none') strike(this.#strikes, fate.fault);
    if (fate.delayMs > 0 && fate.fault !== 'lateArrival') strike(this.#strikes, 'delay');
    return fate;
  }

  override event(kind: EventKind): EventFault | 'none' {
    const fault = super.event(kind);
    if (fault === 'none') return fault;
    strike(this.#strikes, fault);
    this.#hit(kind, fault);
    return fault;
  }

  override question(): boolean {
    const fails = super.question();
    if (fails) strike(this.#strikes, 'queryFails');
    return fails;
  }
}
