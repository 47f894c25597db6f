/** Log lines for a collector: copied unchanged, and none queued for a collector that does not read. */
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { copyTo, LOG_COPY_BYTES } from '../../../src/desk/core/log-copy.ts';

it('keeps no more than its bound for a reader that is slow, and says what is left out', () => {
  const taken: string[] = [];
  let next: () => void = () => {};
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      taken.push(text);
      next = done;
    },
  });
  const copy = copyTo(stream);
  const line = `${'x'.repeat(LOG_COPY_BYTES / 4)}\n`;
  for (let i = 0; i < 10; i++) copy(line);
  expect(stream.writableLength).toBeLessThanOrEqual(LOG_COPY_BYTES);
  expect(taken).toHaveLength(1);
  for (let i = 0; i < 3; i++) next();
  copy('later\n');
  for (let i = 0; i < 3; i++) next();
  expect(taken.slice(-2)).toEqual([
    '{"level":40,"source":"desk","msg":"7 lines were not read in time"}\n',
    'later\n',
  ]);
});

it('does not mind a reader that is gone', () => {
  const stream = new Writable({ write: (_text, _encoding, done) => done(new Error('EPIPE')) });
  const copy = copyTo(stream);
  for (let i = 0; i < 3; i++) copy('line\n');
  expect(stream.listenerCount('error')).toBe(1);
});
