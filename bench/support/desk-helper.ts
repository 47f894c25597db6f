/**
 * A desk in a process of its own, opened as the product opens it, with a store that counts and can record its
 * commits. Commands: `open`, `call`, `state`, `counters`, `memory`, `churn`, `record`, `close`.
 */

import type { Method, Params } from '../../src/desk/console/protocol.ts';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { openDesk } from '../../src/desk/open-desk.ts';
import type { DeskOptions, RunningDesk } from '../../src/desk/running.ts';
import type { Row } from '../../src/domain/rows.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';
import { answerCommands, cpuMs } from './answering.ts';
import { type ChurnOptions, churn } from './churn.ts';

let desk: RunningDesk | null = null;
let commits = 0;
let rows = 0;
let recorded: Row[][] | null = null;
let openedAt = 0;

function countingStore(...args: Parameters<typeof openSqliteStore>): Store {
  openedAt = performance.now();
  const store = openSqliteStore(...args);
  const commit = store.commit.bind(store);
  store.commit = (batch) => {
    commits += 1;
    rows += batch.length;
    recorded?.push(structuredClone(batch) as Row[]);
    commit(batch);
  };
  return store;
}

function running(): RunningDesk {
  if (!desk) throw new Error('the desk is not open');
  return desk;
}

answerCommands({
  /** Opens the desk. `ms`: from opening the store until the desk is open, reconciled and listening. */
  open: async (options: DeskOptions) => {
    desk = await openDesk(options, systemClock, { openStore: countingStore });
    const ms = performance.now() - openedAt;
    const open = Object.values(desk.state().orders).filter((o) => o.status === 'OPENED' && !o.unresolved);
    return { info: desk.info, ms, open: open.length };
  },
  call: ({ method, params }: { method: Method; params: Params<Method> }) => running().call(method, params),
  state: () => running().state(),
  counters: () => ({ commits, rows, cpuMs: cpuMs() }),
  memory: () => process.memoryUsage.rss(),
  churn: (options: ChurnOptions) => churn(running(), options),
  /** Returns the rows committed since recording began; recording continues if `on`. */
  record: ({ on }: { on: boolean }) => {
    const was = recorded;
    recorded = on ? [] : null;
    return was;
  },
  close: async () => {
    await running().stop('the bench is over');
    desk = null;
  },
});
