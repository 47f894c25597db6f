/**
 * How many files and sockets this process may have open, and how many of them may be API clients: the rest is
 * kept for the database, the log and the consoles, so that strangers never take what the operator needs.
 */
import { readFileSync } from 'node:fs';

/**
 * File descriptors that connections to the API leave free: the desk itself has about 50 open, a console takes
 * one.
 */
export const RESERVED_FILES = 256;

/** Least share for connections if the limit is hardly larger than the reserve. */
const LEAST_SHARE = 0.25;

/** Most connections under this limit of open files; null: no limit is known. */
export function connectionsWithin(openFiles: number | null, most: number): number {
  if (openFiles === null) return most;
  const share = Math.max(openFiles - RESERVED_FILES, Math.floor(openFiles * LEAST_SHARE));
  return Math.max(1, Math.min(most, share));
}

/**
 * The limit of this process (RLIMIT_NOFILE; node raises the soft one to the hard one); null: there is none.
 */
export function openFileLimit(): number | null {
  if (process.platform === 'win32') return null;
  const text = process.platform === 'linux' ? limitsOfKernel() : null;
  const soft = text === null ? limitOfReport() : /^Max open files +(\d+)/m.exec(text)?.[1];
  return soft !== undefined && /^\d{1,15}$/.test(soft) ? Number(soft) : null;
}

function limitsOfKernel(): string | null {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Not mounted in every container; the report has the limit, too.
    return null;
  }
}

/**
 * Reads the limit from the report: slower, but the same on every Unix. Without the network part, which would
 * look up names.
 */
function limitOfReport(): string | undefined {
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  return userLimits?.open_files?.soft?.toString();
}
