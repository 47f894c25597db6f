/** The choices: all accounts, or one of them, each with its figures. Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { type Mode, modeOf } from '../dialogs/mode.ts';
import { isOpen } from '../trading/orders.ts';
import { openPositions } from '../trading/positions.ts';

/** Field of the dialog for all accounts; no account has this name. */
export const ALL = '';

export interface OnlyChoice {
  /** `ALL`: all accounts. */
  readonly id: string;
  readonly mode: Mode | null;
  readonly kind: 'spot' | 'futures' | '';
  readonly orders: number;
  readonly positions: number;
  /** Decimal string; empty: not known yet. */
  readonly usd: string;
  readonly up: boolean;
}

export interface OnlyDialog {
  readonly kind: 'only';
  /** `ALL`, or the id of an account. */
  readonly focus: string;
}

/** The choice of all accounts first, then each account. */
export function onlyChoices(state: DeskState): readonly OnlyChoice[] {
  const open = Object.values(state.orders).filter(isOpen);
  const positions = openPositions(state);
  const all: OnlyChoice = {
    id: ALL,
    mode: null,
    kind: '',
    orders: open.length,
    positions: positions.length,
    usd: state.equity.usd,
    up: true,
  };
  const each = state.accounts.map(({ id, kind, link }): OnlyChoice => {
    const own = ({ exchange }: { readonly exchange: string }) => exchange === id;
    return {
      id,
      mode: modeOf(state, [id]),
      kind,
      orders: open.filter(own).length,
      positions: positions.filter(own).length,
      usd: state.portfolios[id]?.total.usd ?? '',
      up: link === 'up',
    };
  });
  return [all, ...each];
}

declare module '../state/ui.ts' {
  interface Dialogs {
    readonly 'one-account': OnlyDialog;
  }
}
