/** The close look of one terminal: one symbol at a time, as parts of its state messages. */
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { Look } from '../market/looks.ts';
import type { RunningDesk } from '../running.ts';
import type { LookRequest } from './look-views.ts';
import type { DeskDelta, DeskState } from './protocol.ts';

export class SessionLook {
  readonly #desk: Pick<RunningDesk, 'look'>;
  readonly #changed: () => void;
  #look: { readonly at: LookRequest; readonly look: Look } | null = null;
  /** The terminal has yet to be told that its look has ended. */
  #isOver = false;

  /** @param changed called when there is something new to send */
  constructor(desk: Pick<RunningDesk, 'look'>, changed: () => void) {
    this.#desk = desk;
    this.#changed = changed;
  }

  at(request: LookRequest): Outcome<null> {
    const now = this.#look;
    if (now && now.at.market === request.market && now.at.symbol === request.symbol)
      return now.look.frame(request.frameMs);
    const opened = this.#desk.look?.(request, this.#changed);
    if (!opened) return refuse('NOT_FOUND', 'this desk shows no market');
    if (!opened.ok) return opened;
    now?.look.end();
    this.#look = { at: request, look: opened.data };
    this.#isOver = false;
    this.#changed();
    return ok(null);
  }

  away(): void {
    if (!this.#look) return;
    this.#look.look.end();
    this.#look = null;
    this.#isOver = true;
    this.#changed();
  }

  /** Returns the part for a snapshot. */
  whole(): Pick<DeskState, 'look'> {
    this.#isOver = false;
    return this.#look ? { look: this.#look.look.whole() } : {};
  }

  /** Returns the part for a delta. */
  change(): Pick<DeskDelta, 'look'> {
    const isOver = this.#isOver;
    this.#isOver = false;
    if (!this.#look) return isOver ? { look: null } : {};
    const part = this.#look.look.take();
    return Object.keys(part).length === 0 ? {} : { look: part };
  }
}
