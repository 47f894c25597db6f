/** A notice as the alert that it becomes: of no bot and no run. */
import { OWNER } from '../../domain/actor.ts';
import type { NoticeKind, NoticeSettings } from '../../domain/notices.ts';
import type { Effect } from '../../engine/step.ts';

/** What the alert of each kind has as its condition. */
export const NOTICE_CONDITIONS = {
  fill: 'ORDER_FILLED',
  partial_fill: 'ORDER_PARTIALLY_FILLED',
  stop_hit: 'STOP_HIT',
  liquidation: 'LIQUIDATION_NEAR',
  unresolved: 'ORDER_UNRESOLVED',
  stream: 'STREAM_DOWN',
  guard: 'GUARD_NEAR',
} as const satisfies Readonly<Record<NoticeKind, string>>;

/** Alerts of it have these in place of a bot and a run. */
export const NO_BOT = '';

export interface Notice {
  readonly kind: NoticeKind;
  /** Empty: it is about an account. */
  readonly symbol: string;
  readonly message: string;
  /** Decimal string; null: it has none. */
  readonly price: string | null;
}

export type Alerted = Extract<Effect, { kind: 'bot-alert' }>;

/** Null: nobody is to be told. */
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
