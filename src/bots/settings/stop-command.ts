/**
 * Reads the params of the runtime commands for stop rules, checked like those of the settings (Bots rule 6,
 * S42). Pure.
 */
import { StopCommand } from '../../schemas/bots/stop.ts';
import { Check } from './check.ts';
import { DEFAULT_FRAME_MS } from './common.ts';
import type { CommonSettings, MarketRules, Problem, StopRule } from './compiled.ts';
import { Fields } from './fields.ts';
import { readStopCommand } from './stop.ts';

export type CompiledStop =
  | { readonly ok: true; readonly rule: StopRule; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Compiles the params of `add_stoploss`, `update_stoploss` and `delete_stoploss` for a running bot. */
export function compileStopCommand(
  params: unknown,
  bot: Pick<CommonSettings, 'timeFrame' | 'short'>,
  rules: MarketRules,
  now: number,
): CompiledStop {
  const check = new Check();
  const f = Fields.of(check, '', params, StopCommand, 'params');
  const frame = bot.timeFrame ?? DEFAULT_FRAME_MS;
  const rule = f && readStopCommand(f, { rules, frame, short: bot.short, now });
  const { problems, warnings } = check;
  return rule && problems.length === 0 ? { ok: true, rule, warnings } : { ok: false, problems };
}
