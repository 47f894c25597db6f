/**
 * The commands for bots: create, patch, delete, start, stop, message, and the batches of these
 * (specification, "Bots"; S5 to S8, S41, S42). Each command answers itself or returns the refusal. Pure.
 */
import { actorLabel } from '../../domain/actor.ts';
import type { BotCommand, BotRecord, NewBot, StopWay } from '../../domain/bot.ts';
import { bytesOf, MAX_BOT_BYTES } from '../../domain/bot-bounds.ts';
import { assertNever, type Outcome, ok, refuse, type ServiceError } from '../../domain/errors.ts';
import { answer } from '../../engine/idempotency.ts';
import type { Waiter } from '../../engine/memory.ts';
import type { EngineEvent } from '../../engine/step.ts';
import type { StepContext } from '../../engine/step-context.ts';
import { unknownYet } from '../../engine/unread.ts';
import { type BatchResult, MAX_BATCH, MAX_TAG } from '../../schemas/bot.ts';
import { applyStopCommand } from '../run/stop-commands.ts';
import { problemsText } from '../settings/check.ts';
import type { Bots } from './bots.ts';
import { creationProblems } from './creation.ts';
import type { LiveRun } from './live-run.ts';

type CommandEvent = Extract<EngineEvent, { type: 'command' }>;

const RUN_ID_LENGTH = 10;

interface Request {
  readonly bots: Bots;
  readonly step: StepContext;
  readonly user: string;
  readonly waiter: Waiter;
  /** Random characters for ids; each call of `nextId` gives new ones. */
  readonly nextId: () => string;
  /** Writes a line to the log about a bot, with the actor. */
  readonly log: (id: string, what: string) => void;
}

export function botCommand(
  bots: Bots,
  step: StepContext,
  event: CommandEvent,
  command: BotCommand,
  waiter: Waiter,
): Outcome<unknown> | null {
  let ids = 0;
  const nextId = () => `${event.entropy.slice(0, RUN_ID_LENGTH - 1)}${(ids++).toString(32)}`;
  const by = actorLabel(event.actor);
  const log = (id: string, what: string) =>
    step.effect({ kind: 'log', level: 'info', source: 'bot', text: `${id}: ${what}, asked by ${by}` });
  const request: Request = { bots, step, user: event.actor.user, waiter, nextId, log };
  switch (command.type) {
    case 'bot.create':
      return create(request, command.bot);
    case 'bot.manage':
      return manage(request, command.bot);
    case 'bot.patch':
      return patch(request, command.id, command.change);
    case 'bot.tag':
      return tag(request, command.id, command.tag);
    case 'bot.delete':
      return remove(request, command.id, command.force);
    case 'bot.start':
      return start(request, command.id);
    case 'bot.stop':
      return stop(request, command.id, command.runId, command.way);
    case 'bot.message':
      return message(request, command);
    case 'bot.batchStart':
      return batchNow(request, command.ids, (id) => startOne(request, id));
    case 'bot.batchDelete':
      return batchNow(request, command.ids, (id) => removeOne(request, id, false));
    case 'bot.batchStop':
      return batchStop(request, command.runs, command.way);
    default:
      return assertNever(command);
  }
}

function create({ bots, step, user, waiter, nextId, log }: Request, bot: NewBot): Outcome<unknown> | null {
  const problems = creationProblems(bot.type, bot.settings, bots.world.settings(user, step.now.market));
  if (problems.length > 0) return refuse('INVALID_REQUEST', problemsText(problems), 'FIELD');
  const full = managedRefusal(bot.options) ?? bots.book.full(user, bots.maxBots);
  if (full) return full;
  const record = newBot(user, bot, `b${nextId()}`, step.now.wall);
  const large = tooLarge(record, 0);
  if (large) return large;
  bots.setBot(step, record);
  bots.tell(step, record.id, 'BOT_UPDATE');
  log(record.id, `${record.type} created`);
  answer(step, waiter, ok(bots.book.shown(record)));
  return null;
}

