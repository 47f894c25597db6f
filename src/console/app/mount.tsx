/**
 * Runs one console on one terminal: session, mirror, timers, Ink, and every way out. However it ends, the
 * terminal is restored and nothing of the console stays in the process.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Instance, render } from 'ink';
import type { StoreApi } from 'zustand/vanilla';
import type { DeskClient } from '../../desk/console/protocol.ts';
import { activeField } from '../forms/text-fields.ts';
import { allowedBindings } from '../input/allowed.ts';
import { MOUSE_OFF, MOUSE_ON, MouseReader } from '../input/mouse.ts';
import { applyKeys } from '../input/overrides.ts';
import { KeyPipeline } from '../input/pipeline.ts';
import { NOTHING_IN_VIEW } from '../lists/copy.ts';
import { memoizeLast } from '../lists/rows.ts';
import { createDeskMirror } from '../state/desk-mirror.ts';
import { watchQuestions } from '../state/questions.ts';
import { placeOf, topDialog, type UiState } from '../state/ui.ts';
import { visited } from '../state/visits.ts';
import { createGate } from '../terminal/gate.ts';
import { lineTerminal } from '../terminal/line-terminal.ts';
import { orderFacts } from '../trading/orders.ts';
import { colourDepth, loadTheme } from '../ui/theme.ts';
import { setZone } from '../ui/zone.ts';
import { App } from './App.tsx';
import { KEYS } from './bindings.ts';
import { editExternally, type Suspend } from './external-editor.ts';
import { FEATURES, newUi } from './features.ts';
import { holdCursors } from './held-cursors.ts';
import { keepMemory } from './memory.ts';
import { pointed } from './pointing.ts';
import type { ConsoleOptions } from './run.tsx';
import { type ConsoleExit, runCommand, type Session } from './session.ts';

/** The size for lines that are read aloud; the terminal wraps them itself. */
const PLAIN_SIZE = [120, 24] as const;
/** How long the lines stay unchanged while nobody presses a key. */
const PLAIN_STILL_MS = 10_000;
/** Time between two copies of the desk's state, here and over SSH (console.md, "State"). */
const TICK_MS = 100;
const SSH_TICK_MS = 250;
const MESSAGE_MS = 6_000;
/** How long the result of an order is shown. */
const RESULT_MS = 8_000;
/** Draws everything again after a burst of resizes: Ink's old frame may have scrolled the new screen. */
const RESIZE_MS = 50;
/** Resets colours, moves to the top left corner, clears the screen. */
const CLEAR = '\x1b[0m\x1b[H\x1b[2J';
/** Rings the terminal: not an escape sequence, takes no place on the screen. */
const BELL = '\x07';
/** Draws everything again after a burst of resizes: output under way was made for another size. */
const RESIZED_MS = 50;
/** Moves to the first row and erases everything below. */
const HOME_AND_ERASE = '\x1b[H\x1b[J';

export interface MountedConsole {
  readonly exited: Promise<ConsoleExit>;
  readonly session: Session;
  /** Resolves once the last frame is written. */
  flush(): Promise<void>;
  hangup(reason: string): void;
}

