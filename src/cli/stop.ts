/** `outcry stop`: stops the running desk of the data folder, and waits until it is gone. */

import { isRunning } from '../console/trading/bots.ts';
import { isOpen } from '../console/trading/orders.ts';
import { counted } from '../console/ui/format.ts';
import type { DeskClient, DeskState } from '../desk/console/protocol.ts';
import { STOP_LIMIT_MS } from '../desk/hosting/host.ts';
import { systemClock } from '../desk/hosting/transports/system-clock.ts';
import { type LookSettings, onState } from './desk-state.ts';
import { consented, processShell, type Shell } from './light-desk.ts';
import { EXIT_FAILURE, EXIT_OK } from './usage-error.ts';

export interface StopSettings extends LookSettings {
  readonly yes?: boolean;
}

/** After the desk has closed its connections, its process still closes the store. */
const GRACE_MS = 2_000;

export async function stop(settings: StopSettings, shell: Shell = processShell()): Promise<number> {
  return onState(shell, settings, async (desk, state) => {
    const question = `About to stop the desk: ${whatStops(state)}.`;
    const asked = { yes: settings.yes === true, command: 'stop', question, word: 'stop' };
    if (!(await consented(shell, asked))) {
      shell.err('nothing was done\n');
      return EXIT_FAILURE;
    }
    const ended = await stopped(desk);
    if (ended !== true) {
      shell.err(`the desk was not stopped: ${ended}\n`);
      return EXIT_FAILURE;
    }
    shell.out('the desk has stopped\n');
    return EXIT_OK;
  });
}

/** What works only while the desk runs. */
function whatStops(state: DeskState): string {
  const held = Object.values(state.orders).filter((order) => isOpen(order) && order.held).length;
  const running = Object.values(state.bots).filter(isRunning).length;
  return [
    `${counted(running, 'bot')} rest until it runs again`,
    ...(held > 0 ? [`${counted(held, 'order')} held by this desk will do nothing`] : []),
    'orders at exchanges stay',
  ].join('; ');
}

/** Resolves with true once the connection has ended; otherwise with the reason why the desk goes on. */
async function stopped(desk: DeskClient): Promise<true | string> {
  const closed = new Promise<true>((resolve) => desk.onClosed(() => resolve(true)));
  // If the connection ends before the response, the desk has stopped, too.
  const refused = await Promise.race([desk.call('desk.stop', {}).then(() => null), closed]).catch(
    (error: unknown) => error,
  );
  if (refused instanceof Error) {
    const gone = await Promise.race([closed, Promise.resolve(false)]);
    if (!gone) return refused.message;
  }
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const limit = systemClock.after(STOP_LIMIT_MS + GRACE_MS, () =>
    resolve(`it has not ended within ${(STOP_LIMIT_MS + GRACE_MS) / 1_000} s`),
  );
  const ended = await Promise.race([closed, late]);
  limit.cancel();
  return ended;
}
