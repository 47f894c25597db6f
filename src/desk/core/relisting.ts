/**
 * Looks again at what an exchange trades while something is halted or not traded any more: a symbol that comes
 * back must not wait for the hourly reading of its adapter, since exits and stops of what is held in it wait as
 * well. Less and less often: most symbols that are gone stay gone.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import type { AccountMemory } from '../../engine/memory.ts';

const MINUTE_MS = 60_000;
/** The waits before each look, ms: together about an hour. */
const AGAIN_MS = [1, 1, 2, 4, 8, 16, 32].map((minutes) => minutes * MINUTE_MS);

export interface RelistingOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** The account as the engine has it now. */
  readonly memory: () => Pick<AccountMemory, 'instruments'>;
  /** Asks the adapter to read its list again. */
  readonly read: () => void;
}

export class Relisting {
  readonly #o: RelistingOptions;
  #gone: ReadonlySet<string> = new Set();
  #looks = 0;
  #timer: Cancelable | null = null;

  constructor(options: RelistingOptions) {
    this.#o = options;
  }

  /** Takes what is traded by now: after the account was opened and after each new list. */
  listed(): void {
    const all = [...this.#o.memory().instruments.values()];
    const waiting = all.filter(({ delisted, halt }) => delisted || halt !== undefined);
    const gone = new Set(waiting.map(({ symbol }) => symbol));
    const isNew = [...gone].some((symbol) => !this.#gone.has(symbol));
    this.#gone = gone;
    if (gone.size === 0) this.close();
    else if (isNew) {
      this.close();
      this.#looks = 0;
      this.#wait();
    }
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #wait(): void {
    const ms = AGAIN_MS[this.#looks];
    if (ms === undefined) return;
    this.#looks += 1;
    this.#timer = this.#o.clock.after(ms, () => {
      this.#timer = null;
      this.#wait();
      this.#o.read();
    });
  }
}
