/** What the confirmed dialogs of the Bots screen do on the desk. Called only by `confirm.ts`. */
import type { BotBatchResult, BotView } from '../../desk/console/protocol.ts';
import type { StopWay } from '../../domain/bot.ts';
import { assertNever, type Outcome } from '../../domain/errors.ts';
import { ask, deskState, openDialog, type Session, tell } from '../app/session.ts';
import { settle } from '../dialogs/settle.ts';
import { keyOf } from '../input/overrides.ts';
import { resultNotice } from '../lists/still-table.ts';
import type { Dialog } from '../state/ui.ts';
import { botName, shortId, symbolOf } from '../trading/bots.ts';
import type { BotAction } from './bot-forms.ts';
import { patchBots, showProblems } from './commands.ts';
import { loadBot } from './detail-commands.ts';

/** Bots in one request (specification, Bots rule 5). */
const BATCH = 20;

/** Returns the text of a refusal; null on success. */
function refusal(outcome: Outcome<unknown> | null): string | null {
  if (outcome === null) return 'no answer';
  return outcome.ok ? null : outcome.error.message;
}

function botOf(session: Session, id: string): BotView | undefined {
  return deskState(session)?.bots[id];
}

function named(session: Session, id: string): string {
  const bot = botOf(session, id);
  return bot ? `${botName(bot)} ${symbolOf(bot)}`.trim() : shortId(id);
}

/** Does a confirmed action on the desk. `form`: the form that was confirmed. */
export async function performBot(session: Session, action: BotAction, form: Dialog | null): Promise<void> {
  switch (action.type) {
    case 'bot-create': {
      const outcome = await ask(session, 'bots.create', { bot: action.bot });
      const problem = refusal(outcome);
      settle(session, action, form, problem);
      if (problem !== null) tell(session, `refused: ${problem}`, 'danger');
      else if (outcome?.ok) {
        const { id } = outcome.data;
        patchBots(session, { selection: { id, index: 0 }, filter: '', filtering: false });
        tell(
          session,
          `created ${action.bot.type} ${shortId(id)}; ${keyOf(session.bindings, 'bot.start')} starts it`,
          'ok',
        );
      }
      return;
    }
    case 'bot-patch': {
      const problem = await save(session, action);
      settle(session, action, form, problem);
      if (problem !== null) tell(session, `refused: ${problem}`, 'danger');
      else
        tell(
          session,
          `${named(session, action.id)} saved; ${keyOf(session.bindings, 'bot.start')} starts it`,
          'ok',
        );
      break;
    }
    case 'bots-start':
      await start(session, action);
      break;
    case 'bots-stop':
      await stop(session, action, form);
      break;
    case 'bots-delete':
      await remove(session, action);
      break;
    case 'bot-message': {
      const { id, runId, message, params } = action;
      const problem = refusal(await ask(session, 'bots.message', { id, runId, message, params }));
      settle(session, action, form, problem);
      if (problem !== null) tell(session, `refused: ${problem}`, 'danger');
      else tell(session, `${named(session, id)}: ${DONE[message]}`, 'ok');
      break;
    }
    default:
      assertNever(action);
  }
  void loadBot(session);
}

/** Saves the changes, then the tag; returns the text of the first refusal, or null. */
async function save(
  session: Session,
  { id, change, tag }: Extract<BotAction, { type: 'bot-patch' }>,
): Promise<string | null> {
  if (Object.keys(change).length > 0) {
    const problem = refusal(await ask(session, 'bots.patch', { id, change }));
    if (problem !== null) return problem;
  }
  return tag === null ? null : refusal(await ask(session, 'bots.tag', { id, tag }));
}

const DONE = {
  add_stoploss: 'stop rule added',
  update_stoploss: 'stop rule changed',
  delete_stoploss: 'stop rule deleted',
} as const;

async function start(session: Session, action: Extract<BotAction, { type: 'bots-start' }>): Promise<void> {
  const [id = ''] = action.ids;
  if (action.ids.length > 1) {
    const results = await inBatches(action.ids, (ids) => ask(session, 'bots.batch', { op: 'start', ids }));
    settle(session, action, null, null);
    showResults(session, results, 'started');
    return;
  }
  const outcome = await ask(session, 'bots.start', { id });
  const problem = refusal(outcome);
  settle(session, action, null, null);
  const bot = botOf(session, id);
  if (outcome?.ok) tell(session, `${named(session, id)} started, run ${outcome.data.runId}`, 'ok');
  else if (bot && problem !== null && problem.length > 70) showProblems(session, bot, problem.split('; '));
  else tell(session, `not started: ${problem}`, 'danger');
}

