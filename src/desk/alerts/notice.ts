/** Turns a notice into an alert without bot and run. */
import { OWNER } from '../../domain/actor.ts';
import type { NoticeKind, NoticeSettings } from '../../domain/notices.ts';
import type { Effect } from '../../engine/step.ts';

/** The condition of an alert, by the notice's kind. */
export const NOTICE_CONDITIONS = {
  fill: 'ORDER_FILLED',
  partial_fill: 'ORDER_PARTIALLY_FILLED',
  stop_hit: 'STOP_HIT',
  liquidation: 'LIQUIDATION_NEAR',
  unresolved: 'ORDER_UNRESOLVED',
  stream: 'STREAM_DOWN',
  guard: 'GUARD_NEAR',
} as const satisfies Readonly<Record<NoticeKind, string>>;

/** Stands for the bot and the run in such alerts. */
export const NO_BOT = '';

export interface Notice {
  readonly kind: NoticeKind;
  /** Empty: the notice is about an account. */
  readonly symbol: string;
  readonly message: string;
  /** Decimal string; null: the notice has no price. */
  readonly price: string | null;
}

export type Alerted = Extract<Effect, { kind: 'bot-alert' }>;

/** Returns the alert of a notice. Null: nobody gets it. */
export function alertOf(
  { kind, symbol, message, price }: Notice,
  { to }: NoticeSettings,
  market: number,
): Alerted | null {
  const targets = to[kind];
  if (targets.length === 0) return null;
  return {
    kind: 'bot-alert',
    user: OWNER,
    botId: NO_BOT,
    runId: NO_BOT,
    market,
    targets,
    alert: { condition: NOTICE_CONDITIONS[kind], symbol, message, price },
  };
}
