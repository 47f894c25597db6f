/** The ways to a new bot: the types with a word on what each does, and JSON. */
import type { BotType } from '../../schemas/bots/bot-type.ts';

export const NEW_BOT_WAYS: readonly { readonly name: BotType | 'JSON'; readonly about: string }[] = [
  { name: 'FIBO', about: 'a grid of Fibonacci levels, each sold at the next one up' },
  { name: 'CHANNEL', about: 'buys low, sells high, for ever: grid, own levels, averaging' },
  { name: 'SQUEEZE', about: 'buys a sharp drop below the last candle, sells the bounce' },
  { name: 'INTRADAY', about: 'one level or trend line: its bounce or its breakout' },
  { name: 'ALGO', about: 'one job: entry with target and stop, a pair, timed slices' },
  { name: 'ALARM', about: 'tells when a price or RSI gets somewhere; orders nothing' },
  { name: 'NOTIFY', about: 'scans all symbols for moves, volume, RSI; orders nothing' },
  { name: 'JSON', about: 'from a file, a paste or a text of your own' },
];
