import { beforeEach, describe, expect, test } from 'vitest';
import { type ConsoleLifeOptions, liveConsole, RESTART_INTERVAL_MS } from '../../src/cli/console-life.ts';
import type { DeskClient } from '../../src/desk/console/protocol.ts';
import type { DeskEnding } from '../../src/desk/hosting/host.ts';
import { LINE_LOST } from '../../src/desk/hosting/transports/line.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

type Action = 'detach' | 'stop' | 'hangup';

/** A promise and the way to settle it. */
function gate<T>() {
  return Promise.withResolvers<T>();
}

let clock: VirtualClock;
let deskEnds: PromiseWithResolvers<DeskEnding>;
let signal: PromiseWithResolvers<string>;
let hangUp: PromiseWithResolvers<void>;
/** One entry for each console shown, in order. */
let consoles: (PromiseWithResolvers<{ action: Action }> & {
  aborted: boolean;
  client: DeskClient;
  lose: (reason: string) => void;
})[];
let uncaught: (error: unknown) => void;
/** Events outside the console, in order. */
let log: string[];
/** Resolved, unless a test lets its desk open slowly. */
let opened: PromiseWithResolvers<void>;
let launcher: boolean;
let code: number | null;
let failure: unknown;
let flushes: number;

beforeEach(() => {
  clock = new VirtualClock();
  deskEnds = gate();
  opened = gate();
  opened.promise.catch(() => {});
  signal = gate();
  hangUp = gate();
  consoles = [];
  log = [];
  launcher = true;
  code = null;
  failure = null;
  flushes = 0;
  uncaught = () => {};
});

async function start(hosting: boolean, opening = false): Promise<void> {
  if (!opening) opened.resolve();
  /** Loses a connection: one function for each, in order. */
  const lose: ((reason: string) => void)[] = [];
  const options: ConsoleLifeOptions = {
    link: {
      hosting,
      opened: opened.promise,
      connect: async () => {
        await opened.promise;
        const client: DeskClient = {
          call: () => Promise.reject(new Error('not here')),
          onState: () => {},
          onClosed: (listener) => void lose.push(listener),
          touched: () => {},
          close: () => log.push('client closed'),
        };
        return client;
      },
      stop: async (_client, reason) => {
        await opened.promise;
        log.push(`desk stopped: ${reason}`);
        deskEnds.resolve({ reason, exitCode: 0 });
      },
      ended: hosting ? deskEnds.promise : new Promise(() => {}),
    },
    terminal: {
      gone: new Promise(() => {}),
      say: (line) => log.push(`say: ${line}`),
      restore: () => log.push('restored'),
      flush: async () => void flushes++,
      release: async () => void log.push('released'),
    },
    clock,
    show: (client, abort) => {
      const at = consoles.length;
      const shown = Object.assign(gate<{ action: Action }>(), {
        aborted: false,
        client,
        lose: (reason: string) => lose[at]?.(reason),
      });
      abort.addEventListener('abort', () => {
        shown.aborted = true;
        shown.resolve({ action: 'hangup' });
      });
      consoles.push(shown);
      return shown.promise;
    },
    terminated: signal.promise,
    hungUp: hangUp.promise,
    onUncaught: (listener) => {
      uncaught = listener;
      return () => {};
    },
    leaveShell: () => {
      log.push('shell left');
      return launcher;
    },
    attachCommand: 'outcry',
    pid: 42,
  };
  liveConsole(options).then(
    (result) => {
      code = result;
    },
    (error: unknown) => {
      failure = error;
    },
  );
  await clock.settle();
}

const leave = async (action: Action) => {
  consoles.at(-1)?.resolve({ action });
  await clock.settle();
};

