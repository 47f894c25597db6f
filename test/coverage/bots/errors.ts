/** The errors of a start whose texts strategies.md gives. */
import { type Item, prefixed, section } from '../item.ts';

/** The document's own texts, by id. */
export const START_ERRORS = {
  minimum: 'channel 0.236: order of 8.00 USDT is below the exchange minimum of 10 USDT',
  line: 'stop[0].trigger.value: a price line needs two different timestamps with positive prices',
  'deposit-asset': 'deposit.asset: must be USDT for BTCUSDT on paper-spot',
  insufficient:
    'insufficient balance: the bot needs 500 USDT, 320.5 is available (200 reserved by other bots)',
  'stop-exchange': 'stop[0]: trend_percent_price cannot rest at the exchange',
  'stop-fired': 'the stop has already fired: price 95.20 is below 96.00',
  mandatory: 'channels: 0 and 1 are mandatory',
  shares: 'channels: depositePercent adds up to 90, not 100',
  span: 'channel span of 62.5 % is over maxRangePercent 50',
  'grid-fees': 'grid: cell 12.10-12.11 does not cover the fees of 0.2 %',
  'scale-deposit': 'scale: 6 orders need 1310.72 USDT, the deposit is 1000',
  'bracket-side': 'takeProfit 95 must be above the entry 100 for a BUY',
  'twap-minimum': 'twap: 20 slices of 4.10 USDT are below the exchange minimum of 10 USDT; use at most 8',
  target: 'notify[0]: no target named "ops" in the configuration',
} as const;

/** Sentences of the document that give no text for the error. */
const OTHERS = {
  trailingFrom: 'trailingFrom more than 365 days away is rejected.',
  'scale-deep': 'A safety order 100 % or more below the entry is rejected.',
  together: 'All problems of a start stand in one message, joined by semicolons.',
} as const;

export const ERROR_ITEMS: readonly Item[] = section('Errors of a start', {
  ...prefixed(
    'bot start-error',
    Object.fromEntries(Object.entries(START_ERRORS).map(([id, text]) => [id, `“${text}”`])),
  ),
  ...prefixed('bot start-error', OTHERS),
});
