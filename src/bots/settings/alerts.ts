/**
 * What ALARM and NOTIFY share: RSI zones, texts and the targets of an alert (strategies.md 8, 9; S48). Pure.
 */
import type { TProperties, TSchema } from 'typebox';
import { toNumber } from '../../domain/decimal.ts';
import type { NotifyTarget, SettingsWorld } from './compiled.ts';
import type { Fields } from './fields.ts';
import { quoted } from './words.ts';

/** Targets that exist without a configuration. */
const BUILT_IN: readonly string[] = ['console', 'bell'];
const PLACEHOLDERS: readonly string[] = ['{symbol}', '{price}', '{condition}', '{time}'];

type ZoneNames = { readonly period: TSchema; readonly above: TSchema; readonly below: TSchema };
type AlertNames = { readonly message: TSchema; readonly notify: TSchema };

export interface Zone {
  readonly period: number;
  readonly above: number | null;
  readonly below: number | null;
}

/** Reads a zone: above, below, or both. */
export function readZone<P extends TProperties & ZoneNames>(f: Fields<P>): Zone {
  const above = f.decimalOr('above');
  const below = f.decimalOr('below');
  if (above === null && below === null) f.check.problem(f.path, 'needs above or below');
  return {
    period: f.integer('period'),
    above: above === null ? null : toNumber(above),
    below: below === null ? null : toNumber(below),
  };
}

/** Reads the targets of an alert; `console` always gets it. */
export function readNotify<P extends TProperties & AlertNames>(
  f: Fields<P>,
  world: SettingsWorld,
): { message: string | null; notify: readonly NotifyTarget[] } {
  const message = f.textOr('message');
  for (const [placeholder] of message?.matchAll(/\{\w+\}/g) ?? []) {
    if (!PLACEHOLDERS.includes(placeholder)) {
      f.warn('message', `${placeholder} stays as it is; known are ${PLACEHOLDERS.join(', ')}`);
    }
  }
  const names = f.texts('notify');
  if (f.reads('notify')) {
    names.forEach((name, i) => {
      if (BUILT_IN.includes(name) || world.targets.includes(name)) return;
      f.check.refuse(`${f.at('notify')}[${i}]`, `no target named ${quoted(name)} in the configuration`);
    });
  }
  return { message, notify: [...new Set(['console', ...names])] };
}