describe('a console that hosts its desk', () => {
  test('stops it in order on stop, exit code 0', async () => {
    await start(true);
    await leave('stop');
    expect(log).toEqual(['desk stopped: stopped at the terminal']);
    expect(code).toBe(0);
  });

  test('lets the desk go on at detach, says how to come back, frees the shell and touches the terminal no more', async () => {
    await start(true);
    await leave('detach');
    expect(log).toEqual([
      'client closed',
      'say: The desk goes on without a terminal (process 42): "outcry" attaches to it, "kill 42" stops it.',
      'shell left',
      'released',
    ]);
    expect(code).toBeNull();
    signal.resolve('SIGTERM');
    await clock.settle();
    expect(log.at(-1)).toBe('desk stopped: SIGTERM');
    expect(code).toBe(0);
  });

  test('says how to free the shell where no launcher can', async () => {
    launcher = false;
    await start(true);
    await leave('detach');
    expect(log).toContainEqual(expect.stringContaining('press ctrl-z and enter "bg"'));
  });

  test('lets the desk go on when the terminal hangs up, without a word to it', async () => {
    await start(true);
    hangUp.resolve();
    await clock.settle();
    expect(consoles[0]?.aborted).toBe(true);
    expect(log).toEqual(['client closed', 'shell left', 'released']);
    deskEnds.resolve({ reason: 'the store is broken', exitCode: 1 });
    await clock.settle();
    expect(code).toBe(1);
  });

  test('stops it in order on a signal', async () => {
    await start(true);
    signal.resolve('SIGTERM');
    await clock.settle();
    expect(consoles[0]?.aborted).toBe(true);
    expect(log).toEqual(['client closed', 'desk stopped: SIGTERM']);
    expect(code).toBe(0);
  });

  test('says why the desk has ended when it did so by itself', async () => {
    await start(true);
    consoles[0]?.lose(LINE_LOST);
    deskEnds.resolve({ reason: "the desk's thread failed: a bug", exitCode: 1 });
    await clock.settle();
    expect(log).toContain("say: The desk has ended: the desk's thread failed: a bug");
    expect(code).toBe(1);
  });

  test('is started again when it fails, at most once in five seconds, while the desk trades on', async () => {
    await start(true);
    await clock.advance(RESTART_INTERVAL_MS);
    consoles[0]?.reject(new Error('render'));
    await clock.settle();
    expect(consoles).toHaveLength(2);
    expect(log).toEqual([
      'client closed',
      'restored',
      'say: The console has failed and starts again; the desk trades on. (render)',
    ]);
    uncaught(new Error('effect'));
    await clock.advance(RESTART_INTERVAL_MS - 1);
    expect(consoles).toHaveLength(2);
    await clock.advance(1);
    expect(consoles).toHaveLength(3);
    expect(code).toBeNull();
  });

  test('can be stopped while it waits to be started again', async () => {
    await start(true);
    consoles[0]?.reject(new Error('render'));
    await clock.settle();
    signal.resolve('SIGINT');
    await clock.settle();
    expect(log.at(-1)).toBe('desk stopped: SIGINT');
    expect(code).toBe(0);
  });

  test('gets its console back when only the line was lost', async () => {
    await start(true);
    consoles[0]?.lose('the desk could not tell its state; see the log');
    await clock.advance(2 * RESTART_INTERVAL_MS);
    expect(consoles).toHaveLength(2);
    expect(code).toBeNull();
  });
});

describe('a console whose desk is still opening', () => {
  const open = async () => {
    opened.resolve();
    await clock.settle();
  };

  test('is there, and what it asks waits for the desk', async () => {
    await start(true, true);
    expect(consoles).toHaveLength(1);
    const answer = consoles[0]?.client.call('desk.stop', {}).catch((error: Error) => error.message);
    await open();
    expect(await answer).toBe('not here');
  });

  test('leaves the screen before it says why the desk could not be opened', async () => {
    await start(true, true);
    const error = new Error('a desk already runs');
    opened.reject(error);
    await clock.settle();
    expect(consoles[0]?.aborted).toBe(true);
    expect([log, flushes]).toEqual([[], 1]);
    expect(failure).toBe(error);
  });

  test('that is left stops the desk as soon as it is open', async () => {
    await start(true, true);
    await leave('stop');
    expect(log).toEqual([]);
    await open();
    expect(log).toEqual(['desk stopped: stopped at the terminal']);
    expect(code).toBe(0);
  });

  test('that is told to end stops the desk as soon as it is open', async () => {
    await start(true, true);
    signal.resolve('SIGTERM');
    await clock.settle();
    expect(consoles[0]?.aborted).toBe(true);
    await open();
    expect(log).toContain('desk stopped: SIGTERM');
    expect(log).toContain('client closed');
    expect(code).toBe(0);
  });

  test('that loses its terminal lets the desk open and go on', async () => {
    await start(true, true);
    hangUp.resolve();
    await clock.settle();
    await open();
    expect(log).toContain('client closed');
    expect(code).toBeNull();
  });
});

describe('an attached console', () => {
  test.each(['detach', 'hangup'] as const)('ends at %s and leaves the desk alone', async (action) => {
    await start(false);
    await leave(action);
    expect(log).toEqual(['client closed']);
    expect(code).toBe(0);
  });

  test('stops the desk on stop', async () => {
    await start(false);
    await leave('stop');
    expect(log).toEqual(['desk stopped: stopped at the terminal']);
    expect(code).toBe(0);
  });

  test('ends on a signal and leaves the desk alone', async () => {
    await start(false);
    signal.resolve('SIGTERM');
    await clock.settle();
    expect(log).toEqual(['client closed']);
    expect(code).toBe(0);
  });

  test.each([
    ['stopped at the terminal', 0],
    [LINE_LOST, 1],
  ])('ends with the desk (%s), exit code %d', async (reason, expected) => {
    await start(false);
    consoles[0]?.lose(reason);
    await clock.settle();
    expect(log).toContain(`say: The desk has ended: ${reason}`);
    expect(code).toBe(expected);
  });
});
