/**
 * A run's figures and a bot as they are shown (strategies.md 2, run rule 6; specification, "Bot record").
 * Pure.
 */
import type { BotRecord, PublicBot, RunFigures } from '../../domain/bot.ts';
import { type Dec, div, fixed, mul, ONE, str, ZERO } from '../../domain/decimal.ts';
import { withoutZeros } from '../../domain/text-ends.ts';
import type { Run } from '../run/run.ts';

const DAY_MS = 86_400_000;
const YEAR_DAYS = 365n;
/** Decimal places of percentages, and of money that is a share of a lot's cost. */
const PLACES = 12;

export function figuresOf(run: Run): RunFigures {
  const { state } = run;
  const stats = run.stats();
  const unrealised = run.unrealised();
  const age = (state.endedAt ?? run.now) - state.startedAt;
  const roi = state.budget === ZERO ? null : div((stats.realised + unrealised) * 100n, state.budget);
  return {
    realised: trimmed(stats.realised),
    unrealised: trimmed(unrealised),
    fees: str(stats.fees),
    volume: str(stats.volume),
    cycles: stats.cycles,
    winningCycles: stats.winningCycles,
    fills: stats.fills,
    maxDrawdown: trimmed(stats.maxDrawdown),
    budget: str(state.budget),
    roi: roi === null ? null : trimmed(roi),
    annualised: roi === null || age <= DAY_MS ? null : trimmed(annualised(roi, age)),
    unfilled: str(stats.unfilled),
    skipped: stats.skipped,
  };
}

/** `live`: label and figures of the running run, or of the last one while they are known. */
export function publicBot(
  bot: BotRecord,
  live: { readonly label: string; readonly figures: RunFigures } | null,
): PublicBot {
  return {
    id: bot.id,
    type: bot.type,
    exchange: bot.exchange,
    symbol: bot.settings.symbol ?? null,
    status: bot.status,
    settings: bot.settings,
    ...(bot.options === null ? {} : { options: bot.options }),
    ...(bot.metadata === null ? {} : { metadata: bot.metadata }),
    ...(bot.tag === null ? {} : { tag: bot.tag }),
    ...(live === null ? {} : { state: live.label, stats: live.figures }),
    ...(bot.runId === null ? {} : { runId: bot.runId }),
  };
}

function annualised(roi: Dec, ageMs: number): Dec {
  return div(mul(roi, YEAR_DAYS * BigInt(DAY_MS) * ONE), BigInt(ageMs) * ONE);
}

function trimmed(value: Dec): string {
  return withoutZeros(fixed(value, PLACES));
}
