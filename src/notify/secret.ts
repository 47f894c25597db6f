/** A text that must not be seen: whatever prints it by accident prints `***`. Only `reveal` gives it away. */
import { inspect } from 'node:util';

const HIDDEN = '***';

export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** For the one place that needs it. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
