/**
 * Routes for bots: list, create, read, change, delete, their runs and commands, and batches of these
 * (specification, "Bots"). Here is only the form of the requests; the desk decides which settings are valid
 * and what may be done with a bot.
 */
import { Type } from 'typebox';
import { isAllowed } from '../../access/shield.ts';
import type { StopWay } from '../../domain/bot.ts';
import { ok, refuse } from '../../domain/errors.ts';
import {
  BatchResult,
  BotBatch,
  BotMessage,
  CreateBot,
  DeletedBot,
  PatchBot,
  PatchedBot,
  PublicBot,
  RunBatch,
  StartedRun,
  StopOptions,
  StoppedRun,
} from '../../schemas/bot.ts';
import { BotType } from '../../schemas/bots/bot-type.ts';
import { described } from '../../schemas/described.ts';
import { command, type Route, read } from '../route-table.ts';

const NoQuery = Type.Object({});
/** An empty object counts as no body. */
const NoBody = Type.Object({}, { additionalProperties: false });
const BotsQuery = Type.Object({
  type: Type.Optional(described(BotType, 'Only bots of this type; left out: all.')),
});
const DeleteQuery = Type.Object({
  force: Type.Optional(
    Type.Boolean({ default: false, description: '`true` stops a running bot first, its orders cancelled.' }),
  ),
});

/** Specification, Bots rule 7; cases that it leaves open follow it. */
const CREATE_ERRORS = [400, 401, 403, 409, 429, 500] as const;
const WRITE_ERRORS = [400, 401, 403, 404, 409, 429, 500] as const;
const EACH = 'Carried out in order, each with a result of its own; the call counts as one request.';

export const botRoutes: readonly Route[] = [
  read('GET /bots', {
    summary: 'The bots',
    description: 'Oldest first, not paged. A key with `allowedExchanges` sees those of its accounts.',
    errors: [401, 429, 500],
    query: BotsQuery,
    response: Type.Array(PublicBot),
    async run({ desk, user, allowedExchanges, query }) {
      const bots = await desk.bots(user, query.type);
      return ok(bots.filter(({ exchange }) => isAllowed(allowedExchanges, exchange)));
    },
  }),
  command('POST /bots', {
    summary: 'Makes a bot',
    description:
      'Checks `type` and `settings.exchange` only: other mistakes show when a run starts. A `type` inside the settings must be the same. An account has at most 500 bots (409), a bot at most 65,536 bytes of settings, options and metadata as JSON (400).',
    errors: CREATE_ERRORS,
    query: NoQuery,
    body: CreateBot,
    bodyNeeded: true,
    response: PublicBot,
    command: ({ body }) => ok({ type: 'bot.create', bot: body }),
  }),
  read('GET /bots/{id}', {
    summary: 'One bot',
    errors: [401, 404, 429, 500],
    query: NoQuery,
    response: PublicBot,
    async run({ desk, user, id }) {
      const bot = await desk.bot(user, id);
      return bot === null ? refuse('NOT_FOUND', `there is no bot ${id}`) : ok(bot);
    },
  }),
  command('PATCH /bots/{id}', {
    summary: 'Changes a bot that is not running',
    description:
      'A running one answers 409. With `restart` it starts right away; if the start fails, the change is kept and the answer is 400 with what is wrong. The request takes no X-Idempotency-Key. What the change comes to may have at most 65,536 bytes.',
    errors: WRITE_ERRORS,
    query: NoQuery,
    body: PatchBot,
    bodyNeeded: true,
    response: PatchedBot,
    command: ({ id, body }) => ok({ type: 'bot.patch', id, change: body }),
  }),
  command('DELETE /bots/{id}', {
    summary: 'Deletes a bot',
    description:
      'A running one answers 409, unless `force` is given. Its runs go with it; orders and fills stay.',
    errors: WRITE_ERRORS,
    query: DeleteQuery,
    body: NoBody,
    bodyNeeded: false,
    response: DeletedBot,
    command: ({ id, query }) => ok({ type: 'bot.delete', id, force: query.force === true }),
  }),
  command('POST /bots/{id}/runs', {
    summary: 'Starts a bot',
    description:
      'Checks everything; what is wrong is answered with 400, all of it, joined by `; `. Orders of the run have ids that end with `_{runId}`.',
    errors: WRITE_ERRORS,
    query: NoQuery,
    body: NoBody,
    bodyNeeded: false,
    response: StartedRun,
    command: ({ id }) => ok({ type: 'bot.start', id }),
  }),
  command('DELETE /bots/{id}/runs/{runId}', {
    summary: 'Stops a run',
    description:
      'Answered when the run has ended: its orders are cancelled, its position is sold, if asked. An unknown or finished run answers 404. All is said in the query; the request has no body.',
    errors: WRITE_ERRORS,
    query: StopOptions,
    body: NoBody,
    bodyNeeded: false,
    response: StoppedRun,
    command: ({ id, runId, query }) => ok({ type: 'bot.stop', id, runId, way: wayOf(query) }),
  }),
  command('POST /bots/{id}/runs/{runId}/message', {
    summary: 'Commands a running bot',
    description:
      'Adds, changes or removes a stop rule. Rules are the same when strategy, `trigger.type` and `trigger.value` are equal; an update falls back to the only rule of its strategy. One that would fire at once is refused.',
    errors: WRITE_ERRORS,
    query: NoQuery,
    body: BotMessage,
    bodyNeeded: true,
    response: Type.Null(),
    command: ({ id, runId, body }) => ok({ type: 'bot.message', id, runId, ...body }),
  }),
  command('POST /bots/batch/runs', {
    summary: 'Starts several bots',
    description: EACH,
    errors: CREATE_ERRORS,
    query: NoQuery,
    body: BotBatch,
    bodyNeeded: true,
    response: Type.Array(BatchResult),
    command: ({ body }) => ok({ type: 'bot.batchStart', ids: body.bots }),
  }),
  command('DELETE /bots/batch/runs', {
    summary: 'Stops several runs',
    description: `${EACH} Answered when all of them have ended.`,
    errors: CREATE_ERRORS,
    query: NoQuery,
    body: RunBatch,
    bodyNeeded: true,
    response: Type.Array(BatchResult),
    command: ({ body }) => ok({ type: 'bot.batchStop', runs: body.bots, way: wayOf(body) }),
  }),
  command('DELETE /bots/batch', {
    summary: 'Deletes several bots',
    description: `${EACH} Running ones are refused.`,
    errors: CREATE_ERRORS,
    query: NoQuery,
    body: BotBatch,
    bodyNeeded: true,
    response: Type.Array(BatchResult),
    command: ({ body }) => ok({ type: 'bot.batchDelete', ids: body.bots }),
  }),
];

function wayOf({ cleanup, action, force }: StopOptions): StopWay {
  return { cleanup, action, force };
}
