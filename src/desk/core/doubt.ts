/**
 * When an account is asked again because of what was heard of its orders: of some of it nobody can say whether the balances that
 * were told know of it already (R9), and until that is known it counts only where it takes. What is held is asked at once, a
 * comparison of the account as a whole decides what then is in doubt still.
 */
import type { Clock } from '../../domain/clock.ts';
import type { AccountMemory } from '../../engine/memory.ts';
import type { Turn } from './turn.ts';

/** Between two questions for what is held because of a doubt, ms: an exchange that tells late would be asked for each fill. */
const HELD_AGAIN_MS = 1_000;

export interface DoubtOptions {
  readonly clock: Clock;
  readonly turn: Turn;
  readonly exchange: string;
  /** Asks what is held. False: a question failed. */
  readonly ask: () => Promise<boolean>;
  /** Has the account compared soon. */
  readonly compare: () => void;
}

export class Doubt {
  readonly #options: DoubtOptions;
  /** The account is being asked, or is going to be, as long as there is a doubt. */
  #settles = false;
  /** Monotonic. */
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DoubtOptions) {
    this.#options = options;
  }

  /** Something has been heard of the account. */
  look(): void {
    if (this.#settles || !this.#account.wallet.untold.hasDoubt) return;
    this.#settles = true;
    // What is told in one turn is told together.
    this.#options.clock.endOfTurn(() => void this.#settle());
  }

  /** A comparison begins: it asks by itself. */
  begins(): void {
    this.#settles = true;
  }

  /** It has ended, and sees to it that another one follows where there is need. */
  ends(): void {
    this.#settles = this.#account.wallet.untold.hasDoubt;
  }

  /** Whoever waits for the account waits for this. */
  async #settle(): Promise<void> {
    const { turn, exchange, compare } = this.#options;
    turn.begin(exchange);
    try {
      const inTime = await this.#askHeld();
      this.ends();
      if (this.#settles || !inTime) compare();
    } finally {
      turn.end(exchange);
    }
  }

  /** False: there was no answer, or it may be older than what was heard meanwhile. */
  async #askHeld(): Promise<boolean> {
    const now = this.#options.clock.monotonic();
    const { untold, versions } = this.#account.wallet;
    if (!untold.hasDoubt || now - this.#askedAt < HELD_AGAIN_MS) return true;
    this.#askedAt = now;
    const { undecided } = versions;
    return (await this.#options.ask()) && this.#account.wallet.versions.undecided === undecided;
  }

  get #account(): AccountMemory {
    const { turn, exchange } = this.#options;
    return turn.engine.memory.account(exchange);
  }
}
