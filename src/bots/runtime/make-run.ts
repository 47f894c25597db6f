/** Makes a run of the live desk from its record and state: its world, its market and its subscriptions. */

import type { RunRecord } from '../../domain/bot.ts';
import { marketOf } from '../../domain/exchange.ts';
import type { MarketPast } from '../market/past.ts';
import { Run } from '../run/run.ts';
import type { RunState } from '../run/run-state.ts';
import type { CompiledSettings } from '../settings/compiled.ts';
import { wordsOf } from '../types/index.ts';
import { kindOf } from '../types/kinds.ts';
import type { BotWorldOptions } from './bot-world.ts';
import type { BotEngineOptions, Bots } from './bots.ts';
import { LiveRun } from './live-run.ts';
import { LiveRunWorld, type RunWorldBots } from './run-world.ts';
import { Subscriptions } from './subscribe.ts';

export function makeRun(
  bots: RunWorldBots & Pick<Bots, 'world'>,
  o: BotWorldOptions & Pick<BotEngineOptions, 'hubs' | 'history'>,
  record: RunRecord,
  settings: CompiledSettings,
  state: RunState,
): LiveRun {
  const { runId, botId, user, exchange } = record;
  const rules = bots.world.rules(exchange, settings.symbol) ?? bots.world.anyRules(exchange);
  const world = new LiveRunWorld(bots, o.memory, { runId, exchange, settings, rules });
  const market = marketOf(o.memory.account(exchange).account);
  const hub = o.hubs.of(market);
  const run = new Run(
    {
      settings,
      strategy: kindOf(record.type).strategy,
      rules,
      world,
      market: hub.view(settings.symbol),
      marketOf: (symbol) => hub.view(symbol),
      firsts: hub.firsts,
    },
    state,
  );
  // A bot that scans begins with the candles that are here and takes in later ones.
  const isPatient = wordsOf(settings.type).scans === true;
  const history: MarketPast['history'] = (...asked) => o.history(market, ...asked, isPatient);
  const subscriptions = new Subscriptions(run, { hub, history });
  subscriptions.follow();
  const { settings: rawSettings, options: rawOptions } = record;
  return new LiveRun({ runId, botId, user, exchange, market, rawSettings, rawOptions, run, subscriptions });
}
