/**
 * Which data folder a command uses. A replay without a folder of its own gets one beside the live desk's: its
 * market is in the past, and market time never goes back.
 */
import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { resolveDataFolder } from '../store/data-folder.ts';

export interface DataDirSettings {
  readonly dataDir?: string;
  readonly feed?: string;
}

/**
 * Returns the data folder: `--data-dir` and `$OUTCRY_HOME` come first; without them a `csv:` feed has
 * `replay/<folder name>-<hash>` inside the default folder.
 */
export function dataDirOf(
  settings: DataDirSettings,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const folder = resolveDataFolder({ dataDir: settings.dataDir, env });
  const explicit = Boolean(settings.dataDir || env.OUTCRY_HOME);
  if (explicit || !settings.feed?.startsWith('csv:')) return folder;
  return join(folder, 'replay', replayName(settings.feed));
}

/** Names a replay's folder: the same files and options give the same name from every working folder. */
function replayName(feed: string): string {
  const body = feed.slice('csv:'.length);
  const at = body.indexOf('@', Math.max(body.lastIndexOf('/'), body.lastIndexOf('\\')) + 1);
  const path = resolve(at < 0 ? body : body.slice(0, at));
  const rest = at < 0 ? '' : body.slice(at);
  const hash = createHash('sha256').update(`${path}${rest}`).digest('hex').slice(0, 8);
  const name = basename(path)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 20);
  return `${name || 'candles'}-${hash}`;
}
