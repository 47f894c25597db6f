/**
 * `outcry cancel-all`: cancels the open orders of the running desk and reports each order. Protective stops
 * and orders of running bots are left out unless they are asked for, as in the console.
 */

import { leftOutOf } from '../console/orders/cancel-all.ts';
import { orderWords } from '../console/orders/order-words.ts';
import { clean } from '../console/ui/clean.ts';
import { counted } from '../console/ui/format.ts';
import type { DeskClient, Result } from '../desk/console/protocol.ts';
import { errorText } from '../domain/errors.ts';
import type { OrderView } from '../domain/order.ts';
import { onState } from './desk-state.ts';
import { consented, processShell, type Shell } from './light-desk.ts';
import { type ListSettings, openOrders } from './listings.ts';
import { EXIT_FAILURE, EXIT_OK } from './usage-error.ts';

export interface CancelAllSettings extends Omit<ListSettings, 'json'> {
  readonly yes?: boolean;
  /** Also stops that protect a position or a holding. */
  readonly stops?: boolean;
  /** Also orders of running bots, which may place them again. */
  readonly bots?: boolean;
}

/** Orders per request. */
const TOGETHER = 500;

export async function cancelAll(settings: CancelAllSettings, shell: Shell = processShell()): Promise<number> {
  return onState(shell, settings, async (desk, state) => {
    const listed = openOrders(state, settings);
    const { stops, bots } = leftOutOf(state, listed);
    const out = new Set([...(settings.bots ? [] : bots), ...(settings.stops ? [] : stops)]);
    const chosen = listed.filter((order) => !out.has(order));
    if (!settings.stops && stops.length > 0)
      shell.err(`${counted(stops.length, 'protective stop')} left out: --stops takes them too\n`);
    if (!settings.bots && bots.length > 0)
      shell.err(`${counted(bots.length, 'order')} of running bots left out: --bots takes them too\n`);
    if (chosen.length === 0) {
      shell.out('there was nothing to cancel\n');
      return EXIT_OK;
    }
    const what = counted(chosen.length, 'order');
    const accounts = [...new Set(chosen.map(({ exchange }) => exchange))].join(', ');
    const asked = {
      yes: settings.yes === true,
      command: 'cancel-all',
      question: `About to cancel ${what} on ${clean(accounts)}.`,
      word: `cancel ${chosen.length}`,
    };
    if (!(await consented(shell, asked))) {
      shell.err('nothing was done\n');
      return EXIT_FAILURE;
    }
    const done = await cancel(desk, chosen, shell);
    shell.out(`${done} of ${what} cancelled\n`);
    return done === chosen.length ? EXIT_OK : EXIT_FAILURE;
  });
}

/** Returns how many orders are cancelled, had already ended, or have a pending cancel. */
async function cancel(desk: DeskClient, chosen: readonly OrderView[], shell: Shell): Promise<number> {
  let done = 0;
  for (let at = 0; at < chosen.length; at += TOGETHER) {
    const part = chosen.slice(at, at + TOGETHER);
    const answer = await answerOf(desk, part);
    for (const order of part) {
      const { ok, text } = cameOf(order, answer);
      if (ok) done++;
      shell.out(`${ok ? 'done  ' : 'FAILED'}  ${clean(orderWords(order))}: ${clean(text)}\n`);
    }
  }
  return done;
}

type Answer = Result<'orders.cancelAll'> | { readonly why: string };

/** Sends one request. If it is lost or refused, only its orders fail; the next request may succeed. */
function answerOf(desk: DeskClient, part: readonly OrderView[]): Promise<Answer> {
  return desk
    .call('orders.cancelAll', { ids: part.map(({ id }) => id) })
    .catch((error: unknown) => ({ why: errorText(error) }));
}

function cameOf({ id }: OrderView, answer: Answer): { readonly ok: boolean; readonly text: string } {
  if ('why' in answer) return { ok: false, text: answer.why };
  const outcome = answer.find((one) => one.id === id)?.outcome;
  if (!outcome) return { ok: true, text: 'had ended' };
  if (!outcome.ok) return { ok: false, text: outcome.error.message };
  return { ok: true, text: outcome.data.cancelPending ? 'cancel wanted' : outcome.data.status.toLowerCase() };
}
