/** `outcry serve`: a desk without a terminal. One JSON line on stdout when it is ready; SIGTERM or SIGINT ends it, SIGHUP does not. */
import { hostDesk } from '../desk/host.ts';
import type { DeskOptions } from '../desk/running.ts';
import { dataDirOf } from './data-dir.ts';
import { EXIT_OK } from './usage-error.ts';

export async function serve(settings: Partial<DeskOptions>): Promise<number> {
  const dataDir = dataDirOf(settings);
  // Listened for from the start: a desk that is asked to stop while it opens is opened and then stopped in order.
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    process.on('SIGTERM', resolve);
    process.on('SIGINT', resolve);
  });
  process.on('SIGHUP', () => {});
  // Whoever read the line may be gone; the desk goes on.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  const desk = await hostDesk({ ...settings, dataDir });
  const { apiUrl, wsUrl } = desk.info;
  const ready = { event: 'listening', url: apiUrl, ws: wsUrl, pid: process.pid, dataDir };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  void asked.then((signal) => desk.stop(signal));
  const ending = await desk.ended;
  if (ending.exitCode !== EXIT_OK) process.stderr.write(`outcry: the desk has ended: ${ending.reason}\n`);
  return ending.exitCode;
}
