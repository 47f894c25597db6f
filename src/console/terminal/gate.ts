/**
 * The gate between the mirror and a slow link. After a frame the terminal is asked for its state (CSI 5 n); its answer
 * (CSI 0 n) says that it has drawn everything before. Whoever waits for `drawn` never sends more than the link carries,
 * whatever lies between (borders.md 6). A terminal that never answers is not waited for. Also makes
 * one write of all that one turn writes, in as few bytes as draw the same.
 */
import { squeeze } from './frame-diff.ts';

/** How long an answer is waited for, and how many questions a terminal may leave unanswered before it is asked no more. */
export const ANSWER_LIMIT_MS = 2_000;
const SILENT_AFTER = 3;
/** How long the terminal's last answers may be under way when somebody else is about to read its keys. */
export const QUIET_LIMIT_MS = 250;

const QUESTION = '\x1b[5n';
const ANSWER = '\x1b[0n';

export interface Gate {
  /** The streams to give to Ink: the terminal's answers do not come out of the one, the other knows what was written. */
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /**
   * Resolves once the terminal has drawn what was written, or is not known to tell. What is written until `flush` is done takes the
   * question with it: one packet on the way, and one process less that wakes for it.
   */
  drawn(flush?: () => Promise<void>): Promise<void>;
  /** Nobody waits any more, and nothing is asked any more. */
  close(): void;
  /**
   * Resolves once no answer is under way, QUIET_LIMIT_MS at most: whoever reads the terminal next (a shell, an editor)
   * would take it for keys. Keys must still be read until then.
   */
  quiet(): Promise<void>;
}

export interface GateOptions {
  /** What is left of a piece of keys once all that is for somebody else has been taken out. @default all of it */
  readonly taken?: (piece: string) => string;
  /** False while another program has the terminal, which would take the answers for keys. @default always true */
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
  /** Whoever waits, with the question whose answer says that all before it is drawn. */
  const waiting = new Map<() => void, number>();
  let corked = false;
  let closed = false;
  /** Of those who wait until something is written, to wait then until it is drawn. */
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
    return stdout.write(typeof text === 'string' ? squeeze(text) : text, ...rest);
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
      // Until it has answered once nobody knows whether it ever will.
      if (answers === 0 || answers >= questions) return;
      const question = questions;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(resolve, question);
      const limit = setTimeout(() => {
        // An answer that got lost is not waited for again.
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

/** What has come less the terminal's answers and what else is taken out, null when nothing is left. */
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

/** The stream itself in all but one method. */
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
