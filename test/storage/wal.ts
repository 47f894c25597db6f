/**
 * Reads and damages a write-ahead log: https://sqlite.org/fileformat.html, "The Write-Ahead Log". Pure: bytes
 * in, bytes out.
 */

const HEADER = 32;
const FRAME_HEADER = 24;
const PAGE = 4096;
const FRAME = FRAME_HEADER + PAGE;

export interface Wal {
  readonly bytes: Buffer;
  /** Frames of the present generation; frames after them remain from an earlier one. */
  readonly frames: number;
  /** Frame counts at which a transaction is complete: 0 and each commit. */
  readonly commits: readonly number[];
}

export function readWal(bytes: Buffer): Wal {
  const salts = bytes.subarray(16, 24);
  const commits = [0];
  let frames = 0;
  for (let at = HEADER; at + FRAME <= bytes.length; at += FRAME) {
    if (!bytes.subarray(at + 8, at + 16).equals(salts)) break;
    frames += 1;
    // The size of the database after a commit; 0 within a transaction.
    if (bytes.readUInt32BE(at + 4) > 0) commits.push(frames);
  }
  return { bytes, frames, commits };
}

/** The commit that a state with `frames` whole frames shows: the last one at or before them. */
export function lastCommit(wal: Wal, frames: number): number {
  return wal.commits.findLast((commit) => commit <= frames) ?? 0;
}

export interface DamagedWal {
  readonly name: string;
  readonly bytes: Buffer;
}

/** WALs whose write stopped or went wrong in frame `n` (from 0): everything before it is whole. */
export function damagedAt(wal: Wal, n: number): DamagedWal[] {
  const at = HEADER + n * FRAME;
  const cut = { name: 'cut before it', bytes: wal.bytes.subarray(0, at) };
  if (n >= wal.frames) return [cut];
  const within = FRAME_HEADER + ((n * 997) % PAGE);
  return [
    cut,
    n % 4 === 0
      ? { name: 'torn in its header', bytes: wal.bytes.subarray(0, at + 1 + (n % (FRAME_HEADER - 1))) }
      : { name: 'torn in its page', bytes: wal.bytes.subarray(0, at + within) },
    { name: 'a bit flipped in its header', bytes: flipped(wal.bytes, at + (n % FRAME_HEADER), n) },
    { name: 'a bit flipped in its page', bytes: flipped(wal.bytes, at + within, n) },
  ];
}

/**
 * A WAL of which the disk wrote the first `n` frames of the new generation; the old one is still behind them.
 */
export function overOld(wal: Wal, old: Buffer, n: number): Buffer {
  const end = HEADER + n * FRAME;
  return Buffer.concat([wal.bytes.subarray(0, end), old.subarray(end)]);
}

function flipped(bytes: Buffer, at: number, n: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ (1 << (n % 8));
  return copy;
}

/**
 * A database whose checkpoint had written `pages` of the changed pages, in ascending order, when the power
 * failed.
 */
export function halfCheckpoint(before: Buffer, after: Buffer, pages: number): Buffer {
  const size = Math.max(before.length, after.length);
  const image = Buffer.alloc(size);
  before.copy(image);
  let written = 0;
  let end = before.length;
  for (let at = 0; at < after.length && written < pages; at += PAGE) {
    const page = after.subarray(at, at + PAGE);
    if (at < before.length && page.equals(before.subarray(at, at + PAGE))) continue;
    page.copy(image, at);
    end = Math.max(end, at + PAGE);
    written += 1;
  }
  return image.subarray(0, end);
}

export function changedPages(before: Buffer, after: Buffer): number {
  let count = 0;
  for (let at = 0; at < after.length; at += PAGE)
    if (!after.subarray(at, at + PAGE).equals(before.subarray(at, at + PAGE))) count += 1;
  return count;
}
