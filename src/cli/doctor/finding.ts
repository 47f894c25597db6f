/** A finding of the doctor, and what its checks have in common. */
import { join } from 'node:path';
import type { ConnectionsView, DeskState } from '../../desk/console/protocol.ts';
import type { StoreLook } from '../../store/sqlite/look.ts';
import type { Config } from '../config.ts';
import type { World } from './world.ts';

/** `fail`: something does not work. `warn`: it works, but not for ever, or not as expected. */
export type Level = 'ok' | 'warn' | 'fail';

export interface Finding {
  /** The name of the check, such as `port` or `store`: the same in every version. */
  readonly check: string;
  readonly level: Level;
  readonly text: string;
  /** What to do about it; null: nothing. */
  readonly remedy: string | null;
}

/** The running desk of the folder. */
export interface DeskLook {
  /** The desk's process id, from the folder's file; null: no such process is known. */
  readonly pid: number | null;
  /** The desk's state; null: no desk responds, or its terminals are locked. */
  readonly state: DeskState | null;
  readonly locked: boolean;
  readonly connections: ConnectionsView | null;
  readonly operators: number | null;
  /** Why an existing desk does not respond; null: it responds, or there is none. */
  readonly problem: string | null;
  readonly runs: boolean;
}

/** The input of every check; gathered once, in this order. */
export interface Case {
  readonly world: World;
  readonly dataDir: string;
  readonly config: Config | { readonly problem: string };
  readonly store: StoreLook;
  readonly desk: DeskLook;
}

export type Check = (one: Case) => readonly Finding[] | Promise<readonly Finding[]>;

export const fine = (check: string, text: string): Finding => ({ check, level: 'ok', text, remedy: null });
export const warn = (check: string, text: string, remedy: string): Finding => {
  return { check, level: 'warn', text, remedy };
};
export const fail = (check: string, text: string, remedy: string): Finding => {
  return { check, level: 'fail', text, remedy };
};

export function storeFile(dataDir: string): string {
  return join(dataDir, 'outcry.db');
}

/** Splits a sentence of the form `what; what to do` into its two halves. */
export function halves(sentence: string, otherwise: string): readonly [text: string, remedy: string] {
  const at = sentence.indexOf('; ');
  return at < 0 ? [sentence, otherwise] : [sentence.slice(0, at), sentence.slice(at + 2)];
}

/** Writes a time as `2026-11-26 01:15 UTC`. */
export function moment(ms: number): string {
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15
    ? `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    : 'a time that no calendar has';
}
