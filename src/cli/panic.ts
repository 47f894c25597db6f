/** `outcry panic`: stops all bots, cancels all orders, closes all positions; works where no console loads. */

import {
  countWords,
  PANIC_PARTS,
  PANIC_WORD,
  type PanicItem,
  type PanicPart,
  type PanicRun,
  panicCounts,
  partWords,
  USUAL_PARTS,
  withTargets,
} from '../console/panic/panic.ts';
import { panicWorld, remotePanic } from '../console/panic/remote-panic.ts';
import { clean } from '../console/ui/clean.ts';
import { consented, onDesk, processShell, type Shell } from './light-desk.ts';
import { EXIT_FAILURE, EXIT_OK } from './usage-error.ts';

export interface PanicSettings {
  readonly dataDir?: string;
  readonly yes?: boolean;
  /** The parts of the panic; left out: the usual ones. */
  readonly only?: readonly PanicPart[];
}

export async function panic(settings: PanicSettings, shell: Shell = processShell()): Promise<number> {
  const parts = PANIC_PARTS.filter((part) => (settings.only ?? USUAL_PARTS).includes(part));
  return onDesk(shell, settings.dataDir, async (desk) => {
    let run: PanicRun = { parts, items: [], running: true };
    for (const part of parts) run = withTargets(run, await panicWorld(desk, part), part);
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
    const { items } = await remotePanic(desk, parts, (_, done) => {
      for (const item of done) shell.out(itemLine(item));
    });
    const came = panicCounts(items);
    shell.out(items.length === 0 ? 'there was nothing to do\n' : `panic: ${countWords(came)}\n`);
    return came.done === came.all ? EXIT_OK : EXIT_FAILURE;
  });
}

function itemLine({ name, state, text }: PanicItem): string {
  return `${state === 'done' ? 'done  ' : 'FAILED'}  ${clean(name)}: ${clean(text)}\n`;
}
