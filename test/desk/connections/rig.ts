/** A whole desk whose connections lead to an exchange of the test, over files that outlive it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '../../../src/cli/config.ts';
import type { ConnectionRequest } from '../../../src/desk/console/protocol.ts';
import type { DeskOptions } from '../../../src/desk/running.ts';
import type { Outcome } from '../../../src/domain/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { openTestDesk, type TestDesk, temporaryFolder } from '../integration/support.ts';
import { type Acme, acme } from './test-kind.ts';
import { TestVault } from './test-vault.ts';

export const KEY = 'key-0123456789';
export const SECRET = 'secret-0123456789';

export const REQUEST: ConnectionRequest & { rights: [] } = {
  name: 'acme',
  venue: 'acme',
  markets: ['spot', 'futures'],
  environment: 'live',
  secrets: { apiKey: KEY, secret: SECRET },
  rights: [],
};

export interface Rig extends TestDesk {
  readonly acme: Acme;
  readonly vault: TestVault;
  readonly config: () => string;
  readonly log: () => string[];
  /** Lets time pass until the promise is settled. */
  wait<T>(promise: Promise<T>): Promise<T>;
  /** The same, of a call. */
  readonly ask: TestDesk['call'];
  /** The desk is started again on the same files; its vault is as it was left. */
  again(vault?: TestVault['state']): Promise<Rig>;
}

export interface RigOptions extends Partial<DeskOptions> {
  readonly exchange?: Acme;
  readonly vaultState?: TestVault['state'];
  readonly clock?: VirtualClock;
  readonly prepare?: (store: Store) => void;
}

export async function openRig({
  exchange = acme(),
  vaultState = 'open',
  clock = new VirtualClock(undefined, { autoTurns: true }),
  dataDir = join(temporaryFolder(), 'data'),
  prepare,
  ...options
}: RigOptions = {}): Promise<Rig> {
  let vault: TestVault | null = null;
  const opening = openTestDesk({
    feed: 'synthetic',
    ...configured(dataDir),
    ...options,
    dataDir,
    clock,
    ports: {
      kinds: [exchange.kind],
      vault(store) {
        prepare?.(store);
        vault = new TestVault(store, vaultState);
        return vault;
      },
    },
  });
  const desk = await wait(clock, opening);
  const made = vault as unknown as TestVault;
  return {
    ...desk,
    ...{ acme: exchange, vault: made },
    config: () => readFileSync(join(dataDir, 'config.toml'), 'utf8'),
    log: () => desk.desk.state().log.map(({ text }) => text),
    wait: (promise) => wait(clock, promise),
    ask: (method, params) => wait(clock, desk.call(method, params)),
    async again(state = made.state) {
      await wait(clock, desk.stop());
      return openRig({ exchange, vaultState: state, clock, dataDir });
    },
  };
}

/** What the command line would make of the file. */
function configured(dataDir: string): Partial<DeskOptions> {
  const file = join(dataDir, 'config.toml');
  try {
    const { options } = parseConfig(file, readFileSync(file, 'utf8'));
    return options.connections ? { connections: options.connections } : {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

async function wait<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const end = () => {
    settled = true;
  };
  promise.then(end, end);
  for (let second = 0; second < 120 && !settled; second++) {
    // What is on a disk comes by itself.
    for (let turn = 0; turn < 20 && !settled; turn++) await new Promise(setImmediate);
    if (!settled) await clock.advance(500);
  }
  return promise;
}

export function refusal(outcome: Outcome<unknown>): string {
  if (outcome.ok) throw new Error('it was not refused');
  return outcome.error.message;
}
