/**
 * The gate between the mirror and a slow link. After a frame the terminal is asked for its state (CSI 5 n);
 * its response (CSI 0 n) means that it has drawn everything before. A caller that waits for `drawn` never
 * sends more than the link carries, whatever lies between (borders.md 6). A terminal that never responds is
 * not waited for. Also combines all writes of one turn of the event loop into one, in fewer bytes that draw
 * the same.
 */
import { compactFrame } from './frame-diff.ts';

/** How long to wait for a response, and after how many requests without any response no more are sent. */
export const ANSWER_LIMIT_MS = 2_000;
const SILENT_AFTER = 3;
/** How long to wait for the last responses before another program reads the terminal's keys. */
export const QUIET_LIMIT_MS = 250;

const QUESTION = '\x1b[5n';
const ANSWER = '\x1b[0n';

export interface Gate {
  /**
   * The streams to pass to Ink: `stdin` without the terminal's responses, and `stdout`, which tracks what was
   * written.
   */
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /**
   * Resolves once the terminal has drawn everything written, or does not report it. The request is sent
   * together with what is written until `flush` is done: this takes one packet, and wakes one process less.
   */
  drawn(flush?: () => Promise<void>): Promise<void>;
  /** Ends all waiting; no more requests are sent. */
  close(): void;
  /**
   * Resolves once no response is outstanding, after QUIET_LIMIT_MS at most: the next reader of the terminal
   * (a shell, an editor) would take it for keys. Keys must still be read until then.
   */
  quiet(): Promise<void>;
}

export interface GateOptions {
  /** Removes input meant for other parts from a piece of keys, and returns the rest. @default all of it */
  readonly taken?: (piece: string) => string;
  /**
   * False while another program uses the terminal: it would take the responses for keys. @default always true
   */
  readonly mayAsk?: () => boolean;
}

export function createGate(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  { taken = (piece) => piece, mayAsk = () => true }: GateOptions = {},
): Gate {
  let written = false;
  let questions = 0;
  let answers = 0;
  let unanswered = 0;
  /**
   * Waiting callers, with the number of the request whose response says that everything before it is drawn.
   */
  const waiting = new Map<() => void, number>();
  let corked = false;
  let closed = false;
  /** Number of callers that wait for `flush`, to wait then until its output is drawn. */
  let flushing = 0;

  const settle = (upTo: number): void => {
    for (const [done, question] of waiting) {
      if (question > upTo) continue;
      waiting.delete(done);
      done();
    }
  };
  const quiet = new Set<() => void>();
  const answered = (count: number): void => {
    answers += count;
    unanswered = 0;
    settle(answers);
    if (answers >= questions) for (const done of quiet) done();
  };
  const silent = (): boolean => answers === 0 && unanswered >= SILENT_AFTER;
  const asks = (): boolean => !closed && !silent() && mayAsk();
  const ask = (): void => {
    written = false;
    questions++;
    unanswered++;
    stdout.write(QUESTION);
  };
  const uncork = (): void => {
    corked = false;
    if (written && flushing > 0 && asks()) ask();
    stdout.uncork?.();
  };
  const write = (...args: Parameters<NodeJS.WriteStream['write']>): boolean => {
    if (args[0] !== '') written = true;
    if (!corked && stdout.cork) {
      corked = true;
      stdout.cork();
      process.nextTick(uncork);
    }
    const [text, ...rest] = args;
    return stdout.write(typeof text === 'string' ? compactFrame(text) : text, ...rest);
  };

  return {
    stdin: withMethod(stdin, 'read', (size?: number) => readKeys(stdin, size, answered, taken)),
    stdout: withMethod(stdout, 'write', write),
    async drawn(flush) {
      if (flush) {
        flushing++;
        await flush().finally(() => flushing--);
      }
      if (!asks()) return;
      if (written) ask();
      // Before its first response nobody knows whether the terminal will ever respond.
      if (answers === 0 || answers >= questions) return;
      const question = questions;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(resolve, question);
      const limit = setTimeout(() => {
        // A lost response is not waited for again.
        answers = Math.max(answers, question);
        settle(answers);
      }, ANSWER_LIMIT_MS);
      await promise;
      clearTimeout(limit);
    },
    close() {
      closed = true;
      settle(questions);
    },
    async quiet() {
      if (answers >= questions || silent() || stdin.destroyed || stdin.readableEnded) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      quiet.add(resolve);
      const limit = setTimeout(resolve, QUIET_LIMIT_MS);
      await promise;
      clearTimeout(limit);
      quiet.delete(resolve);
    },
  };
}

/**
 * Reads input without the terminal's responses and without what `taken` removes; null when nothing is left.
 */
function readKeys(
  stdin: NodeJS.ReadStream,
  size: number | undefined,
  answered: (count: number) => void,
  taken: (piece: string) => string,
): unknown {
  for (;;) {
    const chunk: unknown = stdin.read(size);
    if (chunk === null) return null;
    const parts = String(chunk).split(ANSWER);
    if (parts.length > 1) answered(parts.length - 1);
    const keys = taken(parts.join(''));
    if (keys !== '') return keys;
  }
}

/** The stream with one method replaced. */
function withMethod<T extends object>(stream: T, name: string, method: (...args: never[]) => unknown): T {
  return new Proxy(stream, {
    get(target, property) {
      if (property === name) return method;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (target, property, value) => Reflect.set(target, property, value, target),
  });
}
