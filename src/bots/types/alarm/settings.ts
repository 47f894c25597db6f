/** Settings of ALARM: price and RSI alerts (strategies.md 8). Pure. */

import { readNotify, readZone } from '../../settings/alerts.ts';
import { readBot } from '../../settings/common.ts';
import type { CompiledSettings, NotifyTarget, PriceLine, RestartOptions } from '../../settings/compiled.ts';
import type { SettingsContext } from '../../settings/context.ts';
import type { Fields } from '../../settings/fields.ts';
import { AlarmLine, AlarmRsi, type AlarmSettings as Schema } from './schema.ts';

export interface AlarmSettings extends CompiledSettings {
  readonly type: 'ALARM';
  readonly timeFrame: number;
  readonly lines: readonly {
    readonly trend: PriceLine;
    readonly direction: 'up' | 'down' | 'both';
    readonly on: 'tick' | 'close';
  }[];
  readonly rsi: readonly {
    readonly period: number;
    readonly above: number | null;
    readonly below: number | null;
  }[];
  readonly repeat: 'once' | 'always';
  readonly snoozeDuration: number;
  readonly message: string | null;
  readonly notify: readonly NotifyTarget[];
}

export function compileAlarm(
  f: Fields<(typeof Schema)['properties']>,
  ground: SettingsContext,
  options: RestartOptions,
): AlarmSettings {
  const timeFrame = f.integer('timeFrame');
  const lines = f.each('range', AlarmLine).map((line) => {
    line.choiceOr('type');
    return { trend: line.line('trend'), direction: line.choice('direction'), on: line.choice('on') };
  });
  const rsi = f.each('rsi', AlarmRsi).map(readZone);
  if (lines.length + rsi.length === 0 && f.reads('range', 'rsi')) {
    f.check.problem('', 'at least one condition is needed: range or rsi');
  }
  return {
    ...readBot(f, ground, { timeFrame, options }),
    type: 'ALARM',
    timeFrame,
    lines,
    rsi,
    repeat: f.choice('repeat'),
    snoozeDuration: f.integer('snoozeDuration'),
    ...readNotify(f, ground.world),
  };
}
