/** Settings of the seven bot types: documentation, console form and deep validation read these. */
export { BotOptions } from './blocks.ts';
export { type BotField, botFields, type FieldKind } from './bot-fields.ts';
export { BOT_TYPES, BotType } from './bot-type.ts';
export { SETTINGS_SCHEMAS } from './settings.ts';
export { StopCommand } from './stop.ts';
