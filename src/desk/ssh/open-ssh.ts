/** The desk's own sshd if the options name an address, else a replacement that does nothing. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { refuse } from '../../domain/errors.ts';
import type { CompiledDeskOptions } from '../options.ts';
import type { SshPort } from '../running.ts';
import type { Trading } from '../trading.ts';
import type { StartProgram } from './sshd-process.ts';

/** The desk's sshd with its start and stop. */
export interface OwnSsh extends SshPort {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface OwnSshGiven {
  readonly options: Pick<CompiledDeskOptions, 'sshListen' | 'dataDir'>;
  readonly clock: Clock;
  readonly trading: Pick<Trading, 'core' | 'people'>;
  readonly start: StartProgram | undefined;
}

/** Opens the desk's sshd; its code is loaded only if there is one. */
export async function openSsh({ options, clock, trading, start }: OwnSshGiven): Promise<OwnSsh> {
  const { sshListen: listen, dataDir } = options;
  const { core, people } = trading;
  if (listen.length === 0) return NO_SSH;
  const { DeskSsh } = await import('./desk-ssh.ts');
  const { attachPlace } = await import('./program-place.ts');
  return new DeskSsh({
    listen,
    dataDir,
    clock,
    randomBytes,
    start,
    operators: people.operators,
    report: (level, text) => core.report(level, 'ssh', text),
    place: () => attachPlace(dataDir),
  });
}

export const NO_SSH: OwnSsh = {
  view: () => ({ listen: [], state: 'off', problem: null, account: null, hostKey: null, nextHostKey: null }),
  rotate: async () =>
    refuse(
      'CONFLICT',
      'this desk has no sshd of its own: [ssh] listen in config.toml, or --ssh, names where it listens',
    ),
  start: async () => {},
  stop: async () => {},
};
