/**
 * The running desk's state for commands of the shell: one snapshot, or a snapshot and all changes. The desk
 * decides what a role sees and may do, as for every console; `--role` can only lower the role.
 */
import { applyDelta } from '../console/state/apply-delta.ts';
import type { DeskClient, DeskState } from '../desk/console/protocol.ts';
import { VERSION } from '../desk/version.ts';
import type { Role } from '../domain/operator.ts';
import { onDesk, type Shell } from './light-desk.ts';

/** The settings of every command that reads a desk's state. */
export interface LookSettings {
  readonly dataDir?: string;
  /** The highest role that the command may have. */
  readonly role?: Role;
}

/** The error while a PIN locks the desk's terminals: nothing about an account is shown. */
const LOCKED =
  'the terminals of this desk are locked by a PIN, and show nothing of its accounts: log in at the console, or take the PIN away there';

/** Returns how a command of the shell introduces itself to the desk. */
export function introduction({ role }: LookSettings, state: boolean) {
  return { state, ...(role === undefined ? {} : { role }), terminal: 'shell', version: VERSION };
}

/** Runs `work` with the folder's desk and its state. Throws a sentence if none runs, or it is locked. */
export async function onState<T>(
  shell: Shell,
  settings: LookSettings,
  work: (desk: DeskClient, state: DeskState) => Promise<T>,
): Promise<T> {
  const look = async (desk: DeskClient) => work(desk, whenUnlocked(await stateOf(desk)));
  return onDesk(shell, settings.dataDir, look, introduction(settings, true));
}

/** Returns the state that a terminal mirrors. Rejects with the desk's reason if the connection ends first. */
export function stateOf(desk: DeskClient): Promise<DeskState> {
  return new Promise((resolve, reject) => {
    desk.onClosed((reason) => reject(new Error(reason)));
    // The snapshot is not acknowledged, so that no changes follow, however long the command takes.
    desk.onState((message) => {
      if ('snapshot' in message) resolve(message.snapshot);
    });
  });
}

/**
 * Calls `see` with the current state and after every change, until the connection ends or `until` is settled.
 * Resolves with the desk's reason for the end; null: `until` was settled.
 */
export function follow(
  desk: DeskClient,
  see: (state: DeskState) => void,
  until: Promise<unknown>,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let state: DeskState | null = null;
    desk.onClosed((reason) => resolve(reason));
    until.then(
      () => resolve(null),
      () => resolve(null),
    );
    desk.onState((message, ack) => {
      if ('snapshot' in message) state = message.snapshot;
      else if (state) state = applyDelta(state, message.delta);
      try {
        if (state) see(whenUnlocked(state));
      } catch (error) {
        reject(error);
        return;
      }
      ack();
    });
  });
}

/** Returns the state; throws a sentence if it is a locked terminal's. */
export function whenUnlocked(state: DeskState): DeskState {
  if (state.me?.locked != null) throw new Error(LOCKED);
  return state;
}
