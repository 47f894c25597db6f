/**
 * Decides when an account is asked again because of what was reported of its orders: for some of it nobody
 * can say whether the known balances include it already (R9), and until that is known it counts only where it
 * reduces them. Balances and positions are asked for at once; a comparison of the whole account decides what
 * is still in doubt after that.
 */
import type { Clock } from '../../domain/clock.ts';
import type { AccountMemory } from '../../engine/memory.ts';
import type { Turn } from './turn.ts';

/**
 * Shortest time between two questions for balances because of a doubt, ms: an exchange that reports late
 * would otherwise be asked for each fill.
 */
const HELD_AGAIN_MS = 1_000;

export interface DoubtOptions {
  readonly clock: Clock;
  readonly turn: Turn;
  readonly exchange: string;
  /** Asks for balances and positions. False: a question failed. */
  readonly ask: () => Promise<boolean>;
  /** Has the account compared soon. */
  readonly compare: () => void;
}

export class BalanceDoubt {
  readonly #options: DoubtOptions;
  /** The account is being asked, or will be, because of a doubt. */
  #settles = false;
  /** Monotonic time of the last question. */
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DoubtOptions) {
    this.#options = options;
  }

  /** Called when something has been reported of the account. */
  look(): void {
    if (this.#settles || !this.#account.wallet.untold.hasDoubt) return;
    this.#settles = true;
    // Reports of one turn are handled together.
    this.#options.clock.endOfTurn(() => void this.#settle());
  }

  /** Called when a comparison begins: it asks by itself. */
  begins(): void {
    this.#settles = true;
  }

  /** Called when the comparison has ended; it makes sure that another one follows where needed. */
  ends(): void {
    this.#settles = this.#account.wallet.untold.hasDoubt;
  }

  /**
   * Settles the doubt; `turn` counts this as work under way, so whoever waits for the account waits for it.
   */
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

  /** False: there was no answer, or it may be older than what was reported meanwhile. */
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
