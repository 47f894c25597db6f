/**
 * For a terminal that can only write lines (TERM=dumb): where Ink would draw over the previous page, only the
 * new lines are written below it, or the whole page when most of it is new. No control sequence gets through.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what escape sequences are
const SEQUENCE = /\x1b(?:\[[0-9;?>=<$ ]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)/gs;
const CURSOR = 'selected: ';
/** Number of columns reported to Ink: the terminal wraps lines by itself, so Ink must not. */
const UNBROKEN = 10_000;

export interface LineTerminal {
  /** The stream to pass to Ink. */
  readonly stdout: NodeJS.WriteStream;
  /** Writes the next page whole. */
  forget(): void;
}

export function lineTerminal(stdout: NodeJS.WriteStream): LineTerminal {
  let shown: readonly string[] = [];
  const write = (given: unknown, ...rest: unknown[]): boolean => {
    const text = String(given).replace(SEQUENCE, '');
    const page = text.split('\n').map((line) => line.trimEnd());
    // Ink writes a page at once; its other output has no line feeds.
    if (page.length > 1) {
      const fresh = freshLines(shown, page);
      shown = page;
      return (stdout.write as (...args: unknown[]) => boolean)(
        fresh.map((line) => `${line}\n`).join(''),
        ...rest,
      );
    }
    return (stdout.write as (...args: unknown[]) => boolean)(text, ...rest);
  };
  return {
    stdout: new Proxy(stdout, {
      get(target, property) {
        if (property === 'write') return write;
        if (property === 'columns') return UNBROKEN;
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
    forget() {
      shown = [];
    },
  };
}

/** The lines of a page that were not on the previous one; all of them when most are new. */
function freshLines(before: readonly string[], page: readonly string[]): readonly string[] {
  const lines = page.filter((line) => line !== '');
  const known = new Map<string, number>();
  for (const line of before) known.set(line, (known.get(line) ?? 0) + 1);
  const fresh = lines.filter((line) => {
    const count = known.get(line) ?? 0;
    known.set(line, count - 1);
    return count <= 0;
  });
  if (fresh.length * 2 > lines.length) return lines;
  // A row that only lost the cursor is not new.
  return fresh.filter((line) => !before.includes(CURSOR + line));
}
