/**
 * Collects what is wrong or unusual while settings are compiled: every problem, not only the first
 * (strategies.md 2, run rule 1). Pure.
 */
import type { Problem } from './compiled.ts';

/** Longer lists do not help; each list ends there. */
const MAX_PROBLEMS = 300;
const MAX_WARNINGS = 100;
const MORE: Problem = { path: '', message: 'and more problems' };

export class Check {
  readonly #problems: Problem[] = [];
  readonly #warnings: Problem[] = [];
  /** Paths whose value could not be read. */
  readonly #unread = new Set<string>();
  #dropped = false;

  /** Adds a problem for a value that is missing or unreadable: checks that need it are skipped. */
  problem(path: string, message: string): void {
    this.#unread.add(path);
    this.refuse(path, message);
  }

  /**
   * Adds a problem for a value that is readable but not allowed. Checks that need a price or a balance may
   * still use it.
   */
  refuse(path: string, message: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ path, message });
    else this.#dropped = true;
  }

  warn(path: string, message: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push({ path, message });
  }

  /** Returns true when everything at and below this path could be read. */
  isReadable(path: string): boolean {
    if (path === '') return this.#unread.size === 0;
    for (const unread of this.#unread) {
      if (!unread.startsWith(path)) continue;
      const next = unread.charAt(path.length);
      if (next === '' || next === '.' || next === '[') return false;
    }
    return true;
  }

  /** True when more warnings would not be kept, so that searching for them is useless. */
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

/**
 * Joins problems as `path: reason; path: reason`; a problem whose message contains its place has no path.
 * Duplicates are left out.
 */
export function problemsText(problems: readonly Problem[]): string {
  const texts = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return [...new Set(texts)].join('; ');
}
