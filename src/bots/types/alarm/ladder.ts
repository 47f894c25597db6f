/** The ladder of ALARM: the lines that it watches; it places no orders. Pure. */
import type { TypeLadder } from '../../ladder/type-ladder.ts';
import { lineAt } from '../../market/price-line.ts';
import type { AlarmSettings } from './settings.ts';

export const alarmLadder: TypeLadder<AlarmSettings> = {
  plain: (settings) => settings,

  lines: ({ lines }, now) =>
    lines.map(({ trend }, i) => ({ kind: 'line', label: `range[${i}]`, price: lineAt(trend, now) })),
};
