/** `outcry`: the console on this terminal, on the desk that runs on the data folder or on one hosted by this process. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadTheme, themeNames } from '../console/theme.ts';
import { systemClock } from '../desk/transports/system-clock.ts';
import { liveConsole } from './console-life.ts';
import { dataDirOf } from './data-dir.ts';
import { reachDesk } from './desk-link.ts';
import { deskOptions } from './desk-settings.ts';
import type { OptionValues } from './options.ts';
import { openTerminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

type ConsoleSettings = Partial<Omit<OptionValues, 'key' | 'url' | 'ca'>>;

export async function consoleCommand(settings: ConsoleSettings): Promise<number> {
  const { stdin, stdout, stderr } = process;
  if (!stdin.isTTY || !stdout.isTTY)
    throw new UsageError(
      'the console needs a terminal for its input and output; outcry serve runs a desk without one',
    );
  const { theme, ascii, screenReader, dataDir: given, ...deskSettings } = settings;
  const dataDir = dataDirOf({ dataDir: given, feed: deskSettings.feed });
  if (theme !== undefined) checkTheme(theme, dataDir);
  const terminated = onceSignal('SIGTERM', 'SIGINT');
  const hangup = onceSignal('SIGHUP');
  // Loaded while the desk opens.
  const consoleModule = import('../console/run.tsx');
  const link = await reachDesk(dataDir, () => deskOptions(deskSettings, dataDir), systemClock);
  const { runConsole } = await consoleModule;
  const terminal = openTerminal(stdin, stdout, systemClock, stderr.isTTY ? [stderr] : []);
  if (!link.hosting && Object.keys(deskSettings).length > 0)
    terminal.say('A desk runs on this data folder already; the options that set up a new one were not used.');
  const hungUp = Promise.race([hangup.then(() => {}), terminal.gone]);
  let terminalGone = false;
  void hungUp.then(() => {
    terminalGone = true;
  });
  const { env } = process;
  const options = {
    theme,
    ascii,
    screenReader,
    hosting: link.hosting,
    dataDir,
    themesDir: themesDir(),
    stdin,
    stdout,
    env,
  };
  return liveConsole({
    link,
    terminal,
    clock: systemClock,
    show: async (client, signal) => {
      const exit = await runConsole(client, { ...options, signal });
      // A console that left by itself on a terminal that is there has failed.
      if (exit.action === 'hangup' && !terminalGone && !signal.aborted)
        throw new Error(exit.reason ?? 'it has ended');
      return exit;
    },
    terminated,
    hungUp,
    onUncaught: catchUncaught(),
    leaveShell,
    attachCommand: dataDir === dataDirOf({}) ? 'outcry' : `outcry --data-dir '${dataDir}'`,
    pid: process.pid,
  });
}

/** Throws a `UsageError` for a theme that is not there or is broken, before the screen is taken. */
function checkTheme(name: string, dataDir: string): void {
  const folders = [join(dataDir, 'themes'), themesDir()];
  const { problem } = loadTheme(name, folders, 'none');
  if (!problem) return;
  const names = themeNames(folders).join(', ');
  throw new UsageError(
    `option --theme cannot be ${JSON.stringify(name)} (${problem}): it takes one of ${names}`,
  );
}

/** The package's `themes`: beside `dist` and `src`. */
function themesDir(): string {
  const here = import.meta.dirname;
  const found = ['../../themes', '../themes']
    .map((path) => join(here, path))
    .find((path) => existsSync(path));
  return found ?? join(here, '../themes');
}

/** The first of the signals; the handlers stay, so that later ones do not end the process either. */
function onceSignal(...signals: NodeJS.Signals[]): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of signals) process.on(signal, resolve);
  });
}

/** From now on no error ends this process, which carries the desk. */
function catchUncaught(): (listener: (error: unknown) => void) => () => void {
  const listeners = new Set<(error: unknown) => void>();
  const tell = (error: unknown) => {
    for (const listener of listeners) listener(error);
  };
  process.on('uncaughtException', tell);
  process.on('unhandledRejection', tell);
  return (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
}

/**
 * The launcher (bin/outcry.js) runs an interactive console as its child with a channel; told `detached` it ends, and the
 * shell has the terminal back. Until then this process dies with the launcher (bin/child.js), afterwards not.
 */
function leaveShell(): boolean {
  if (!process.channel || !process.send) return false;
  process.removeAllListeners('disconnect');
  process.send({ outcry: 'detached' }, () => {});
  return true;
}
