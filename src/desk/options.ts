/** Options of a desk with every default in one place. Values come checked for form from the command line; what needs the world (port free, feed readable) fails later with its own sentence. */
import type { DeskOptions } from './running.ts';

export type CompiledDeskOptions = Required<DeskOptions>;

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 7420;

export function compileDeskOptions(options: DeskOptions): CompiledDeskOptions {
  return {
    dataDir: options.dataDir,
    host: options.host ?? DEFAULT_HOST,
    port: options.port ?? DEFAULT_PORT,
    feed: options.feed ?? 'synthetic',
    speed: options.speed ?? 1,
    hold: options.hold ?? false,
    seed: options.seed ?? 1,
  };
}
