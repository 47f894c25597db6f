/**
 * The settings of each bot type, as the extension `x-bot-settings`: requests accept any object there, and
 * errors in it show when a run starts, so no operation can refer to these schemas. Data only.
 */
import { BOT_TYPES, BotOptions, StopCommand, schemaOf } from '../../schemas/bots/index.ts';
import { COMPONENTS } from './components.ts';
import type { JsonObject } from './schema-document.ts';

export const BOT_SETTINGS: JsonObject = {
  description:
    '`settings` of POST /v2/bots by `type`, its `options`, and `params` of the message to a running bot. Decimals may be given as strings or numbers. Unknown fields are kept and ignored.',
  settings: Object.fromEntries(BOT_TYPES.map((type) => [type, COMPONENTS.schema(schemaOf(type))])),
  options: COMPONENTS.schema(BotOptions),
  stopCommand: COMPONENTS.schema(StopCommand),
};
