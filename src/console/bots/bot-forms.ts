/** The forms of the Bots screen as plain data: a new bot, a stop, a stop rule, a tag; and their actions. */
import type { BotDetail } from '../../desk/console/protocol.ts';
import type { BotChange, Cleanup, NewBot, StopWay } from '../../domain/bot.ts';
import type { BotType } from '../../schemas/bots/bot-type.ts';
import type { TextArea } from '../forms/text-area.ts';
import type { BotEditor } from './editor/editor.ts';

/** The desk's check of a text (`bots.check`). */
export interface BotCheck {
  readonly text: string;
  readonly problems: readonly { readonly path: string; readonly message: string }[];
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
}

export interface BotForm {
  readonly kind: 'bot-form';
  readonly title: string;
  /** The type of the last template. */
  readonly type: BotType;
  /** Path of the file to read. */
  readonly file: string;
  readonly area: TextArea;
  /** The text as a template, file or bot gave it: a different text was changed by the person. */
  readonly given: string;
  readonly focus: 'type' | 'file' | 'json' | 'review';
  readonly check: BotCheck | null;
  /** The refusal of the last attempt, or why a file could not be read. */
  readonly refusal: string | null;
  /** The person was warned that leaving loses the text. */
  readonly leaving: boolean;
}

/** The choices of a stop, for one bot or all marked ones. */
export interface BotStopForm {
  readonly kind: 'bot-stop';
  /** Bots and their runs at the time when the form was opened. */
  readonly runs: readonly (readonly [botId: string, runId: string])[];
  readonly cleanup: Cleanup;
  readonly sell: boolean;
  readonly force: boolean;
  readonly focus: 'cleanup' | 'sell' | 'force' | 'review';
  /** The detail of a single bot; null for several bots, and before the response. */
  readonly detail: BotDetail | null;
}

export const STOP_COMMANDS = ['add_stoploss', 'update_stoploss', 'delete_stoploss'] as const;
export type StopCommandName = (typeof STOP_COMMANDS)[number];
export const RULE_STRATEGIES = [
  'price_percent_buy',
  'fixed',
  'trailing',
  'breakeven',
  'price',
  'trend_percent_price',
  'timeout_buy',
] as const;
export type RuleStrategy = (typeof RULE_STRATEGIES)[number];
export const RULE_ORDERS = ['MARKET', 'LIMIT', 'STOP_MARKET', 'STOP_LIMIT'] as const;

/** A stop rule for a running bot. */
export interface BotRuleForm {
  readonly kind: 'bot-rule';
  readonly id: string;
  readonly runId: string;
  readonly command: StopCommandName;
  /** Index of the changed or deleted rule in the run's rules. */
  readonly rule: number;
  readonly strategy: RuleStrategy;
  readonly trigger: 'kline' | 'exchange';
  readonly value: string;
  readonly percent: string;
  readonly stopPrice: string;
  readonly order: (typeof RULE_ORDERS)[number];
  readonly complete: boolean;
  readonly closed: boolean;
  readonly disabled: boolean;
  readonly focus: BotRuleField;
  readonly detail: BotDetail | null;
  /** The refusal of the last attempt. */
  readonly refusal: string | null;
}

export type BotRuleField =
  | 'command'
  | 'rule'
  | 'strategy'
  | 'trigger'
  | 'value'
  | 'percent'
  | 'stopPrice'
  | 'order'
  | 'complete'
  | 'closed'
  | 'disabled'
  | 'review';

export interface BotTagForm {
  readonly kind: 'bot-tag';
  readonly id: string;
  readonly value: string;
  readonly focus: 'value' | 'review';
  readonly refusal: string | null;
}

/** The form that chooses the type of a new bot. */
export interface BotTypeForm {
  readonly kind: 'bot-type';
  readonly index: number;
}

export type BotDialog = BotForm | BotStopForm | BotRuleForm | BotTagForm | BotTypeForm | BotEditor;

/** What a confirmed dialog of the Bots screen does. */
export type BotAction =
  | { readonly type: 'bot-create'; readonly bot: NewBot }
  | {
      readonly type: 'bot-patch';
      readonly id: string;
      readonly change: BotChange;
      readonly tag: string | null;
    }
  | { readonly type: 'bots-start'; readonly ids: readonly string[] }
  | {
      readonly type: 'bots-stop';
      readonly runs: readonly (readonly [string, string])[];
      readonly way: StopWay;
    }
  /** `running`: the bots that are stopped before they are deleted. */
  | { readonly type: 'bots-delete'; readonly ids: readonly string[]; readonly running: readonly string[] }
  | {
      readonly type: 'bot-message';
      readonly id: string;
      readonly runId: string;
      readonly message: StopCommandName;
      readonly params: Readonly<Record<string, unknown>>;
    };

export const CLEANUPS: readonly Cleanup[] = ['cancelAllOrders', 'cancelBuyOrders', 'leaveAllOrders'];

export const BOT_PAGES = ['now', 'runs', 'log', 'settings'] as const;
export type BotPage = (typeof BOT_PAGES)[number];

export const BOT_SORTS = ['status', 'symbol', 'type', 'PnL', 'age'] as const;
export type BotSort = (typeof BOT_SORTS)[number];
