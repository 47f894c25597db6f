/**
 * The gate between the mirror and a slow link. After a frame the terminal is asked for its state (CSI 5 n); its answer
 * (CSI 0 n) says that it has drawn everything before. Whoever waits for `drawn` never sends more than the link carries,
 * whatever lies between (research, console-and-style.md A3). Also makes one write of all that one turn
 * writes, in as few bytes as draw the same. A
 * terminal that never answers is not waited for.
 */
import { squeeze } from './squeeze.ts';

/** How long an answer is waited for, and how many questions a terminal may leave unanswered before it is asked no more. */
export const ANSWER_LIMIT_MS = 2_000;
const SILENT_AFTER = 3;

const QUESTION = '\x1b[5n';
const ANSWER = '\x1b[0n';

export interface Gate {
  /** The streams to give to Ink: the terminal's answers do not come out of the one, the other knows what was written. */
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Resolves once the terminal has drawn what was written, or is not known to tell. */
  drawn(): Promise<void>;
  /** Nobody waits any more. */
  close(): void;
}

export function createGate(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  limitMs = ANSWER_LIMIT_MS,
): Gate {
  let written = false;
  let answers = 0;
  let unanswered = 0;
  let waiting: (() => void) | null = null;
  let corked = false;
  let closed = false;

  const settle = (): void => {
    const done = waiting;
    waiting = null;
    done?.();
  };
  const answered = (): void => {
    answers++;
    unanswered = 0;
    settle();
  };
  const uncork = (): void => {
    corked = false;
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
    stdin: withMethod(stdin, 'read', (size?: number) => readKeys(stdin, size, answered)),
    stdout: withMethod(stdout, 'write', write),
    async drawn() {
      if (!written || closed || (answers === 0 && unanswered >= SILENT_AFTER)) return;
      written = false;
      unanswered++;
      stdout.write(QUESTION);
      // Until it has answered once nobody knows whether it ever will.
      if (answers === 0) return;
      settle();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting = resolve;
      const limit = setTimeout(settle, limitMs);
      await promise;
      clearTimeout(limit);
    },
    close() {
      closed = true;
      settle();
    },
  };
}

/** What has come less the terminal's answers, null when nothing is left. */
function readKeys(stdin: NodeJS.ReadStream, size: number | undefined, answered: () => void): unknown {
  for (;;) {
    const chunk: unknown = stdin.read(size);
    if (chunk === null) return null;
    const text = String(chunk);
    if (!text.includes(ANSWER)) return chunk;
    answered();
    const keys = text.replaceAll(ANSWER, '');
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
