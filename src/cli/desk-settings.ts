/** The options of a new desk: the command line wins over the configuration file, that one over the defaults. */
import { resolve } from 'node:path';
import type { DeskOptions } from '../desk/running.ts';
import { readConfig } from './config.ts';
import { listenAddress } from './forms.ts';
import type { OptionValues } from './options.ts';

/** What the command line can say of a desk. */
export type DeskSettings = Partial<
  Pick<
    OptionValues,
    | 'port'
    | 'host'
    | 'feed'
    | 'speed'
    | 'hold'
    | 'seed'
    | 'takeover'
    | 'tlsCert'
    | 'tlsKey'
    | 'trustedProxy'
    | 'allowOrigin'
    | 'ssh'
  >
>;

/** Reads the configuration of the data folder. Throws a UsageError of one sentence. */
export function deskOptions(settings: DeskSettings, dataDir: string): DeskOptions {
  const { options, warnings } = readConfig(dataDir);
  const { tlsCert, tlsKey, trustedProxy, allowOrigin, ssh, ...rest } = settings;
  return {
    ...options,
    ...rest,
    // Files are named from where the command is given; the configuration names them from its own folder.
    ...(tlsCert !== undefined && { tlsCert: resolve(tlsCert) }),
    ...(tlsKey !== undefined && { tlsKey: resolve(tlsKey) }),
    ...(trustedProxy !== undefined && { trustedProxies: trustedProxy }),
    ...(allowOrigin !== undefined && { allowedOrigins: allowOrigin }),
    ...(ssh !== undefined && { sshListen: ssh.map(listenAddress) }),
    dataDir,
    warnings,
  };
}
