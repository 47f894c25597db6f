/**
 * Lines of the log for a collector that reads this process's output. A collector that does not read costs
 * lines, never memory.
 */
import type { Writable } from 'node:stream';

/** Most bytes that wait for the reader; lines beyond them are counted and left out. */
export const LOG_COPY_BYTES = 1024 * 1024;

/** Copies lines to a stream. If its reader is gone, the desk goes on. */
export function copyTo(stream: Writable): (text: string) => void {
  let left = 0;
  stream.on('error', () => {});
  return (text) => {
    if (stream.writableLength + text.length > LOG_COPY_BYTES) {
      left += 1;
      return;
    }
    if (left > 0)
      stream.write(
        `${JSON.stringify({ level: 40, source: 'desk', msg: `${left} lines were not read in time` })}\n`,
      );
    left = 0;
    stream.write(text);
  };
}
