/** Settings of PULSE, compiled. */
import { readStrategy } from '../../../../src/bots/settings/common.ts';
import type { BotType, CompiledSettings, RestartOptions } from '../../../../src/bots/settings/compiled.ts';
import type { SettingsContext } from '../../../../src/bots/settings/context.ts';
import type { Fields } from '../../../../src/bots/settings/fields.ts';
import { readStops } from '../../../../src/bots/settings/stop.ts';
import type { Dec } from '../../../../src/domain/decimal.ts';
import type { PulseSettings as Schema } from './schema.ts';

/** The type of settings lists only the real bot types, hence the cast. */
export const PULSE = 'PULSE' as string as BotType;

export interface PulseSettings extends CompiledSettings {
  readonly below: Dec;
  readonly above: Dec;
}

export function compilePulse(
  f: Fields<(typeof Schema)['properties']>,
  ground: SettingsContext,
  options: RestartOptions,
): PulseSettings {
  const common = readStrategy(f, ground, { timeFrame: null, options }, (on) => readStops(f, on));
  return { ...common, type: PULSE, below: f.decimal('below'), above: f.decimal('above') };
}
