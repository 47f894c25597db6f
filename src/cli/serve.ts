/**
 * `outcry serve`: a desk without a terminal. Prints one JSON line on stdout when it is ready; SIGTERM or
 * SIGINT ends it, SIGHUP does not.
 */
import { hostDesk } from '../desk/hosting/host.ts';
import { type DataDirSettings, dataDirOf } from './data-dir.ts';
import { type DeskSettings, deskOptions } from './desk-settings.ts';
import { shown } from './shown.ts';
import { EXIT_OK } from './usage-error.ts';

export async function serve({
  dataDir: given,
  ...settings
}: DataDirSettings & DeskSettings): Promise<number> {
  const dataDir = dataDirOf({ dataDir: given, feed: settings.feed });
  const options = { ...deskOptions(settings, dataDir), headless: true };
  // Listens from the start: a desk that is asked to stop while it opens is opened first and then stopped in
  // order.
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    process.on('SIGTERM', resolve);
    process.on('SIGINT', resolve);
  });
  process.on('SIGHUP', () => {});
  // The reader of the output may be gone; the desk goes on.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  const desk = await hostDesk(options);
  const { apiUrl, wsUrl } = desk.info;
  const ready = { event: 'listening', url: apiUrl, ws: wsUrl, pid: process.pid, dataDir };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  void asked.then((signal) => desk.stop(signal));
  const ending = await desk.ended;
  if (ending.exitCode !== EXIT_OK)
    process.stderr.write(`outcry: the desk has ended: ${shown(ending.reason)}\n`);
  return ending.exitCode;
}
