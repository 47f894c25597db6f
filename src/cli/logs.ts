/**
 * `outcry logs`: the newest lines of the running desk's log, oldest first, and with `--follow` all new ones,
 * until the desk ends or the reader goes away. The file in the data folder has older lines (docs/logs.md).
 */
import type { DeskState } from '../desk/console/protocol.ts';
import { LOG_LINES } from '../desk/console/protocol.ts';
import type { LogLine } from '../domain/rows.ts';
import { follow as followState, introduction, type LookSettings, onState } from './desk-state.ts';
import { jsonLine } from './json-line.ts';
import { onDesk, processShell, type Shell } from './light-desk.ts';
import { shownInLine } from './shown.ts';
import { EXIT_FAILURE, EXIT_OK } from './usage-error.ts';

export interface LogsSettings extends LookSettings {
  readonly follow?: boolean;
  /** How many of the newest lines. */
  readonly lines?: number;
  readonly json?: boolean;
}

/** Default number of lines. */
const LINES = 50;

/**
 * Prints the log.
 * @param left settles when nobody reads the output any more
 */
export async function logs(
  settings: LogsSettings,
  shell: Shell = processShell(),
  left: Promise<unknown> = readerGone(),
): Promise<number> {
  const print = (lines: readonly LogLine[]) => {
    for (const line of lines) shell.out(`${settings.json ? jsonLine(line) : textOf(line)}\n`);
  };
  const newest = ({ log }: DeskState) => log.slice(-Math.min(settings.lines ?? LINES, LOG_LINES));
  if (!settings.follow)
    return onState(shell, settings, async (_, state) => {
      if (settings.lines !== 0) print(newest(state));
      return EXIT_OK;
    });
  return onDesk(
    shell,
    settings.dataDir,
    async (desk) => {
      let before: readonly LogLine[] | null = null;
      const reason = await followState(
        desk,
        (state) => {
          print(before === null ? (settings.lines === 0 ? [] : newest(state)) : news(before, state.log));
          before = state.log;
        },
        left,
      );
      if (reason === null) return EXIT_OK;
      shell.err(`outcry: the desk has ended: ${shownInLine(reason)}\n`);
      return EXIT_FAILURE;
    },
    introduction(settings, true),
  );
}

/** Returns the new lines: a log that was sent again has equal lines in new objects. */
function news(before: readonly LogLine[], now: readonly LogLine[]): readonly LogLine[] {
  const last = before.at(-1);
  if (!last) return now;
  const at = now.findLastIndex((line) => isSame(line, last));
  return now.slice(at + 1);
}

function isSame(a: LogLine, b: LogLine): boolean {
  return a === b || (a.at === b.at && a.level === b.level && a.source === b.source && a.text === b.text);
}

const MARKS = { info: '    ', warn: 'WARN', error: 'FAIL' } as const;

function textOf({ at, level, source, text, orderId }: LogLine): string {
  const order = orderId === undefined ? '' : ` (${orderId})`;
  const time = new Date(at).toISOString();
  return shownInLine(`${time} ${MARKS[level]} ${source.padEnd(8)} ${text}${order}`);
}

/** Resolves when the output's reader is gone: `outcry logs -f | head` ends with `head`. */
function readerGone(): Promise<unknown> {
  return new Promise((resolve) => process.stdout.on('error', resolve));
}
