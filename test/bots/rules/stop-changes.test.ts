/**
 * Stop rules that are deleted or disabled while an order they triggered is under way (Bots rule 6;
 * strategies.md 2, "stop").
 */
import { describe, it } from 'vitest';
import { plays } from '../../scenarios/scene.ts';
import { cell, stop } from './bots.ts';

const LIMIT = { complete: true, order: { type: 'LIMIT' } };
const RULE = stop('fixed', 'kline', { value: '95' }, LIMIT);
const RESTING = { ...RULE, trigger: { type: 'exchange', value: '95' } };
const given = (more: object = {}) => JSON.stringify({ ...RULE, ...more });

describe('a LIMIT exit of a stop rule', () => {
  // proves: bot command delete_stoploss, bot command update_stoploss, bot stop-rule order LIMIT-30s
  it.each([
    ['is deleted', `15 delete_stoploss ${given()}`],
    ['is switched off', `15 update_stoploss ${given({ disabled: true })}`],
    ['stays', '15'],
  ])('becomes MARKET after 30 s though its rule %s', async (_what, command) => {
    await plays('CHANNEL', {
      settings: cell({ stop: RULE }),
      events: ['0 105', '5 100', '10 94', '10 open: SELL LIMIT 95 1', command, '39 93', '50 92'],
      fills: ['5 BUY 1 at 100 maker', '40 SELL 1 at 93 taker'],
      open: 'none',
    });
  });

  // proves: bot command delete_stoploss, bot stop-rule order LIMIT-30s
  it.each([
    ['is deleted', `delete_stoploss ${JSON.stringify(RESTING)}`],
    [
      'looks at candles from then on',
      `update_stoploss ${given({ trigger: { type: 'kline', value: '90' } })}`,
    ],
    ['is switched off', `update_stoploss ${JSON.stringify({ ...RESTING, disabled: true })}`],
  ])('of a rule at the exchange goes on like that of any other rule when it %s', async (_, command) => {
    const other = stop('price_percent_buy', 'kline', { value: '20' }, { complete: true });
    await plays('CHANNEL', {
      futures: true,
      settings: cell({ stop: [RESTING, other] }),
      events: [
        '0 105',
        '5 100',
        '10 94',
        '10 open: SELL LIMIT 95 1',
        `15 ${command}`,
        '15 open: SELL LIMIT 95 1',
        '50 80',
      ],
      fills: ['5 BUY 1 at 100 maker', '40 SELL 1 at 94 taker'],
      open: 'none',
    });
  });
});