function newBot(user: string, bot: NewBot, id: string, wall: number): BotRecord {
  return {
    id,
    user,
    type: bot.type,
    exchange: String(bot.settings.exchange),
    settings: bot.settings,
    options: bot.options ?? null,
    metadata: bot.metadata ?? null,
    tag: bot.tag ?? null,
    status: 'NEW',
    runId: null,
    createdAt: wall,
    updatedAt: wall,
    restarts: [],
    restartAt: null,
  };
}

/** Creates and starts a bot in one step; when that fails, nothing is kept. */
function manage(request: Request, bot: NewBot): Outcome<unknown> | null {
  const { bots, step, user, waiter, nextId, log } = request;
  const problems = creationProblems(bot.type, bot.settings, bots.world.settings(user, step.now.market));
  if (problems.length > 0) return refuse('INVALID_REQUEST', problemsText(problems), 'FIELD');
  const full = bots.book.fullOfManaged(user);
  if (full) return full;
  const options = { ...bot.options, managed: true };
  const record = newBot(user, { ...bot, options }, `b${nextId()}`, step.now.wall);
  const large = tooLarge(record, 0);
  if (large) return large;
  const account = step.memory.accounts.get(record.exchange);
  const unread = (account && unknownYet(account)) ?? pastRefusal(request, record);
  if (unread) return unread;
  const live = bots.startRun(step, record, nextId());
  if (typeof live === 'string') return refuse('INVALID_REQUEST', live);
  const { phase, error } = live.run.state;
  if (phase === 'ended' && error !== null) return refuse('INVALID_REQUEST', error);
  log(record.id, `${record.type} made and started (run ${live.id})`);
  answer(step, waiter, ok(bots.book.shown(bots.book.bots.get(record.id) ?? record)));
  return null;
}

/** Refuses a `managed` option from outside: with it a user could have more bots than the limit. */
function managedRefusal(options: NewBot['options']): Outcome<never> | null {
  if (options?.managed === undefined) return null;
  return refuse('INVALID_REQUEST', 'options.managed is for the desk alone; leave it out', 'FIELD');
}

function patch(
  request: Request,
  id: string,
  change: Extract<BotCommand, { type: 'bot.patch' }>['change'],
): Outcome<unknown> | null {
  const { bots, step, user, waiter, nextId, log } = request;
  const found = findBot(bots, user, id);
  if (!found.ok) return found;
  const bot = found.data;
  if (bot.runId !== null) {
    return refuse('CONFLICT', `bot ${id} is running; stop it before you change it`);
  }
  const { config, options, metadata, restart } = change;
  if (config === undefined && options === undefined && metadata === undefined && restart === undefined) {
    return refuse('INVALID_REQUEST', 'nothing to change; give config, options, metadata or restart', 'FIELD');
  }
  const own = managedRefusal(options);
  if (own) return own;
  const settings = config === undefined ? bot.settings : merged(bot.settings, config);
  const problems = creationProblems(bot.type, settings, bots.world.settings(user, step.now.market));
  if (problems.length > 0) return refuse('INVALID_REQUEST', problemsText(problems), 'FIELD');
  const old = bots.book.shown(bot);
  const changed: BotRecord = {
    ...bot,
    settings,
    exchange: String(settings.exchange),
    ...(options === undefined ? {} : { options: merged(bot.options ?? {}, options) }),
    ...(metadata === undefined ? {} : { metadata }),
    restartAt: null,
  };
  const large = tooLarge(changed, bytesOf(bot));
  if (large) return large;
  const missing = restart === true ? pastRefusal(request, changed) : null;
  if (missing) return missing;
  bots.setBot(step, changed);
  bots.tell(step, id, 'BOT_UPDATE');
  log(id, 'changed');
  if (restart === true) {
    const started = bots.startRun(step, bots.book.bots.get(id) ?? changed, nextId());
    if (typeof started === 'string') return refuse('INVALID_REQUEST', `saved, not started: ${started}`);
    log(id, `started (run ${started.id})`);
  }
  answer(step, waiter, ok({ bot: bots.book.shown(bots.book.bots.get(id) ?? changed), old }));
  return null;
}

