/**
 * The operators of a desk: kept in its store; the sessions are told of changes. A change counts once it is
 * stored.
 */
import { Operators } from '../../access/operators.ts';
import type { Clock } from '../../domain/clock.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { OperatorForm, OperatorRecord } from '../../domain/operator.ts';
import type { Row } from '../../domain/rows.ts';
import type { Store } from '../../store/store.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { Roster } from '../running.ts';

export interface DeskOperatorsGiven {
  readonly store: Pick<Store, 'operators'>;
  readonly clock: Clock;
  readonly core: () => DeskCore;
}

export class DeskOperators implements Roster {
  readonly #given: DeskOperatorsGiven;
  readonly #operators: Operators;
  readonly #listeners: (() => void)[] = [];

  constructor(given: DeskOperatorsGiven) {
    this.#given = given;
    this.#operators = new Operators(given.store.operators());
  }

  list(): readonly OperatorRecord[] {
    return this.#operators.list();
  }

  standing(name: string): ReturnType<Roster['standing']> {
    const now = this.#operators.standing(name, this.#given.clock.wall());
    if ('refused' in now) return now;
    return { role: now.role, expiresAt: this.#operators.get(name)?.expiresAt ?? null };
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async set(
    { replace, ...form }: OperatorForm & { replace?: boolean },
    by: string,
  ): Promise<Outcome<OperatorRecord>> {
    const change = this.#operators.set(form, this.#given.clock.wall(), replace === true);
    if (!change.ok) return change;
    const { operator, rows } = change.data;
    const stored = await this.#store(rows);
    if (!stored.ok) return stored;
    this.#operators.take(change.data);
    const { name, role, key } = operator;
    this.#told(`${name} may log in as ${role} with ${key.fingerprint}, asked by ${by}`);
    return ok(operator);
  }

  async remove(name: string, by: string): Promise<Outcome<{ name: string }>> {
    const change = this.#operators.remove(name);
    if (!change.ok) return change;
    const stored = await this.#store(change.data.rows);
    if (!stored.ok) return stored;
    this.#operators.drop(name);
    this.#told(`${name} is no operator any more, asked by ${by}`);
    return ok({ name });
  }

  async #store(rows: readonly Row[]): Promise<Outcome<null>> {
    const { turn } = this.#given.core();
    turn.store([...rows], true);
    try {
      await turn.read(() => {});
      return ok(null);
    } catch {
      return refuse('SERVICE_UNAVAILABLE', 'the change could not be stored and was not made; try again');
    }
  }

  #told(text: string): void {
    this.#given.core().report('warn', 'operator', text);
    for (const listener of this.#listeners) listener();
  }
}