export function mountConsole(client: DeskClient, options: ConsoleOptions): MountedConsole {
  const env = options.env ?? process.env;
  const lines = env.TERM === 'dumb' ? lineTerminal(options.stdout) : null;
  /** Lines to be read aloud, or for a terminal that can do nothing else. */
  const plain = options.screenReader === true || env.TERM === 'dumb';
  const mice = new MouseReader((event) => {
    if (!left) pointed(session, event);
  });
  /** The terminal reports its mouse, or did: what it still sends is read and never typed. */
  let hasMouse = false;
  const wantsMouse = (): boolean => {
    const { chosenMouse } = ui.getState();
    return chosenMouse === null ? options.mouse === true : chosenMouse === 'on';
  };
  const taken = (piece: string) => (hasMouse ? mice.taken(piece) : piece);
  /** Another program has the terminal: the console neither writes to it nor queries it. */
  let handedOver = false;
  const gate = createGate(options.stdin, lines?.stdout ?? options.stdout, {
    ...(plain ? {} : { taken }),
    // Lines to be read aloud are only written; nothing is queried.
    mayAsk: () => !plain && !handedOver,
  });
  const { stdin, stdout } = gate;
  const themesDir = options.themesDir ?? builtInThemes();
  const now = options.now ?? Date.now;
  const monotonic = options.monotonic ?? (() => performance.now());
  const ui = newUi(...(plain ? PLAIN_SIZE : sizeOf(stdout)));
  const depth = colourDepth(env);
  const themeFolders = [join(options.dataDir, 'themes'), themesDir];
  const keymap = applyKeys(KEYS, options.keys ?? []);
  const { theme, problem } = loadTheme(options.theme ?? 'dark', themeFolders, depth);
  const ends: (() => void)[] = [];
  const timers = createTimers(ends);
  let instance: Instance | null = null;
  let suspender: Suspend | null = null;
  const own = options.stdin === process.stdin || options.runEditor !== undefined;
  const handOver = (suspend: Suspend | null): void => {
    suspender =
      own && suspend
        ? async (run) => {
            handedOver = true;
            try {
              await gate.quiet();
              if (hasMouse) stdout.write(MOUSE_OFF);
              await suspend(run);
            } finally {
              handedOver = false;
              if (hasMouse && wantsMouse() && !left) stdout.write(MOUSE_ON);
            }
          }
        : null;
  };
  let left: ConsoleExit | null = null;
  const { promise: exited, resolve, reject } = Promise.withResolvers<ConsoleExit>();

  const flush = async (): Promise<void> => {
    await instance?.waitUntilRenderFlush();
  };
  const shown = (): Promise<void> => gate.drawn(flush);
  const tickMs = options.tickMs ?? (env.SSH_CONNECTION === undefined ? TICK_MS : SSH_TICK_MS);
  const mirror = createDeskMirror(client, { now, flush: shown, tickMs, stillMs: plain ? PLAIN_STILL_MS : 0 });

  const keysHere = memoizeLast<Session['bindings']>();

  const end = (): void => {
    for (const run of ends.splice(0).reverse()) run();
    mirror.close();
    gate.close();
  };
  const exit = (how: ConsoleExit): void => {
    if (left) return;
    left = how;
    gate.close();
    void gate.quiet().then(() => {
      end();
      const shown = instance;
      // Unmounting inside a key handler would remove React components while they run.
      setImmediate(() => {
        shown?.unmount();
        resolve(how);
      });
    });
  };

  const session: Session = {
    client,
    desk: mirror.store,
    ui,
    get hosting() {
      return options.hosting;
    },
    depth,
    themeFolders,
    plain,
    riskPercent: (options.riskPercent ?? 1).toFixed(4),
    program: env.npm_lifecycle_event === undefined ? 'outcry' : 'npm start --',
    get bindings() {
      const now = ui.getState();
      const top = topDialog(now);
      const draft = top !== undefined && now.parts.forms[top.kind].confirmed === true;
      const me = mirror.store.getState().state?.me;
      return keysHere([me?.role, me?.local, draft], () => allowedBindings(keymap.bindings, me, draft));
    },
    problems: [...(options.problems ?? []), ...keymap.problems, ...(problem === null ? [] : [problem])],
    now,
    monotonic,
    wall: mirror.wall,
    exit,
    redraw() {
      if (handedOver) return;
      lines?.forget();
      if (!plain) stdout.write(CLEAR);
      instance?.clear();
      // Ink erases upwards from where it believes the cursor to be.
      if (!plain) stdout.write(HOME_AND_ERASE);
      ui.setState((state) => ({ theme: { ...state.theme } }));
    },
    copy(text) {
      stdout.write(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`);
    },
    editText: (text, name) => editExternally(text, name, { env, suspend: suspender, run: options.runEditor }),
    fieldChanged(kind) {
      const now = ui.getState();
      const changed = kind ?? topDialog(now)?.kind;
      if (changed) now.parts.forms[changed].changed?.(session);
      else now.parts.places[placeOf(now)].field?.changed(session);
    },
    later: timers.set,
    inView: NOTHING_IN_VIEW,
    tables: new Map(),
    ring() {
      stdout.write(BELL);
    },
  };
  const keys = new KeyPipeline(session, (command) => {
    if (left) return;
    mirror.wake();
    runCommand(session, command);
  });

  const fallback = theme ?? loadTheme('dark', [themesDir], depth).theme;
  if (fallback) ui.setState({ theme: fallback });
  ui.setState({ ascii: options.ascii ?? env.TERM === 'dumb', minute: Math.floor(now() / 60_000) });

  const redrawSoon = (): void => timers.set('resized', RESIZED_MS, session.redraw);
  watchTerminal(stdin, stdout, ui, redrawSoon, (reason) => exit({ action: 'hangup', reason }), ends, plain);
  keepTime(session, timers, ends, plain);
  for (const { start } of FEATURES) {
    const end = start?.(session);
    if (end) ends.push(end);
  }
  const { theme: asked = 'dark', timeZone = 'UTC' } = options;
  const memory = { theme: asked, timeZone, mouse: options.mouse === true };
  ends.push(keepMemory(session, { features: FEATURES, ...memory }));
  ends.push(keepZone(ui, timeZone));
  ends.push(watchQuestions(ui, shown, monotonic));
  ends.push(
    ui.subscribe(({ columns, rows }, before) => {
      if (columns !== before.columns || rows !== before.rows) timers.set('resize', RESIZE_MS, session.redraw);
    }),
  );
  ends.push(
    ui.subscribe(({ screen, visits }) => {
      const now = visited(visits, screen);
      if (now !== visits) ui.setState({ visits: now });
    }),
  );
  ends.push(
    ui.subscribe((state, before) => {
      const { message } = state;
      if (!message) return;
      // Read aloud, a message stays until the next one: removing it would have everything read again.
      if (message !== before.message && !plain)
        timers.set('message', message.result ? RESULT_MS : MESSAGE_MS, () => ui.setState({ message: null }));
      else if (!message.result && elsewhere(state, before)) ui.setState({ message: null });
    }),
  );

  // Last of all listeners to the terminal's state: the others hear of a change before the cursor is kept on
  // its row.
  ends.push(holdCursors(session));
  instance = render(<App context={{ session, keys, handOver }} />, {
    stdin,
    stdout,
    patchConsole: false,
    exitOnCtrlC: false,
    interactive: true,
    alternateScreen: !plain,
    isScreenReaderEnabled: plain,
    incrementalRendering: true,
    maxFps: 120,
  });
  if (!plain) {
    const switchMouse = (): void => {
      if (!hasMouse && !wantsMouse()) return;
      hasMouse = true;
      stdout.write(wantsMouse() ? MOUSE_ON : MOUSE_OFF);
    };
    switchMouse();
    ends.push(
      ui.subscribe(({ chosenMouse }, before) => {
        if (chosenMouse !== before.chosenMouse) switchMouse();
      }),
      () => hasMouse && stdout.write(MOUSE_OFF),
    );
  }
  instance.waitUntilExit().then(
    () => exit({ action: 'hangup', reason: 'the console ended' }),
    (error: unknown) => {
      end();
      reject(error);
    },
  );
  const aborted = (): void => exit({ action: 'hangup', reason: 'told to leave' });
  if (options.signal?.aborted) aborted();
  options.signal?.addEventListener('abort', aborted);
  ends.push(() => options.signal?.removeEventListener('abort', aborted));
  return { exited, session, flush, hangup: (reason) => exit({ action: 'hangup', reason }) };
}

/** Shows times in the zone that was chosen here, else in the given one; at the end, in UTC again. */
function keepZone(ui: StoreApi<UiState>, given: string): () => void {
  setZone(ui.getState().chosenZone ?? given);
  // Subscribed before anything that draws, so that it runs first.
  const end = ui.subscribe(({ chosenZone }, before) => {
    if (chosenZone !== before.chosenZone) setZone(chosenZone ?? given);
  });
  return () => {
    end();
    setZone('UTC');
  };
}

/** Tells whether the person has moved on: another screen, a dialog opened or closed, a text edited. */
function elsewhere(state: UiState, before: UiState): boolean {
  return (
    state.screen !== before.screen ||
    state.dialogs.length !== before.dialogs.length ||
    activeField(state)?.value !== activeField(before)?.value
  );
}

/** Returns columns and rows, with defaults if the stream does not know them. */
function sizeOf(stdout: NodeJS.WriteStream): readonly [columns: number, rows: number] {
  return [stdout.columns || 80, stdout.rows || 24];
}

/** Returns the folder `themes/` beside the sources or beside the built program. */
function builtInThemes(): string {
  const places = ['../../themes', '../themes', '../../../themes'];
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return folders.find((folder) => existsSync(join(folder, 'dark.json'))) ?? folders[0] ?? 'themes';
}

interface Timers {
  /** Runs a callback once after `delayMs`; setting a timer of the same name restarts it. */
  set(name: string, delayMs: number, run: () => void): void;
}

function createTimers(ends: (() => void)[]): Timers {
  const running = new Map<string, NodeJS.Timeout>();
  ends.push(() => {
    for (const timer of running.values()) clearTimeout(timer);
    running.clear();
  });
  return {
    set(name, delayMs, run) {
      clearTimeout(running.get(name));
      running.set(name, setTimeout(run, delayMs));
    },
  };
}

function watchTerminal(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  ui: Session['ui'],
  redrawSoon: () => void,
  hangup: (reason: string) => void,
  ends: (() => void)[],
  plain: boolean,
): void {
  const resized = (): void => {
    const [columns, rows] = sizeOf(stdout);
    if (!plain) ui.setState({ columns, rows });
    redrawSoon();
  };
  const gone = (): void => hangup('the terminal is gone');
  stdout.on('resize', resized);
  stdout.on('close', gone);
  stdin.on('end', gone);
  stdin.on('close', gone);
  ends.push(() => {
    stdout.off('resize', resized);
    stdout.off('close', gone);
    stdin.off('end', gone);
    stdin.off('close', gone);
    stdout.off('error', gone);
    stdin.off('error', gone);
  });
  for (const stream of [stdin, stdout]) {
    stream.on('error', gone);
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  }
}

/** Stays on the streams: a late error of a dead terminal must not end the desk. */
function ignore(): void {}

/** Updates the header's minute, and seconds while an order is unresolved or an exchange is down. */
function keepTime(session: Session, timers: Timers, ends: (() => void)[], plain: boolean): void {
  const minute = (): void => {
    session.ui.setState({ minute: Math.floor(session.now() / 60_000) });
    timers.set('minute', 60_000 - (session.now() % 60_000) + 5, minute);
  };
  const second = (): void => {
    const { orders = {}, accounts = [] } = session.desk.getState().state ?? {};
    if (orderFacts(orders).unresolved.length === 0 && accounts.every(({ link }) => link === 'up')) return;
    session.ui.setState({ second: Math.floor(session.wall() / 1_000) });
    // Read aloud, a countdown in seconds would drown everything else.
    timers.set('second', plain ? PLAIN_STILL_MS : 1_000, second);
  };
  minute();
  ends.push(
    session.desk.subscribe((store, before) => {
      const { state } = store;
      if (state?.orders !== before.state?.orders || state?.accounts !== before.state?.accounts) second();
    }),
  );
}