function tag({ bots, step, user, waiter, log }: Request, id: string, text: string): Outcome<unknown> | null {
  const found = findBot(bots, user, id);
  if (!found.ok) return found;
  if ([...text].length > MAX_TAG) {
    return refuse('INVALID_REQUEST', `tag: ${[...text].length} characters; at most ${MAX_TAG}`, 'FIELD');
  }
  bots.setBot(step, { ...found.data, tag: text === '' ? null : text });
  log(id, text === '' ? 'tag taken off' : `tagged ${JSON.stringify(text)}`);
  bots.tell(step, id, 'BOT_UPDATE');
  answer(step, waiter, ok(bots.book.shown(bots.book.bots.get(id) ?? found.data)));
  return null;
}

function remove(request: Request, id: string, force: boolean): Outcome<unknown> | null {
  const removed = removeOne(request, id, force);
  if (!removed.ok) return removed;
  answer(request.step, request.waiter, ok({ id }));
  return null;
}

function start(request: Request, id: string): Outcome<unknown> | null {
  const started = startOne(request, id);
  if (!started.ok) return started;
  const { id: runId, run } = started.data;
  answer(request.step, request.waiter, ok({ id, status: 'STARTED', runId, startedAt: run.state.startedAt }));
  return null;
}

function stop(
  { bots, step, user, waiter, log }: Request,
  id: string,
  runId: string,
  way: StopWay,
): Outcome<unknown> | null {
  const found = findRun(bots, user, id, runId);
  if (!found.ok) return found;
  log(id, stopWords(way));
  bots.stops.add(step, waiter, { batch: false, items: [{ id, runId }] });
  bots.give(step, found.data, stopInput(way));
  return null;
}

function message(
  { bots, step, user, waiter, log }: Request,
  { id, runId, message: name, params }: Extract<BotCommand, { type: 'bot.message' }>,
): Outcome<unknown> | null {
  const found = findRun(bots, user, id, runId);
  if (!found.ok) return found;
  const problem = applyStopCommand(found.data.run, name, params);
  if (problem) return refuse('INVALID_REQUEST', problem, 'FIELD');
  bots.touched(step, found.data);
  log(id, name);
  bots.tell(step, id, 'BOT_UPDATE');
  answer(step, waiter, ok(null));
  return null;
}

/** Carries out the items in order, each with its own result (S8). */
function batchNow(
  { bots, step, waiter }: Request,
  ids: readonly string[],
  run: (id: string) => Outcome<LiveRun | null>,
): Outcome<unknown> | null {
  const wrong = batchProblem(ids);
  if (wrong) return refuse('INVALID_REQUEST', wrong, 'FIELD');
  const results = ids.map((id): BatchResult => {
    const outcome = run(id);
    if (!outcome.ok) return { id, success: false, error: words(outcome.error) };
    const bot = bots.book.bots.get(id);
    return {
      id,
      success: true,
      ...(outcome.data === null ? {} : { runId: outcome.data.id }),
      ...(bot ? { bot: bots.book.shown(bot) } : {}),
    };
  });
  answer(step, waiter, ok(results));
  return null;
}

/** Stops the runs; answered when the last of them has ended. */
function batchStop(
  { bots, step, user, waiter, log }: Request,
  runs: readonly (readonly [string, string])[],
  way: StopWay,
): Outcome<unknown> | null {
  const wrong = batchProblem(runs.map(([id]) => id));
  if (wrong) return refuse('INVALID_REQUEST', wrong, 'FIELD');
  const found = runs.map(([id, runId]) => findRun(bots, user, id, runId));
  const items = runs.map(([id, runId], i) => {
    const one = found[i];
    return { id, runId, ...(one && !one.ok ? { error: words(one.error) } : {}) };
  });
  bots.stops.add(step, waiter, { batch: true, items });
  const stopping = found.flatMap((one) => (one.ok ? [one.data] : []));
  for (const live of stopping) {
    if (!live.going) continue;
    log(live.parts.botId, stopWords(way));
    bots.give(step, live, stopInput(way));
  }
  // Answers at once when none of them is running.
  bots.stops.answer(step);
  return null;
}

