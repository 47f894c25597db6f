/** Makes the record of a run that begins. Pure. */
import type { BotRecord, RunRecord } from '../../domain/bot.ts';

export function newRecord(bot: BotRecord, runId: string, now: number): RunRecord {
  return {
    runId,
    botId: bot.id,
    user: bot.user,
    type: bot.type,
    exchange: bot.exchange,
    symbol: '',
    startedAt: now,
    endedAt: null,
    reason: null,
    error: null,
    settings: bot.settings,
    options: bot.options,
    label: '',
    figures: {
      realised: '0',
      unrealised: '0',
      fees: '0',
      volume: '0',
      cycles: 0,
      winningCycles: 0,
      fills: 0,
      maxDrawdown: '0',
      budget: '0',
      roi: null,
      annualised: null,
      unfilled: '0',
      skipped: 0,
    },
    state: '',
  };
}
