/**
 * The ladder of given settings, as text: compiles them, lays out the orders and writes the lines, or returns
 * the problems instead. Pure.
 */
import { type Dec, str } from '../../domain/decimal.ts';
import type { BotGiven } from '../backtest/session.ts';
import { problemsText } from '../settings/check.ts';
import { compileBot } from '../settings/compile.ts';
import type { SettingsWorld } from '../settings/compiled.ts';
import { type Ladder, type LadderGround, ladderOf } from './ladder.ts';
import type { LadderAnswer, LadderText } from './ladder-text.ts';

/** `groundOf` returns null while the symbol has no price. */
export function ladderAnswer(
  { type, settings, options }: BotGiven,
  world: SettingsWorld,
  groundOf: (symbol: string) => LadderGround | null,
): LadderAnswer {
  const compiled = compileBot(type, settings, options ?? undefined, world);
  if (!compiled.settings) return { ok: false, text: compiled.ok ? '' : problemsText(compiled.problems) };
  const { symbol } = compiled.settings;
  if (symbol === '') return { ok: false, text: 'It scans many symbols and places no orders.' };
  const ground = groundOf(symbol);
  if (!ground) return { ok: false, text: `${symbol} has no price yet.` };
  return { ok: true, ladder: written(ladderOf(compiled.settings, ground), ground) };
}

function written(ladder: Ladder, { rules, price }: LadderGround): LadderText {
  const text = (value: Dec | null) => (value === null ? null : str(value));
  return {
    symbol: rules.symbol,
    base: rules.base,
    asset: rules.quote,
    kind: rules.kind,
    price: str(price),
    budget: text(ladder.budget),
    leverage: ladder.leverage,
    lines: ladder.lines.map((line) => ({
      ...line,
      price: str(line.price),
      qty: text(line.qty),
      quote: text(line.quote),
      fee: text(line.fee),
    })),
    entries: ladder.entries,
    averageEntry: text(ladder.averageEntry),
    least: text(ladder.least),
    worst: text(ladder.worst),
    fees: text(ladder.fees),
    profit: text(ladder.profit),
    liquidation: text(ladder.liquidation),
    belowMinimum: ladder.belowMinimum,
    problems: ladder.problems,
    notes: ladder.notes,
  };
}
