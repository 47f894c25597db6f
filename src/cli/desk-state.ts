/**
 * What the running desk shows a terminal, for commands of the shell: one look at it, or a look and all that follows. What a role sees
 * and may do is decided at the desk, as for every console; `--role` can only lower it.
 */
import { applyDelta } from '../console/state/apply-delta.ts';
import type { DeskClient, DeskState } from '../desk/console/protocol.ts';
import { VERSION } from '../desk/version.ts';
import type { Role } from '../domain/operator.ts';
import { onDesk, type Shell } from './light-desk.ts';

/** Of every command that looks at a desk. */
export interface LookSettings {
  readonly dataDir?: string;
  /** At most this. */
  readonly role?: Role;
}

/** A private word of the desk's owner locks its terminals: nothing of an account is told. */
const LOCKED =
  'the terminals of this desk are locked by a PIN, and show nothing of its accounts: log in at the console, or take the PIN away there';

/** How a command of the shell introduces itself. */
export function introduction({ role }: LookSettings, state: boolean) {
  return { state, ...(role === undefined ? {} : { role }), terminal: 'shell', version: VERSION };
}

/** Runs `work` on the desk of the folder with its state of now. Throws a sentence when none runs there, or it is locked. */
export async function onState<T>(
  shell: Shell,
  settings: LookSettings,
  work: (desk: DeskClient, state: DeskState) => Promise<T>,
): Promise<T> {
  const look = async (desk: DeskClient) => work(desk, whenUnlocked(await stateOf(desk)));
  return onDesk(shell, settings.dataDir, look, introduction(settings, true));
}

/** The state of a terminal that mirrors it. Rejects with the desk's reason when the line ends before. */
export function stateOf(desk: DeskClient): Promise<DeskState> {
  return new Promise((resolve, reject) => {
    desk.onClosed((reason) => reject(new Error(reason)));
    // Not acknowledged: nothing follows, however long the command takes.
    desk.onState((message) => {
      if ('snapshot' in message) resolve(message.snapshot);
    });
  });
}

/**
 * Calls `see` with the state now and after every change, until the line ends or `until` is settled. Resolves with why the desk has
 * ended the line; null: it was `until`.
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

/** The state, unless it is that of a locked terminal: then a sentence is thrown. */
export function whenUnlocked(state: DeskState): DeskState {
  if (state.me?.locked != null) throw new Error(LOCKED);
  return state;
}
