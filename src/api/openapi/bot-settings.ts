/**
 * What the settings of each bot type may hold, as the extension `x-bot-settings`: requests take any object there, and what
 * is wrong in it shows when a run starts, so no operation can refer to these schemas. Data only.
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
