/**
 * Bots as the API takes and returns them (specification, "Bot record" and "Bots"; S5 to S8, S41, S42). The
 * schemas of their settings are in `bots/`. No logic.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { BotType } from './bots/bot-type.ts';
import { described } from './described.ts';
import { Decimal, ExchangeName } from './order.ts';

/** Limits of the specification, "Other limits". */
export const MAX_BATCH = 20;
export const MAX_TAG = 50;

/** Ids of bots and runs, as they may appear in a path. */
const ID = '^[A-Za-z0-9_-]{1,64}$';
const BotId = Type.String({
  pattern: ID,
  'x-must-be': 'a bot id of 1 to 64 characters from A-Z a-z 0-9 _ -',
  description: 'Id of a bot.',
});
const RunId = Type.String({ description: 'Id of a run.' });
const Time = (description: string) => Type.Integer({ format: 'int64', description });
/** Object with fields of any kind: they are checked at the start of a run. */
const Open = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>(
    Type.Object({}, { additionalProperties: true, description }),
  );
const Text = (description: string) => Type.String({ description });

const MetadataText = Type.String({
  description: "Text of the client's own, kept and given back as it is.",
});
const Tag = Type.String({ maxLength: MAX_TAG, description: `A label, at most ${MAX_TAG} characters.` });

export const BotStatus = Type.Union(
  [Type.Literal('NEW'), Type.Literal('STARTED'), Type.Literal('STOPPED'), Type.Literal('ERROR')],
  {
    title: 'BotStatus',
    description: 'NEW: never started. STARTED: a run goes on. STOPPED: it has ended. ERROR: it has failed.',
  },
);

/** Figures of a run; money in the quote or margin asset. */
export const BotStats = Type.Object(
  {
    realised: described(Decimal, 'Profit and loss of what was sold, fees included.'),
    unrealised: described(Decimal, 'Of what is held, at the last price.'),
    fees: described(Decimal, 'Fees paid.'),
    volume: described(Decimal, 'Quote amount traded.'),
    cycles: Type.Integer({ description: 'Cycles that are complete.' }),
    winningCycles: Type.Integer({ description: 'Those that earned something.' }),
    fills: Type.Integer({ description: 'Executions.' }),
    maxDrawdown: described(Decimal, 'Percent of equity.'),
    budget: described(Decimal, 'What the run may use.'),
    roi: Type.Union([Decimal, Type.Null()], { description: 'Percent of the budget; null without one.' }),
    annualised: Type.Union([Decimal, Type.Null()], {
      description: '`roi` for a year; null within 24 hours.',
    }),
    unfilled: described(Decimal, 'ALGO twap: base amount that was not traded.'),
    skipped: Type.Integer({ description: 'NOTIFY: symbols without data, added up over scans.' }),
  },
  { title: 'BotStats', description: 'Figures of the run that goes on, or of the last one.' },
);

const Alert = Type.Object(
  {
    symbol: Text('Trading pair.'),
    condition: Text('Its path in the settings; several are joined by `+`.'),
    message: Text('What the bot has to say.'),
    time: Time('Unix ms of the market.'),
  },
  { description: 'In events about an alert of ALARM or NOTIFY.' },
);

export const PublicBot = Type.Object(
  {
    id: Text('Id of the bot.'),
    type: BotType,
    exchange: ExchangeName,
    symbol: Type.Unknown({
      description: 'As in the settings: an object or a pair code; null when there is none.',
    }),
    status: BotStatus,
    settings: Open('The configuration, as it was given.'),
    options: Type.Optional(Open('Options, as they were given.')),
    metadata: Type.Optional(MetadataText),
    tag: Type.Optional(Tag),
    state: Type.Optional(Text('What the run is doing, or how the last one ended.')),
    runId: Type.Optional(Text('Id of the run, while one goes on; a new one for every start.')),
    stats: Type.Optional(BotStats),
    alert: Type.Optional(Alert),
  },
  { title: 'Bot', description: 'More fields may come.' },
);

const settingsWords =
  'Configuration. At creation only `exchange` is looked at; the rest is checked, all of it, when a run starts. `x-bot-settings` of this document has the fields of each type; fields that it does not know are kept and ignored.';

export const CreateBot = Type.Object(
  {
    type: BotType,
    settings: Type.Unsafe<Readonly<{ exchange: string } & Record<string, unknown>>>(
      Type.Object(
        { exchange: described(ExchangeName, 'Exchange account.') },
        { additionalProperties: true, description: settingsWords },
      ),
    ),
    options: Type.Optional(Open('CHANNEL and SQUEEZE: `restart`, `restartDelay`, `reuse`.')),
    metadata: Type.Optional(MetadataText),
    tag: Type.Optional(Tag),
  },
  { title: 'CreateBot', additionalProperties: false },
);

