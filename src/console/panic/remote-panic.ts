/**
 * A panic for a client without a copy of the desk's state: a shell, a locked terminal. The items are
 * requested page by page; keys are handled between requests.
 */
import type { DeskClient } from '../../desk/console/protocol.ts';
import {
  itemKey,
  type PanicItem,
  type PanicPart,
  type PanicRun,
  type PanicWorld,
  panicCounts,
  withItems,
  withTargets,
} from './panic.ts';
import { closesAgain, type PanicRequester, panicRequest, panicRequests } from './panic-request.ts';

/** Number of checks for items that appeared meanwhile. */
const LOOKS = 3;

type Desk = Pick<DeskClient, 'call'>;

/**
 * Runs the panic.
 * @param came called with the run after each request, and with the items of that request
 */
export async function remotePanic(
  desk: Desk,
  parts: readonly PanicPart[],
  came: (run: PanicRun, items: readonly PanicItem[]) => void,
): Promise<PanicRun> {
  let run: PanicRun = { parts, items: [], running: true };
  // A lost request counts as failed; the next one may succeed.
  const ask: PanicRequester['ask'] = (method, params) => desk.call(method, params).catch(() => null);
  // The result is ignored: where nothing can be stored, each request below is refused by itself.
  await ask('desk.panic', { phase: 'start', parts, again: false });
  for (let look = 0; look <= LOOKS; look++) {
    const known = run.items.length;
    for (const part of parts) {
      const state = await panicWorld(desk, part);
      run = withTargets(run, state, part);
      const waiting = run.items.filter((item) => item.part === part && item.state === 'waiting');
      for (const items of panicRequests(part, waiting, state)) {
        run = withItems(run, await panicRequest({ ask, state, parts }, part, items));
        const keys = new Set(items.map(itemKey));
        came(
          run,
          run.items.filter((item) => keys.has(itemKey(item))),
        );
      }
    }
    if (look > 0 && run.items.length === known) break;
  }
  const again = await closesAgain({ ask }, run.items);
  if (again.size > 0) {
    run = withItems(run, again);
    came(
      run,
      run.items.filter((item) => again.has(itemKey(item))),
    );
  }
  await ask('desk.panic', { phase: 'end', ...panicCounts(run.items) });
  return { ...run, running: false };
}

/** Reads the items of a part, all pages of them. */
export async function panicWorld(desk: Desk, part: PanicPart): Promise<PanicWorld> {
  let world: PanicWorld = { bots: {}, orders: {}, futures: {} };
  let after: string | undefined;
  do {
    const page = await desk.call('panic.targets', { part, ...(after === undefined ? {} : { after }) });
    world = {
      bots: { ...world.bots, ...page.bots },
      orders: { ...world.orders, ...page.orders },
      futures: { ...world.futures, ...page.futures },
    };
    after = page.next ?? undefined;
  } while (after !== undefined);
  return world;
}
