/** Settings of ALARM: price and RSI alerts (strategies.md 8). Pure. */
import { AlarmLine, AlarmRsi, type AlarmSettings as Schema } from '../../schemas/bots/alarm.ts';
import { readNotify, readZone } from './alerts.ts';
import { readBot } from './common.ts';
import type { AlarmSettings, CommonSettings } from './compiled.ts';
import type { Fields } from './fields.ts';
import type { Ground } from './ground.ts';

export function compileAlarm(
  f: Fields<(typeof Schema)['properties']>,
  ground: Ground,
  options: CommonSettings['options'],
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
