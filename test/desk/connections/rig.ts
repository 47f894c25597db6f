/** A whole desk whose connections lead to an exchange made by the test, on files that outlive the desk. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '../../../src/cli/config.ts';
import type { ConnectionRequest } from '../../../src/desk/console/protocol.ts';
import type { DeskOptions } from '../../../src/desk/running.ts';
import type { Outcome } from '../../../src/domain/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import type { VenueKind } from '../../../src/venues/venue-kind.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { ok, openTestDesk, type TestDesk, temporaryFolder } from '../integration/support.ts';
import { type Acme, acme } from './test-kind.ts';

export const KEY = 'key-0123456789';
export const SECRET = 'secret-0123456789';
const PASSPHRASE = 'correct horse battery';

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
  readonly config: () => string;
  readonly log: () => string[];
  /** Lets time pass until the promise is settled. */
  wait<T>(promise: Promise<T>): Promise<T>;
  /** Calls the desk and lets time pass until it answers. */
  readonly ask: TestDesk['call'];
  readonly unlock: () => Promise<void>;
  readonly lock: () => Promise<void>;
  /** Starts the desk again on the same files. */
  again(options?: RigOptions): Promise<Rig>;
}

export interface RigOptions extends Partial<DeskOptions> {
  readonly exchange?: Acme;
  /** Further kinds of exchange that the desk can be connected to. */
  readonly others?: readonly VenueKind[];
  /** `open`: created, or opened at the start by a file. */
  readonly vault?: 'none' | 'locked' | 'open';
  readonly clock?: VirtualClock;
  /** Opens the store; left out: one that does not fail. */
  readonly openStore?: (file: string) => Store;
}

export async function openRig({
  exchange = acme(),
  others = [],
  vault = 'open',
  clock = new VirtualClock(undefined, { autoTurns: true }),
  dataDir = join(temporaryFolder(), 'data'),
  openStore,
  ...options
}: RigOptions = {}): Promise<Rig> {
  const passphraseFile = `${dataDir}.passphrase`;
  writeFileSync(passphraseFile, PASSPHRASE, { mode: 0o600 });
  const desk = await wait(
    clock,
    openTestDesk({
      feed: 'synthetic',
      ...configured(dataDir),
      ...(vault === 'open' ? { vaultPassphraseFile: passphraseFile } : {}),
      ...options,
      dataDir,
      clock,
      ports: {
        kinds: [exchange.kind, ...others],
        ...(openStore ? { openStore } : {}),
        vault: {
          derive: async (passphrase, salt) => createHash('sha256').update(passphrase).update(salt).digest(),
        },
      },
    }),
  );
  const ask: TestDesk['call'] = (method, params) => wait(clock, desk.call(method, params));
  if (vault !== 'none' && desk.desk.state().vault.state === 'none')
    ok(await ask('vault.init', { passphrase: PASSPHRASE }));
  const lock = async () => void ok(await ask('vault.lock', {}));
  if (vault === 'locked' && desk.desk.state().vault.state === 'open') await lock();
  return {
    ...desk,
    acme: exchange,
    ask,
    lock,
    config: () => readFileSync(join(dataDir, 'config.toml'), 'utf8'),
    log: () => desk.desk.state().log.map(({ text }) => text),
    wait: (promise) => wait(clock, promise),
    unlock: async () => void ok(await ask('vault.unlock', { passphrase: PASSPHRASE })),
    async again(changed = {}) {
      await wait(clock, desk.stop());
      return openRig({ exchange, others, clock, dataDir, ...changed });
    },
  };
}

/** The options that the command line would read from the file. */
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
    // Disk operations complete by themselves.
    for (let turn = 0; turn < 20 && !settled; turn++) await new Promise(setImmediate);
    if (!settled) await clock.advance(500);
  }
  return promise;
}

export function refusal(outcome: Outcome<unknown>): string {
  if (outcome.ok) throw new Error('it was not refused');
  return outcome.error.message;
}
