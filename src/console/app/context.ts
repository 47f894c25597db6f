/** React's access to session and stores. Selectors stay narrow: a component redraws for what it shows. */
import { createContext, use } from 'react';
import { useStore } from 'zustand';
import type { DeskState } from '../../desk/console/protocol.ts';
import type { KeyPipeline } from '../input/pipeline.ts';
import type { UiState } from '../state/ui.ts';
import { ofAccount } from '../trading/one-account.ts';
import type { Suspend } from './external-editor.ts';
import type { Session } from './session.ts';

export interface ConsoleContext {
  readonly session: Session;
  readonly keys: KeyPipeline;
  /** Sets how the terminal is handed over to another program; null once the console has left. */
  readonly handOver: (suspend: Suspend | null) => void;
}

export const SessionContext = createContext<ConsoleContext | null>(null);

export function useConsole(): ConsoleContext {
  const context = use(SessionContext);
  if (!context) throw new Error('outside a console session');
  return context;
}

export function useUi<T>(select: (ui: UiState) => T): T {
  return useStore(useConsole().session.ui, select);
}

/**
 * Reads the desk's state, limited to the one account that is looked at, if one is. Only below a frame that is
 * drawn after the first snapshot.
 */
export function useDesk<T>(select: (state: DeskState) => T): T {
  const only = useUi((ui) => ui.only);
  return useWholeDesk((state) => select(ofAccount(state, only)));
}

/** Reads the desk's state with all accounts, even if one account is looked at. */
export function useWholeDesk<T>(select: (state: DeskState) => T): T {
  return useStore(useConsole().session.desk, (store) => {
    if (!store.state) throw new Error('no state of the desk yet');
    return select(store.state);
  });
}

export function useLost(): string | null {
  return useStore(useConsole().session.desk, (store) => store.lost);
}
