/**
 * The PIN of the desk's own terminals (remote.md 3): Argon2id in the store, five tries, then longer and
 * longer pauses. It is not used over SSH: there the login is the proof.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { BackOff } from '../../access/vault/back-off.ts';
import {
  COST,
  type Cost,
  type Derive,
  deriveKey,
  isBearable,
  SALT_BYTES,
} from '../../access/vault/derive.ts';
import type { Clock } from '../../domain/clock.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { PinPort } from '../running.ts';

const META = 'pin';
/** Fewest characters of a PIN. */
const PIN_MIN = 4;
const PIN_MAX = 64;
/** Wrong tries before the pauses begin. */
const FREE_TRIES = 5;

interface StoredPin extends Cost {
  readonly salt: string;
  readonly hash: string;
}

export interface DeskPinGiven {
  readonly meta: ReadonlyMap<string, unknown>;
  readonly clock: Clock;
  readonly core: () => DeskCore;
  /** Tests use a cheaper one. */
  readonly derive?: Derive | undefined;
}

export class DeskPin implements PinPort {
  readonly #given: DeskPinGiven;
  readonly #backOff: BackOff;
  #pin: StoredPin | null;
  #wrong = 0;

  constructor(given: DeskPinGiven) {
    this.#given = given;
    this.#backOff = new BackOff(() => given.clock.monotonic());
    this.#pin = asPin(given.meta.get(META));
  }

  get isSet(): boolean {
    return this.#pin !== null;
  }

  async check(pin: string): Promise<Outcome<null>> {
    const stored = this.#pin;
    if (!stored) return ok(null);
    const waitMs = this.#wrong >= FREE_TRIES ? this.#backOff.waitMs : 0;
    if (waitMs > 0)
      return refuse('RATE_LIMITED', `too many wrong PINs; try again in ${Math.ceil(waitMs / 1_000)} s`);
    // Counted before it is checked: many tries at once count as many.
    this.#wrong += 1;
    this.#backOff.failed();
    const hash = await this.#derive(
      Buffer.from(pin.slice(0, PIN_MAX)),
      Buffer.from(stored.salt, 'base64'),
      stored,
    );
    if (pin.length > PIN_MAX || !timingSafeEqual(hash, Buffer.from(stored.hash, 'base64')))
      return refuse('FORBIDDEN', 'this is not the PIN');
    this.#wrong = 0;
    return ok(null);
  }

  async set(pin: string | null): Promise<Outcome<null>> {
    if (pin !== null && (pin.length < PIN_MIN || pin.length > PIN_MAX))
      return refuse('INVALID_REQUEST', `a PIN has ${PIN_MIN} to ${PIN_MAX} characters`, 'FIELD');
    const made = pin === null ? null : await this.#make(pin);
    const { turn } = this.#given.core();
    turn.store([{ kind: 'meta', name: META, value: made }], true);
    try {
      await turn.read(() => {});
    } catch {
      return refuse('SERVICE_UNAVAILABLE', 'the PIN could not be stored and was not changed; try again');
    }
    this.#pin = made;
    this.#wrong = 0;
    this.#given
      .core()
      .report(
        'warn',
        'operator',
        made ? 'a PIN is set for the desk’s own terminals' : 'the PIN is taken away',
      );
    return ok(null);
  }

  get #derive(): Derive {
    return this.#given.derive ?? deriveKey;
  }

  async #make(pin: string): Promise<StoredPin> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await this.#derive(Buffer.from(pin), salt, COST);
    return { ...COST, salt: salt.toString('base64'), hash: hash.toString('base64') };
  }
}

/**
 * Returns the stored PIN. Null: there is none, or it is damaged, which locks nobody out: whoever can write
 * the store controls the desk anyway.
 */
function asPin(value: unknown): StoredPin | null {
  if (typeof value !== 'object' || value === null) return null;
  const { memory, passes, lanes, salt, hash } = value as Record<string, unknown>;
  const cost = { memory, passes, lanes } as Cost;
  if (typeof salt !== 'string' || typeof hash !== 'string' || !isBearable(cost)) return null;
  return Buffer.from(hash, 'base64').length === 32 ? { ...cost, salt, hash } : null;
}
