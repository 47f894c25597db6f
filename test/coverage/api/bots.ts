/** The specification's rules for bots; strategies have their own document. */
import { type Item, prefixed, section } from '../item.ts';

export const BOT_ITEMS: readonly Item[] = [
  ...section('Bots: record', {
    'bot record': 'Guaranteed are id, type and exchange; internal fields are never there.',
    'bot record-status': 'NEW, STARTED, STOPPED or ERROR.',
    'bot record-run': 'runId while it runs, a new one for every start.',
    'bot order-ids': 'The ids of a bot’s orders end with _{runId}.',
    ...prefixed('bot-type', {
      FIBO: 'A Fibonacci grid.',
      CHANNEL: 'Horizontal channels: grid, levels or scale.',
      SQUEEZE: 'Buys a sharp drop, sells the bounce.',
      INTRADAY: 'Bounce or breakout of a level or line.',
      ALGO: 'Named execution primitives.',
      ALARM: 'A price or RSI alert; does not trade.',
      NOTIFY: 'A market scanner; does not trade.',
    }),
    'bot shapes': 'Form of symbol and unit of timeFrame follow the type.',
    'bot blocks':
      'deposit, stop, orders, timeout, filters and price lines have the forms of the specification.',
    'bot fibo': 'The configuration of FIBO with its channels.',
    'bot squeeze': 'The configuration of SQUEEZE with its trailing rules.',
  }),
  ...section('Bots: status', {
    'bot-state none to NEW': 'POST /bots with a valid type and settings.exchange.',
    'bot-state start': 'NEW or STOPPED to STARTED after deep validation: new runId, BOT_STARTED.',
    'bot-state stop': 'STARTED to STOPPED with the clean-up asked for: BOT_STOPPED.',
    'bot-state fail': 'STARTED to ERROR: BOT_ERROR.',
    'bot-state patch': 'A STOPPED bot takes a new config and stays STOPPED.',
    'bot-state patch-restart': 'With restart it starts right away.',
    'bot-state patch-running': 'A running one refuses with 409.',
    'bot-state delete': 'Not running, or with force: every run is stopped first.',
    'bot no-fibo-restart': 'FIBO ends with its sells; restart and reuse are for CHANNEL and SQUEEZE only.',
  }),
  ...section(
    'Endpoints: bots',
    prefixed('endpoint', {
      'GET /bots': 'Every bot, of one type if asked.',
      'POST /bots': 'Makes a bot.',
      'GET /bots/{id}': 'One bot, or 404.',
      'PATCH /bots/{id}': 'Changes it; answers the new and the old one; no idempotency.',
      'DELETE /bots/{id}': 'Deletes it.',
      'POST /bots/{id}/runs': 'Starts a run.',
      'DELETE /bots/{id}/runs/{runId}': 'Stops it, with clean-up and action.',
      'POST /bots/{id}/runs/{runId}/message': 'Commands it while it runs.',
      'POST /bots/batch/runs': 'Starts many.',
      'DELETE /bots/batch/runs': 'Stops many.',
      'DELETE /bots/batch': 'Deletes many.',
    }),
  ),
  ...section('Bots: rules', {
    'bot-rule creation':
      '(1) Only type and settings.exchange are checked at creation; a type inside must match.',
    'bot-rule shield': '(2) The shield holds for the exchange in the settings.',
    'bot-rule patch-running': '(3) PATCH on a running bot is 409 CONFLICT.',
    'bot-rule delete-running': '(4) Deleting a running bot needs force.',
    'bot-rule batch': '(5) Up to 20 in a batch, which counts as one request, one result each.',
    'bot-rule commands': '(6) add_stoploss, update_stoploss and delete_stoploss take a stop object.',
    'bot-rule answers': '(7) The error lists of create, get and list.',
  }),
  ...section('Bots: limits', {
    'limit batch-bots': '20 per request.',
    'limit bot-tag': '50 characters.',
    'limit notify-timeFrame': 'At least 300,000 ms.',
    'limit trailingFrom': 'Within the last year.',
  }),
];
