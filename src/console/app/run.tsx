/**
 * The console's entry point. Sets what React, Ink and chalk read once at import (production build, full
 * colour: the theme chooses the depth), then loads the rest. Must not be imported together with Ink in one
 * static graph.
 */
import type { DeskClient } from '../../desk/console/protocol.ts';
import type { KeyEntry } from '../input/overrides.ts';
import type { ConsoleExit } from './session.ts';

export type { ConsoleExit } from './session.ts';

export interface ConsoleOptions {
  /** Theme by name. @default dark, or mono without colour */
  readonly theme?: string;
  /** The user's own keys. @default none */
  readonly keys?: readonly KeyEntry[];
  /** What else of the configuration is ignored, one sentence each: shown on the Overview. @default none */
  readonly problems?: readonly string[];
  /** The desk runs in this process: leaving asks whether it goes on. Settled once the desk has answered. */
  readonly hosting: boolean;
  /** The user's folder; `themes/` in it comes before the built-in ones. */
  readonly dataDir: string;
  /** The built-in themes. @default `themes/` of this package */
  readonly themesDir?: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** ASCII glyphs only. @default false, true when TERM is dumb */
  readonly ascii?: boolean;
  /** No alternate screen, Ink's screen-reader output. @default false */
  readonly screenReader?: boolean;
  /** Percent of the equity that `1r` of a ticket risks. @default 1 */
  readonly riskPercent?: number;
  /** @default process.env */
  readonly env?: Record<string, string | undefined>;
  /** Time zone of shown and typed times, by name; `local`: that of this machine. @default UTC */
  readonly timeZone?: string;
  /** The terminal reports its mouse: the wheel scrolls, a press selects. @default false */
  readonly mouse?: boolean;
  /** When it is aborted, the console leaves the screen and resolves as hung up. */
  readonly signal?: AbortSignal;
  /** Runs `command FILE` and returns its exit code. @default a shell, if the terminal is this process's */
  readonly runEditor?: (command: string, file: string) => Promise<number>;
  /** Shortest time between two copies of the desk's state, ms. @default 100, 250 over SSH */
  readonly tickMs?: number;
  /** Unix ms. @default Date.now */
  readonly now?: () => number;
  /** Milliseconds of a monotonic clock. @default performance.now */
  readonly monotonic?: () => number;
}

/**
 * Shows the console until it is left; the terminal is as before when this settles. Rejects if the console
 * itself failed. The client stays the caller's: it is not closed here.
 */
export async function runConsole(client: DeskClient, options: ConsoleOptions): Promise<ConsoleExit> {
  process.env.NODE_ENV ??= 'production';
  process.env.FORCE_COLOR ??= '3';
  const { mountConsole } = await import('./mount.tsx');
  return await mountConsole(client, options).exited;
}
