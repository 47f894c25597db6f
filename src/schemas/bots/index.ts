/** Settings of the bot types, used by the documentation, the console's form and the deep validation. */
export { ALERT_TYPE, exitsBot, schemaOf, USUAL_TYPE, wordsOf } from '../../bots/types/index.ts';
export { BotOptions } from './blocks.ts';
export { type BotField, botFields, type FieldKind } from './bot-fields.ts';
export { BOT_TYPES, BotType } from './bot-type.ts';
export { StopCommand } from './stop.ts';
