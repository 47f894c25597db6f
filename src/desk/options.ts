/**
 * Options of a desk with every default in one place. The form of the values was checked by the command line
 * and the configuration file; what depends on the environment (port free, feed readable, certificate valid)
 * fails later with its own sentence.
 */
import { compiledNotices, type NoticeSettings, noticesProblem } from '../domain/notices.ts';
import { targetsProblem } from '../notify/target-options.ts';
import { IDLE_LOCK_MS } from './console/idle-lock.ts';
import type { DeskOptions } from './running.ts';
import { DeskStartError } from './start-error.ts';

export interface CompiledDeskOptions extends Required<Omit<DeskOptions, 'tlsCert' | 'tlsKey' | 'notices'>> {
  readonly notices: NoticeSettings;
  /** PEM files; null: no TLS. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
}

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 7420;
/** The API's root URL for a desk with the default address. */
export const DEFAULT_API_URL = `http://127.0.0.1:${DEFAULT_PORT}/api`;

/**
 * Fills in the defaults. Throws a DeskStartError when a certificate comes without its key, or the reverse,
 * and for an impossible target.
 */
export function compileDeskOptions(options: DeskOptions): CompiledDeskOptions {
  return {
    dataDir: options.dataDir,
    idleLockMs: options.idleLockMs ?? IDLE_LOCK_MS,
    host: options.host ?? DEFAULT_HOST,
    port: options.port ?? DEFAULT_PORT,
    feed: options.feed ?? 'synthetic',
    speed: options.speed ?? 1,
    hold: options.hold ?? false,
    seed: options.seed ?? 1,
    tls: tlsFiles(options),
    trustedProxies: options.trustedProxies ?? [],
    allowedOrigins: options.allowedOrigins ?? [],
    limits: options.limits ?? {},
    targets: checkedTargets(options),
    sshListen: options.sshListen ?? [],
    notices: checkedNotices(options),
    connections: options.connections ?? [],
    paper: options.paper ?? true,
    feeds: options.feeds ?? {},
    vaultPassphraseFile: options.vaultPassphraseFile ?? null,
    timeZone: options.timeZone ?? 'UTC',
    takeover: options.takeover ?? false,
    headless: options.headless ?? false,
    logStderr: options.headless === true && options.logStderr === true,
    warnings: options.warnings ?? [],
  };
}

function checkedTargets({ targets = [] }: DeskOptions): CompiledDeskOptions['targets'] {
  const problem = targetsProblem(targets);
  if (problem !== null) throw new DeskStartError(`the targets of alerts are wrong: ${problem}`, 2);
  return targets;
}

function checkedNotices({ notices = {}, targets = [] }: DeskOptions): NoticeSettings {
  const problem = noticesProblem(
    notices,
    targets.map(({ name }) => name),
  );
  if (problem !== null) throw new DeskStartError(problem, 2);
  return compiledNotices(notices);
}

/** Never ignores half of the TLS options silently: it is a mistake. */
function tlsFiles({ tlsCert, tlsKey }: DeskOptions): CompiledDeskOptions['tls'] {
  if (tlsCert !== undefined && tlsKey !== undefined) return { certFile: tlsCert, keyFile: tlsKey };
  if (tlsCert === undefined && tlsKey === undefined) return null;
  const [given, missing] =
    tlsCert === undefined
      ? ['private key', 'certificate (--tls-cert)']
      : ['certificate', 'private key (--tls-key)'];
  throw new DeskStartError(`TLS needs two files: a ${given} is given, its ${missing} is not`, 2);
}
