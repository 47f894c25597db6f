/**
 * A whole console on a terminal emulator: keys go in as bytes, assertions read the emulator's cells. Time is
 * injected; tests wait for a condition, never for a span of time.
 */
import { fileURLToPath } from 'node:url';
import xterm from '@xterm/headless';
import { mountConsole } from '../../../src/console/app/mount.tsx';
import type { ConsoleOptions } from '../../../src/console/app/run.tsx';
import type { ConsoleExit } from '../../../src/console/app/session.ts';
import { cellWidth } from '../../../src/console/ui/clean.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';
import { passUntil } from '../../support/virtual-timers.ts';
import type { FakeDesk } from './fake-desk.ts';
import { NOON } from './some-market.ts';
import { ANSWER, asTerminal, FakeStdin, FakeStdout, QUESTION } from './streams.ts';

const THEMES = fileURLToPath(new URL('../../../themes', import.meta.url));

/** Escape in the kitty protocol's form: nobody waits for the rest of a sequence. */
export const ESC = '\x1b[27u';
export const ENTER = '\r';
export const CTRL_R = '\x12';
export const CTRL_C = '\x03';

/** The emulator's own table is of 2010 and has emoji one cell wide. */
const WIDTHS = {
  version: 'of the console',
  wcwidth: (code: number) => Math.min(2, cellWidth(String.fromCodePoint(code))) as 0 | 1 | 2,
  charProperties(code: number, before: number): number {
    const width = WIDTHS.wcwidth(code);
    // Packed as in xterm.js: the width, and whether the character joins the cell before.
    if (width > 0 || before === 0) return width << 1;
    return (((before >> 1) & 3) << 1) | 1;
  },
};

/** Records everything written. */
class Recorder extends FakeStdout {
  readonly chunks: string[] = [];

  override write(text: string, ...rest: unknown[]): boolean {
    if (text !== '') this.chunks.push(text);
    return super.write(text, ...rest);
  }
}

export interface RigOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly hosting?: boolean;
  readonly theme?: string;
  readonly ascii?: boolean;
  readonly env?: Record<string, string | undefined>;
  readonly runEditor?: (command: string, file: string) => Promise<number>;
  readonly dataDir?: string;
  readonly keys?: ConsoleOptions['keys'];
  readonly problems?: readonly string[];
  readonly screenReader?: boolean;
  readonly riskPercent?: number;
  readonly mouse?: boolean;
  readonly timeZone?: string;
  /** The desk does not open until the test opens it. */
  readonly opening?: boolean;
  /** The clock of the process (`installTimers`): every wait moves it on. Left out: timers are real. */
  readonly clock?: VirtualClock;
}

export async function openRig(desk: FakeDesk, options: RigOptions = {}) {
  const columns = options.columns ?? 80;
  const rows = options.rows ?? 24;
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  terminal.unicode.register(WIDTHS);
  terminal.unicode.activeVersion = WIDTHS.version;
  const stdin = new FakeStdin();
  /** Whether the terminal answers when it is asked. */
  const answers = { given: true };
  const stdout = new Recorder(columns, rows, (text) => {
    terminal.write(text);
    if (answers.given && text.includes(QUESTION)) stdin.write(ANSWER);
  });
  const { clock } = options;
  const time = clock ? timeOf(clock) : { now: NOON };
  const mounted = mountConsole(desk, {
    hosting: options.hosting ?? true,
    dataDir: options.dataDir ?? '/nowhere',
    keys: options.keys,
    problems: options.problems,
    screenReader: options.screenReader,
    riskPercent: options.riskPercent,
    mouse: options.mouse,
    timeZone: options.timeZone,
    themesDir: THEMES,
    theme: options.theme,
    ascii: options.ascii,
    ...asTerminal(stdin, stdout),
    env: options.env ?? { TERM: 'xterm-256color' },
    runEditor: options.runEditor,
    // Changes of the desk are shown as soon as its answers.
    tickMs: 0,
    now: () => time.now,
    monotonic: () => time.now,
  });
  let exit: ConsoleExit | null = null;
  void mounted.exited.then((how) => {
    exit = how;
  });

  const pass = async (ms: number): Promise<void> => {
    if (clock) await clock.advance(Math.max(1, ms));
    else await new Promise((resolve) => setTimeout(resolve, ms));
  };
  const wait = <T,>(promise: Promise<T>): Promise<T> => (clock ? passUntil(clock, promise) : promise);
  const turn = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    await pass(0);
  };
  /** Waits until the emulator has processed all output. */
  const written = (): Promise<void> => wait(new Promise<void>((resolve) => terminal.write('', resolve)));
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 3; round++) await turn();
    if (exit === null) await wait(mounted.flush());
    await written();
  };
  const screenLines = (): string[] => {
    const lines: string[] = [];
    for (let row = 0; row < terminal.rows; row++) {
      lines.push(
        terminal.buffer.active
          .getLine(terminal.buffer.active.viewportY + row)
          ?.translateToString()
          .trimEnd() ?? '',
      );
    }
    return lines;
  };
  const rig = {
    terminal,
    stdin,
    stdout,
    time,
    answers,
    session: mounted.session,
    settle,
    written,
    exit: () => exit,
    /** Sends each argument as one input event, after a dialog's deaf time unless the test holds `time`. */
    async press(...keys: string[]): Promise<void> {
      for (const key of keys) {
        time.now += 400;
        await rig.send(key);
      }
    },
    /** Sends keys like `press`, without letting time pass. */
    async send(key: string): Promise<void> {
      stdin.write(key);
      await settle();
    },
    screenLines,
    screenText: () => screenLines().join('\n'),
    async until(condition: () => boolean): Promise<void> {
      for (let tries = 0; tries < 600; tries++) {
        if (condition()) return;
        await pass(5);
        await settle();
      }
      throw new Error(`never happened; the screen shows\n${screenLines().join('\n')}`);
    },
    shows: (text: string) => rig.until(() => screenLines().join('\n').includes(text)),
    async resize(width: number, height: number): Promise<void> {
      await rig.resizeWith(width, height, 0, 0);
    },
    /** Resizes; the emulator has more columns and rows than the console is told of. */
    async resizeWith(width: number, height: number, beside: number, below: number): Promise<void> {
      terminal.resize(width + beside, height + below);
      stdout.columns = width;
      stdout.rows = height;
      stdout.emit('resize');
      await settle();
    },
    async close(): Promise<void> {
      // A terminal that is gone is not waited for.
      stdin.destroy();
      mounted.hangup('the test is over');
      await wait(mounted.exited);
    },
  };
  await rig.until(
    () =>
      !screenLines().every((line) => line === '') &&
      rig.screenText().includes('opening the desk') === (options.opening === true),
  );
  return rig;
}

/** The rig's time where the process has a virtual clock: only that clock moves it. */
function timeOf(clock: VirtualClock): { now: number } {
  return {
    get now() {
      return clock.wall();
    },
    set now(_) {
      throw new Error('rig: time is the clock’s; advance that');
    },
  };
}

export type Rig = Awaited<ReturnType<typeof openRig>>;
