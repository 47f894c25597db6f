/**
 * A firing of ALARM or NOTIFY: the alert that is stored and delivered, a notice of the run, an event of the
 * stream. Pure.
 */

import { str } from '../../domain/decimal.ts';
import type { StepContext } from '../../engine/step-context.ts';
import type { RunAction } from '../run/contract.ts';
import { kindOf } from '../types/kinds.ts';
import type { Bots } from './bots.ts';
import type { LiveRun } from './live-run.ts';

type Alert = Extract<RunAction, { do: 'alert' }>['alert'];

export function fireAlert(bots: Bots, step: StepContext, live: LiveRun, alert: Alert): void {
  const { user, botId } = live.parts;
  const { settings } = live.run;
  const market = bots.now();
  const { condition, symbol, message, price } = alert;
  step.effect({
    kind: 'bot-alert',
    user,
    botId,
    runId: live.id,
    market,
    alert: { ...alert, price: price === null ? null : str(price) },
    targets: kindOf(settings.type).targets?.(settings) ?? [],
  });
  bots.notice(step, live, 1, message);
  bots.tell(step, botId, 'BOT_UPDATE', { symbol, condition, message, time: market });
}
