/**
 * Bots and targets that the operator has muted: their alerts are kept and shown, but sent to nobody, and no
 * bell rings. Stored as meta `alert-mutes`, so that a restart does not wake anybody.
 */
import { type Outcome, ok, refuse } from '../../domain/errors.ts';

/** Ids of bots and names of targets, `bell` among them. */
export interface AlertMuteSet {
  readonly bots: readonly string[];
  readonly targets: readonly string[];
}

export interface MuteRequest {
  readonly kind: 'bot' | 'target';
  /** Id of a bot, or name of a target. */
  readonly id: string;
  readonly on: boolean;
}

export const META = 'alert-mutes';
/** Most muted ids of a kind: more than anybody has, so that a terminal cannot fill the store with them. */
const MOST = 1_000;
const NAME_LENGTH = 100;

export interface AlertMutesOptions {
  /** The stored document; anything other than a set of mutes counts as none. */
  readonly initial: unknown;
  readonly store: (value: AlertMuteSet) => void;
  readonly changed: () => void;
}

export class AlertMutes {
  readonly #o: AlertMutesOptions;
  #now: AlertMuteSet;

  constructor(options: AlertMutesOptions) {
    this.#o = options;
    const { bots, targets } = (options.initial ?? {}) as Partial<Record<keyof AlertMuteSet, unknown>>;
    this.#now = { bots: namesOf(bots), targets: namesOf(targets) };
  }

  get now(): AlertMuteSet {
    return this.#now;
  }

  isMuted(botId: string, target: string): boolean {
    return this.#now.bots.includes(botId) || this.#now.targets.includes(target);
  }

  set({ kind, id, on }: MuteRequest): Outcome<AlertMuteSet> {
    if (typeof id !== 'string' || id === '' || id.length > NAME_LENGTH)
      return refuse('INVALID_REQUEST', `id: 1 to ${NAME_LENGTH} characters`);
    const list = kind === 'bot' ? 'bots' : 'targets';
    const others = this.#now[list].filter((name) => name !== id);
    if (on && others.length >= MOST)
      return refuse('INVALID_REQUEST', `id: ${MOST} ${list} are muted already`);
    this.#put({ ...this.#now, [list]: on ? [...others, id].sort() : others });
    return ok(this.#now);
  }

  /** Removes the mute of a deleted bot. */
  gone(botId: string): void {
    if (this.#now.bots.includes(botId))
      this.#put({ ...this.#now, bots: this.#now.bots.filter((id) => id !== botId) });
  }

  #put(next: AlertMuteSet): void {
    this.#now = next;
    this.#o.store(next);
    this.#o.changed();
  }
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
