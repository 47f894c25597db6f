/** `outcry`: the console on this terminal, on the data folder's running desk or on a new one hosted here. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadTheme, themeNames } from '../console/ui/theme.ts';
import { systemClock } from '../desk/hosting/transports/system-clock.ts';
import type { DeskOptions } from '../desk/running.ts';
import { type ConsoleConfig, readConfig } from './config.ts';
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
  const configured = consoleConfig(dataDir);
  const terminated = onceSignal('SIGTERM', 'SIGINT');
  const hangup = onceSignal('SIGHUP');
  const link = await reachDesk(
    dataDir,
    () => withThemeWarning(deskOptions(deskSettings, dataDir), theme ?? configured.theme, dataDir),
    systemClock,
  );
  // Loaded and shown while the desk opens.
  const { runConsole } = await import('../console/app/run.tsx');
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
    theme: theme ?? configured.theme,
    ascii: ascii ?? configured.ascii,
    screenReader: screenReader ?? configured.screenReader,
    riskPercent: configured.riskPercent,
    mouse: configured.mouse,
    timeZone: configured.timeZone,
    keys: configured.keys,
    problems: configured.problems,
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
      const exit = await runConsole(client, {
        ...options,
        signal,
        get hosting() {
          return link.hosting;
        },
      });
      // A console that ended by itself on a terminal that is still there has failed.
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

/**
 * Returns the configuration of consoles. A wrong file refuses a new desk a little later; on a running desk
 * the console reports it and goes on without the file.
 */
function consoleConfig(dataDir: string): ConsoleConfig & { readonly problems: readonly string[] } {
  try {
    return { ...readConfig(dataDir).console, problems: [] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { keys: [], problems: [error.message] };
  }
}

/** Throws a `UsageError` for an unknown theme, before the screen is used; a broken one is reported there. */
function checkTheme(name: string, dataDir: string): void {
  const names = themeNames(themeFolders(dataDir));
  if (names.includes(name)) return;
  throw new UsageError(
    `option --theme cannot be ${JSON.stringify(name)}: it takes one of ${names.join(', ')}`,
  );
}

/** Adds the theme's problem to the desk's log. */
function withThemeWarning(options: DeskOptions, theme: string | undefined, dataDir: string): DeskOptions {
  if (theme === undefined) return options;
  const { problem } = loadTheme(theme, themeFolders(dataDir), 'none');
  return problem === null ? options : { ...options, warnings: [...(options.warnings ?? []), problem] };
}

/** Returns the folders with themes, the user's own first. */
function themeFolders(dataDir: string): string[] {
  return [join(dataDir, 'themes'), themesDir()];
}

/** Returns the package's `themes`, beside `dist` and `src`. */
export function themesDir(): string {
  const here = import.meta.dirname;
  const found = ['../../themes', '../themes']
    .map((path) => join(here, path))
    .find((path) => existsSync(path));
  return found ?? join(here, '../themes');
}

/** Resolves with the first signal; the handlers stay, so that later signals do not end the process either. */
function onceSignal(...signals: NodeJS.Signals[]): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of signals) process.on(signal, resolve);
  });
}

/** Prevents errors from ending this process from now on, since it hosts the desk. */
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
 * Frees the user's shell. The launcher (bin/outcry.js) runs an interactive console as its child with a
 * channel; told `detached`, it ends, and the shell has the terminal back. Until then this process ends with
 * the launcher (bin/child.js), afterwards not.
 */
function leaveShell(): boolean {
  if (!process.channel || !process.send) return false;
  process.removeAllListeners('disconnect');
  process.send({ outcry: 'detached' }, () => {});
  return true;
}
