/** The options of a new desk: the command line overrides the configuration file, the file the defaults. */
import { resolve } from 'node:path';
import type { DeskOptions } from '../desk/running.ts';
import { readConfig } from './config.ts';
import { listenAddress } from './forms.ts';
import type { OptionValues } from './options.ts';

/** The command line's settings of a desk. */
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

/** Reads the data folder's configuration and adds the command line. Throws a UsageError of one sentence. */
export function deskOptions(settings: DeskSettings, dataDir: string): DeskOptions {
  const { options, warnings } = readConfig(dataDir);
  const { tlsCert, tlsKey, trustedProxy, allowOrigin, ssh, ...rest } = settings;
  return {
    ...options,
    ...rest,
    // Paths on the command line are relative to the working folder, those of the configuration to its own
    // folder.
    ...(tlsCert !== undefined && { tlsCert: resolve(tlsCert) }),
    ...(tlsKey !== undefined && { tlsKey: resolve(tlsKey) }),
    ...(trustedProxy !== undefined && { trustedProxies: trustedProxy }),
    ...(allowOrigin !== undefined && { allowedOrigins: allowOrigin }),
    ...(ssh !== undefined && { sshListen: ssh.map(listenAddress) }),
    dataDir,
    warnings,
  };
}
