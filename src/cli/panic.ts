/** `outcry panic`: stops all bots, cancels all orders, closes all positions from the shell, also where a console could not load. */

import {
  countWords,
  itemKey,
  PANIC_PARTS,
  PANIC_WORD,
  type PanicItem,
  type PanicPart,
  type PanicRun,
  type PanicWorld,
  panicCounts,
  partWords,
  USUAL_PARTS,
  withItems,
  withTargets,
} from '../console/panic/panic.ts';
import { panicRequest, panicRequests } from '../console/panic/panic-request.ts';
import { clean } from '../console/ui/clean.ts';
import type { DeskClient } from '../desk/console/protocol.ts';
import { consented, onDesk, processShell, type Shell } from './light-desk.ts';
import { EXIT_FAILURE, EXIT_OK } from './usage-error.ts';

export interface PanicSettings {
  readonly dataDir?: string;
  readonly yes?: boolean;
  /** Parts; left out: the usual ones. */
  readonly only?: readonly PanicPart[];
}

/** Looks at what has come to be there since. */
const LOOKS = 3;

export async function panic(settings: PanicSettings, shell: Shell = processShell()): Promise<number> {
  const parts = PANIC_PARTS.filter((part) => (settings.only ?? USUAL_PARTS).includes(part));
  return onDesk(shell, settings.dataDir, async (desk) => {
    let run: PanicRun = { parts, items: [], running: true };
    for (const part of parts) run = withTargets(run, await worldOf(desk, part), part);
    const counts = parts.map((part) =>
      partWords(part, run.items.filter((item) => item.part === part).length),
    );
    const question = `About to ${counts.join(', ')}.`;
    if (
      !(await consented(shell, { yes: settings.yes === true, command: 'panic', question, word: PANIC_WORD }))
    ) {
      shell.err('nothing was done\n');
      return EXIT_FAILURE;
    }
    const items = await work(desk, parts, shell);
    const came = panicCounts(items);
    await desk.call('desk.panic', { phase: 'end', ...came }).catch(() => null);
    shell.out(items.length === 0 ? 'there was nothing to do\n' : `panic: ${countWords(came)}\n`);
    return came.done === came.all ? EXIT_OK : EXIT_FAILURE;
  });
}

async function work(
  desk: DeskClient,
  parts: readonly PanicPart[],
  shell: Shell,
): Promise<readonly PanicItem[]> {
  let run: PanicRun = { parts, items: [], running: true };
  // Whatever comes of the line: where nothing can be stored, each request below is refused by itself.
  await desk.call('desk.panic', { phase: 'start', parts, again: false }).catch(() => null);
  for (let look = 0; look <= LOOKS; look++) {
    const known = run.items.length;
    for (const part of parts) {
      const state = await worldOf(desk, part);
      run = withTargets(run, state, part);
      const waiting = run.items.filter((item) => item.part === part && item.state === 'waiting');
      for (const items of panicRequests(part, waiting, state)) {
        run = withItems(run, await panicRequest({ ask: asking(desk), state, parts }, part, items));
        const keys = new Set(items.map(itemKey));
        for (const item of run.items) if (keys.has(itemKey(item))) shell.out(itemLine(item));
      }
    }
    if (look > 0 && run.items.length === known) break;
  }
  return run.items;
}

function itemLine({ name, state, text }: PanicItem): string {
  return `${state === 'done' ? 'done  ' : 'FAILED'}  ${clean(name)}: ${clean(text)}\n`;
}

function asking(desk: DeskClient): Parameters<typeof panicRequest>[0]['ask'] {
  // A request that is lost has failed; the next one may not be.
  return (method, params) => desk.call(method, params).catch(() => null);
}

/** What a part is about, all pages of it. */
async function worldOf(desk: DeskClient, part: PanicPart): Promise<PanicWorld> {
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
