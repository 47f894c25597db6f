/**
 * Bot settings, checked in depth and compiled: the one place where defaults are filled in and every rule of strategies.md 2
 * to 9 that needs neither price nor balance is applied. All problems are collected. Pure.
 */
import type { TObject, TProperties, TSchema } from 'typebox';
import { assertNever } from '../../domain/errors.ts';
import { AlarmSettings } from '../../schemas/bots/alarm.ts';
import { AlgoSettings } from '../../schemas/bots/algo.ts';
import { ChannelSettings } from '../../schemas/bots/channel.ts';
import { FiboSettings } from '../../schemas/bots/fibo.ts';
import { IntradaySettings } from '../../schemas/bots/intraday.ts';
import { NotifySettings } from '../../schemas/bots/notify.ts';
import { SqueezeSettings } from '../../schemas/bots/squeeze.ts';
import { StopCommand } from '../../schemas/bots/stop.ts';
import { compileAlarm } from './alarm.ts';
import { compileAlgo } from './algo.ts';
import { compileChannel } from './channel.ts';
import { Check } from './check.ts';
import { DEFAULT_FRAME_MS, readOptions } from './common.ts';
import type {
  BotType,
  CommonSettings,
  Compiled,
  CompiledSettings,
  MarketRules,
  Problem,
  SettingsWorld,
  StopRule,
} from './compiled.ts';
import { typeMismatch } from './create.ts';
import { compileFibo } from './fibo.ts';
import { Fields } from './fields.ts';
import { type Account, type Ground, readAccount, readCode, readPair } from './ground.ts';
import { compileIntraday } from './intraday.ts';
import { compileNotify } from './notify.ts';
import { compileSqueeze } from './squeeze.ts';
import { readStopCommand } from './stop.ts';

/** Deep validation of a bot (strategies.md 2, run rule 1). Nothing is changed in `settings` and `options`. */
export function compileBot(
  type: BotType,
  settings: unknown,
  options: unknown,
  world: SettingsWorld,
): Compiled {
  const check = new Check();
  const compiled = compileType(type, check, settings, readOptions(check, type, options), world);
  const { problems, warnings } = check;
  if (compiled && problems.length === 0) return { ok: true, settings: compiled, warnings };
  return { ok: false, problems, warnings, settings: check.isReadable('') ? compiled : null };
}

/** `path: reason; path: reason`; a problem that says where itself has no path. The same thing is said once. */
export function problemsText(problems: readonly Problem[]): string {
  const texts = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return [...new Set(texts)].join('; ');
}

export type CompiledStop =
  | { readonly ok: true; readonly rule: StopRule; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Params of `add_stoploss`, `update_stoploss` and `delete_stoploss` for a running bot (Bots rule 6, S42). */
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

type Names = { readonly type: TSchema; readonly exchange: TSchema };
type Where<P extends TProperties> = (
  f: Fields<P>,
  account: Account | null,
  world: SettingsWorld,
) => Pick<Ground, 'symbol' | 'rules'>;

function compileType(
  type: BotType,
  check: Check,
  settings: unknown,
  options: CommonSettings['options'],
  world: SettingsWorld,
): CompiledSettings | null {
  const by = <P extends TProperties & Names>(
    schema: TObject<P>,
    where: Where<P>,
    compile: (f: Fields<P>, ground: Ground, options: CommonSettings['options']) => CompiledSettings,
  ): CompiledSettings | null => {
    const f = Fields.of(check, '', settings, schema, 'settings');
    if (!f) return null;
    checkType(f, type);
    const account = readAccount(f, world);
    return compile(f, { type, world, account, ...where(f, account, world) }, options);
  };
  switch (type) {
    case 'FIBO':
      return by(FiboSettings, readPair, compileFibo);
    case 'CHANNEL':
      return by(ChannelSettings, readPair, compileChannel);
    case 'SQUEEZE':
      return by(SqueezeSettings, readPair, compileSqueeze);
    case 'INTRADAY':
      return by(IntradaySettings, readPair, compileIntraday);
    case 'ALGO':
      return by(AlgoSettings, readCode, compileAlgo);
    case 'ALARM':
      return by(AlarmSettings, readPair, compileAlarm);
    case 'NOTIFY':
      return by(NotifySettings, readCode, compileNotify);
    default:
      return assertNever(type);
  }
}

/** A type inside the settings may be left out and must match (Bots rule 1, S41). */
function checkType<P extends TProperties & Names>(f: Fields<P>, type: BotType): void {
  if (!f.has('type') || f.raw('type') === type) return;
  f.problem('type', typeMismatch(type, f.raw('type')));
}
