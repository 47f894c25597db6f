/**
 * How the settings of one bot type are read: its schema, the form of its symbol, and how its fields are
 * compiled. Pure.
 */
import type { TObject, TProperties, TSchema } from 'typebox';
import type { Check } from './check.ts';
import type { BotType, CompiledSettings, RestartOptions, SettingsWorld } from './compiled.ts';
import { type Account, readAccount, type SettingsContext } from './context.ts';
import { Fields } from './fields.ts';
import { shown } from './words.ts';

type Names = { readonly type: TSchema; readonly exchange: TSchema };

/** Reads the symbol of the settings and its rules: `readPair`, `readCode`. */
export type SymbolReader<P extends TProperties> = (
  f: Fields<P>,
  account: Account | null,
  world: SettingsWorld,
) => Pick<SettingsContext, 'symbol' | 'rules'>;

/** Returns null when the settings are not an object; all other problems are in `check`. */
export type SettingsReader<S extends CompiledSettings> = (
  check: Check,
  settings: unknown,
  options: RestartOptions,
  world: SettingsWorld,
) => S | null;

export function settingsReader<P extends TProperties & Names, S extends CompiledSettings>(
  type: S['type'],
  schema: TObject<P>,
  where: SymbolReader<P>,
  compile: (f: Fields<P>, ground: SettingsContext, options: RestartOptions) => S,
): SettingsReader<S> {
  return (check, settings, options, world) => {
    const f = Fields.of(check, '', settings, schema, 'settings');
    if (!f) return null;
    checkType(f, type);
    const account = readAccount(f, world);
    return compile(f, { world, account, ...where(f, account, world) }, options);
  };
}

/** Checks the type inside the settings: it may be left out, else it must match (Bots rule 1, S41). */
function checkType<P extends TProperties & Names>(f: Fields<P>, type: CompiledSettings['type']): void {
  if (!f.has('type') || f.raw('type') === type) return;
  f.problem('type', typeMismatch(type, f.raw('type')));
}

/** Returns the words for settings whose `type` is another one than the bot's. */
export function typeMismatch(type: BotType, came: unknown): string {
  return `must be ${type}, the bot's own type, or left out, got ${shown(came)}`;
}