function startOne(request: Request, id: string): Outcome<LiveRun> {
  const { bots, step, user, nextId, log } = request;
  const found = findBot(bots, user, id);
  if (!found.ok) return found;
  if (found.data.runId !== null) {
    return refuse('CONFLICT', `bot ${id} is running already (run ${found.data.runId})`);
  }
  const account = step.memory.accounts.get(found.data.exchange);
  const unread = account && unknownYet(account);
  if (unread) return unread;
  const missing = pastRefusal(request, found.data);
  if (missing) return missing;
  const started = bots.startRun(step, found.data, nextId());
  if (typeof started === 'string') return refuse('INVALID_REQUEST', started);
  log(id, `started (run ${started.id})`);
  return ok(started);
}

/**
 * Refuses a start whose past candles are not here: outside of the step it waits for them, for a limited time.
 */
function pastRefusal({ bots, step }: Request, bot: BotRecord): Outcome<never> | null {
  if (!bots.lacksPast(bot, step.now.market)) return null;
  const { exchange } = bot;
  return refuse(
    'SERVICE_UNAVAILABLE',
    `the candles that bot ${bot.id} begins with could not be read from the market of ${exchange} yet; nothing was done, try again`,
  );
}

function removeOne({ bots, step, user, log }: Request, id: string, force: boolean): Outcome<null> {
  const found = findBot(bots, user, id);
  if (!found.ok) return found;
  const live = bots.book.running(found.data);
  if (live && !force) {
    return refuse('CONFLICT', `bot ${id} is running; stop it first, or delete it with force=true`);
  }
  if (live) bots.give(step, live, stopInput({ force: true }));
  const bot = bots.book.bots.get(id);
  if (bot) bots.dropBot(step, bot);
  log(id, 'deleted');
  return ok(null);
}

function stopWords({ cleanup, action, force }: StopWay): string {
  const more = [cleanup, action, force ? 'force' : undefined].filter((word) => word !== undefined);
  return more.length === 0 ? 'stop' : `stop (${more.join(', ')})`;
}

function stopInput(way: StopWay) {
  return {
    type: 'stop',
    cleanup: way.cleanup ?? 'cancelAllOrders',
    sell: way.action === 'stop_and_sell',
    force: way.force === true,
  } as const;
}

function findBot(bots: Bots, user: string, id: string): Outcome<BotRecord> {
  const bot = bots.book.one(user, id);
  return bot ? ok(bot) : refuse('NOT_FOUND', `there is no bot ${id}`);
}

function findRun(bots: Bots, user: string, id: string, runId: string): Outcome<LiveRun> {
  const found = findBot(bots, user, id);
  if (!found.ok) return found;
  const live = bots.book.runs.get(runId);
  if (live?.parts.botId === id && live.going) return ok(live);
  return refuse('NOT_FOUND', `bot ${id} has no run ${runId} that goes on`);
}

/** Returns the problem of a batch: the whole request is refused and nothing runs (S8, D20). */
function batchProblem(ids: readonly string[]): string | null {
  if (ids.length === 0) return 'bots: name at least one bot';
  if (ids.length > MAX_BATCH) return `bots: ${ids.length} given; at most ${MAX_BATCH} in one request`;
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  return twice === undefined ? null : `bots: ${twice} is named twice`;
}

/** Refuses a bot that is too large; one that was larger before the limit existed stays, and may shrink. */
function tooLarge(bot: BotRecord, before: number): Outcome<never> | null {
  const bytes = bytesOf(bot);
  if (bytes <= MAX_BOT_BYTES || bytes <= before) return null;
  const text = `settings, options and metadata of the bot would be ${bytes} bytes of JSON; at most ${MAX_BOT_BYTES} are kept, so leave something out`;
  return refuse('INVALID_REQUEST', text, 'FIELD');
}

function words({ code, message: text }: ServiceError) {
  return { code, message: text };
}

/** Merges settings: top-level fields that are given replace, null removes (S41). */
function merged(
  old: Readonly<Record<string, unknown>>,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields = Object.entries({ ...old, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(fields);
}