export const PatchBot = Type.Object(
  {
    config: Type.Optional(
      Open('Top-level fields of the settings: given ones replace, `null` removes, others stay.'),
    ),
    options: Type.Optional(Open('Top-level fields of the options, in the same way.')),
    metadata: Type.Optional(MetadataText),
    restart: Type.Optional(Type.Boolean({ description: '`true` starts the bot when it is changed.' })),
  },
  { title: 'PatchBot', additionalProperties: false },
);

export const PatchedBot = Type.Object(
  { bot: PublicBot, old: described(PublicBot, 'The bot as it was before.') },
  { title: 'PatchedBot' },
);
export const DeletedBot = Type.Object({ id: BotId }, { title: 'DeletedBot' });

export const StartedRun = Type.Object(
  { id: BotId, status: BotStatus, runId: RunId, startedAt: Time('Unix ms of the market.') },
  { title: 'StartedRun' },
);
export const StoppedRun = Type.Object(
  {
    id: BotId,
    status: BotStatus,
    runId: RunId,
    stoppedAt: Time('Unix ms of the market.'),
    reason: Text(
      'Why the run ended: `operator`, or what ended it first (`completed`, `ttl`, `max stops`, `expired`, `liquidated`, `closed elsewhere`, `error`).',
    ),
  },
  { title: 'StoppedRun' },
);

/** How a run is stopped: in the query of the single stop, or in the body of the batch. */
const stopFields = {
  cleanup: Type.Optional(
    Type.Union(
      [Type.Literal('leaveAllOrders'), Type.Literal('cancelBuyOrders'), Type.Literal('cancelAllOrders')],
      {
        default: 'cancelAllOrders',
        description:
          'What becomes of the open orders. `cancelBuyOrders` cancels the entries (with `short` those that sell).',
      },
    ),
  ),
  action: Type.Optional(
    Type.Literal('stop_and_sell', {
      description: 'Also closes the remaining position with a MARKET order.',
    }),
  ),
  force: Type.Optional(
    Type.Boolean({
      default: false,
      description: '`true` ends a run that waits for the exchange at once; the clean-up goes on behind it.',
    }),
  ),
};

export const StopOptions = Type.Object(stopFields);

export const BotMessage = Type.Object(
  {
    message: Type.Union(
      [Type.Literal('add_stoploss'), Type.Literal('update_stoploss'), Type.Literal('delete_stoploss')],
      { description: 'What to do.' },
    ),
    params: Open('A stop rule: `stopCommand` of `x-bot-settings`.'),
  },
  { title: 'BotMessage', additionalProperties: false },
);

const batch = <T extends TSchema>(items: T, description: string) =>
  Type.Array(items, { minItems: 1, maxItems: MAX_BATCH, uniqueItems: true, description });

export const BotBatch = Type.Object(
  { bots: batch(BotId, `1 to ${MAX_BATCH} bots, each once.`) },
  { title: 'BotBatch', additionalProperties: false },
);

/** A bot and one of its runs. */
export const RunPair = Type.Unsafe<readonly [botId: string, runId: string]>(
  Type.Array(BotId, {
    minItems: 2,
    maxItems: 2,
    'x-must-be': 'a pair [botId, runId]',
    description: 'Bot id and run id.',
  }),
);
export const RunBatch = Type.Object(
  { bots: batch(RunPair, `1 to ${MAX_BATCH} pairs of bot id and run id, each bot once.`), ...stopFields },
  { title: 'RunBatch', additionalProperties: false },
);

/** One entry of the response to a batch (S8). */
export const BatchResult = Type.Object(
  {
    id: Text('The bot.'),
    success: Type.Boolean(),
    runId: Type.Optional(Text('The run that was started or stopped.')),
    error: Type.Optional(
      Type.Object({
        code: Text('As in a refusal of the single request.'),
        message: Text('As in a refusal of the single request.'),
      }),
    ),
    bot: Type.Optional(described(PublicBot, 'The bot afterwards.')),
  },
  { title: 'BatchResult' },
);

export type BotStats = Static<typeof BotStats>;
export type PublicBot = Static<typeof PublicBot>;
export type CreateBot = Static<typeof CreateBot>;
export type PatchBot = Static<typeof PatchBot>;
export type PatchedBot = Static<typeof PatchedBot>;
export type DeletedBot = Static<typeof DeletedBot>;
export type StartedRun = Static<typeof StartedRun>;
export type StoppedRun = Static<typeof StoppedRun>;
export type StopOptions = Static<typeof StopOptions>;
export type RunPair = Static<typeof RunPair>;
export type BotMessage = Static<typeof BotMessage>;
export type BatchResult = Static<typeof BatchResult>;
