/**
 * Runtime commands for the stop rules of a running bot: `add_stoploss`, `update_stoploss`, `delete_stoploss`
 * (specification, Bots rule 6; strategies.md 2, "stop"). Used by the live desk and by scenarios. Pure.
 */
import { problemsText } from '../settings/check.ts';
import type { StopRule } from '../settings/compiled.ts';
import { compileStopCommand } from '../settings/stop-command.ts';
import { listed, shown } from '../settings/words.ts';
import { wordsOf } from '../types/index.ts';
import type { Run } from './run.ts';

const COMMANDS = ['add_stoploss', 'update_stoploss', 'delete_stoploss'] as const;
type Command = (typeof COMMANDS)[number];
/** Maximum number of rules of one run, deleted ones included: slots and timers carry their number. */
const MAX_RULES = 200;

/** Carries out the command, or returns a message why it cannot. The results are in the run's `actions`. */
export function applyStopCommand(run: Run, message: string, params: unknown): string | null {
  const command = COMMANDS.find((name) => name === message);
  if (!command) return `message: must be one of ${listed(COMMANDS)}, got ${shown(message)}`;
  const { type } = run.settings;
  if (!wordsOf(type).trades) return `${type} has no stop rules: it does not trade`;
  if (run.state.phase === 'ending' || run.state.phase === 'ended') return 'the run is ending';
  const compiled = compileStopCommand(params, run.settings, run.rules, run.now);
  if (!compiled.ok) return problemsText(compiled.problems);
  const problem = apply(run, command, compiled.rule);
  if (problem !== null) return problem;
  // An input of its own: it places, moves and withdraws resting stops.
  run.input({ type: 'timer', name: 'command' });
  return null;
}

function apply({ stops }: Run, command: Command, rule: StopRule): string | null {
  const at = stops.find(rule, command === 'update_stoploss');
  if (command === 'delete_stoploss') {
    if (at < 0) return notThere(rule);
    stops.remove(at);
    return null;
  }
  if (command === 'add_stoploss' && at >= 0) {
    return `this ${rule.strategy} stop is there already: update_stoploss changes it`;
  }
  if (command === 'update_stoploss' && at < 0) return notThere(rule);
  const fired = rule.disabled ? null : stops.alreadyFired(rule);
  if (fired !== null) return fired;
  if (at >= 0) stops.replace(at, rule);
  else if (stops.rules.length >= MAX_RULES) return `a run takes at most ${MAX_RULES} stop rules`;
  else stops.add(rule);
  return null;
}

function notThere({ strategy, trigger }: StopRule): string {
  return `there is no ${strategy} stop with this trigger (${trigger.type}); strategy, trigger.type and trigger.value must be the rule's`;
}
