/** The view state of the Bots screen of one terminal. */
import type { BotDetail } from '../../desk/console/protocol.ts';
import { CLOSED_PANE, type ListView, newList, type PaneView } from '../lists/rows.ts';
import type { BotChart } from './bot-detail.ts';
import type { BotAction, BotDialog, BotPage, BotSort } from './bot-forms.ts';

export interface BotsView extends ListView<BotSort>, PaneView {
  readonly page: BotPage;
  readonly detail: BotDetail | null;
  readonly chart: BotChart | null;
  /** The candle under the chart's crosshair, by its open time; null: no crosshair. */
  readonly cursor: number | null;
}

export const FIRST_BOTS: BotsView = {
  ...newList<BotSort>('status'),
  ...CLOSED_PANE,
  page: 'now',
  detail: null,
  chart: null,
  cursor: null,
};

declare module '../state/ui.ts' {
  interface Screens {
    readonly bots: true;
  }
  interface Lists {
    readonly bots: BotsView;
  }
  interface Dialogs {
    readonly bots: BotDialog;
  }
  interface Actions {
    readonly bots: BotAction;
  }
}