async function stop(
  session: Session,
  action: Extract<BotAction, { type: 'bots-stop' }>,
  form: Dialog | null,
): Promise<void> {
  const { runs, way } = action;
  const [first] = runs;
  if (runs.length > 1) {
    const results = await inBatches(runs, (part) => stopMany(session, part, way));
    settle(session, action, form, null);
    showResults(session, results, way.action === 'stop_and_sell' ? 'stopped and sold' : 'stopped');
    return;
  }
  if (!first) return;
  const [id, runId] = first;
  const outcome = await ask(session, 'bots.stop', { id, runId, way });
  const problem = refusal(outcome);
  settle(session, action, form, problem);
  if (outcome?.ok)
    tell(session, `${named(session, id)}: ${outcome.data.status}, ${outcome.data.reason}`, 'ok');
  else tell(session, `not stopped: ${problem}`, 'danger');
}

function stopMany(session: Session, runs: readonly (readonly [string, string])[], way: StopWay) {
  return ask(session, 'bots.batch', { op: 'stop', runs, way });
}

/** Deletes bots. Of several, running ones are deleted by force one by one: a batch cannot force. */
async function remove(session: Session, action: Extract<BotAction, { type: 'bots-delete' }>): Promise<void> {
  const { ids, running } = action;
  const names = new Map(ids.map((id) => [id, named(session, id)]));
  const results: BotBatchResult[] = [];
  for (const id of ids.length === 1 ? ids : running)
    results.push(await removeOne(session, id, running.includes(id)));
  if (ids.length > 1) {
    const rest = ids.filter((id) => !running.includes(id));
    results.push(
      ...(await inBatches(rest, (part) => ask(session, 'bots.batch', { op: 'delete', ids: part }))),
    );
  }
  const gone = results.filter(({ success }) => success).map(({ id }) => id);
  session.ui.setState(({ bots }) => ({
    bots: { ...bots, marked: bots.marked.filter((id) => !gone.includes(id)) },
  }));
  if (ids.length > 1) {
    settle(session, action, null, null);
    showResults(session, results, 'deleted', names);
    return;
  }
  settle(session, action, null, null);
  const [result] = results;
  const name = names.get(result?.id ?? '') ?? '';
  if (result?.success) tell(session, `${name} deleted`, 'ok');
  else tell(session, `not deleted: ${result?.error?.message ?? 'no answer'}`, 'danger');
}

async function removeOne(session: Session, id: string, force: boolean): Promise<BotBatchResult> {
  const outcome = await ask(session, 'bots.delete', { id, force });
  if (outcome?.ok) return { id, success: true };
  const { code, message } = outcome?.error ?? { code: 'INTERNAL_ERROR', message: 'no answer' };
  return { id, success: false, error: { code, message } };
}

/** Sends one request per twenty items; all items of a refused request fail with the text of its refusal. */
async function inBatches<T extends string | readonly [string, string]>(
  items: readonly T[],
  run: (part: readonly T[]) => Promise<Outcome<BotBatchResult[]> | null>,
): Promise<BotBatchResult[]> {
  const results: BotBatchResult[] = [];
  for (let at = 0; at < items.length; at += BATCH) {
    const part = items.slice(at, at + BATCH);
    const outcome = await run(part);
    if (outcome?.ok) results.push(...outcome.data);
    else {
      const error = { code: 'INTERNAL_ERROR', message: refusal(outcome) ?? '' };
      results.push(...part.map((item) => ({ id: idOf(item), success: false, error })));
    }
  }
  return results;
}

function idOf(item: string | readonly [string, string]): string {
  return typeof item === 'string' ? item : item[0];
}

function showResults(
  session: Session,
  results: readonly BotBatchResult[],
  done: string,
  names?: ReadonlyMap<string, string>,
): void {
  const good = results.filter(({ success }) => success).length;
  openDialog(session, {
    kind: 'notice',
    title: `${good} of ${results.length} ${done}`,
    offset: 0,
    ...resultNotice(
      'bot',
      results.map(({ id, success, error }) => ({
        id: shortId(id),
        name: names?.get(id) ?? named(session, id),
        good: success,
        text: success ? done : (error?.message ?? 'failed'),
      })),
    ),
  });
}
