/** What is found wrong or odd while settings are compiled: every problem, not the first (strategies.md 2, run rule 1). Pure. */
import type { Problem } from './compiled.ts';

/** More than these help nobody; each list ends there. */
const MAX_PROBLEMS = 300;
const MAX_WARNINGS = 100;
const MORE: Problem = { path: '', message: 'and more problems' };

export class Check {
  readonly #problems: Problem[] = [];
  readonly #warnings: Problem[] = [];
  /** Paths whose value could not be read. */
  readonly #unread = new Set<string>();
  #dropped = false;

  /** A value is missing or no value at all: what it is needed for cannot be looked at. */
  problem(path: string, message: string): void {
    this.#unread.add(path);
    this.refuse(path, message);
  }

  /** The value is understood, and not allowed. Checks that need a price or a balance may still go on with it. */
  refuse(path: string, message: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ path, message });
    else this.#dropped = true;
  }

  warn(path: string, message: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push({ path, message });
  }

  /** Could everything at and below this path be read? */
  isReadable(path: string): boolean {
    if (path === '') return this.#unread.size === 0;
    for (const unread of this.#unread) {
      if (!unread.startsWith(path)) continue;
      const next = unread.charAt(path.length);
      if (next === '' || next === '.' || next === '[') return false;
    }
    return true;
  }

  /** Looking for more would be work for nothing. */
  get isFullOfWarnings(): boolean {
    return this.#warnings.length >= MAX_WARNINGS;
  }

  get problems(): readonly Problem[] {
    return this.#dropped ? [...this.#problems, MORE] : this.#problems;
  }

  get warnings(): readonly Problem[] {
    return this.#warnings;
  }
}

/** `path: reason; path: reason`; a problem that says where itself has no path. The same thing is said once. */
export function problemsText(problems: readonly Problem[]): string {
  const texts = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return [...new Set(texts)].join('; ');
}
