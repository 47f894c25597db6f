/** Positions of the scripted desk, and the brackets of their symbols. */
import type { FuturesView, PositionView } from '../../../src/desk/console/protocol.ts';
import type { LeverageBracket } from '../../../src/domain/position.ts';
import { NOON } from './some-market.ts';

/** A position of paper-futures: by default a long without a stop. */
export function position(symbol: string, change: Partial<PositionView> = {}): PositionView {
  return {
    key: `key-${symbol}-${change.side ?? 'BOTH'}`,
    exchange: 'paper-futures',
    symbol,
    side: 'BOTH',
    amount: '0.5',
    entryPrice: '60000.123456',
    breakEvenPrice: '60030.12',
    markPrice: '61234.10',
    unrealizedProfit: '616.99',
    returnPercent: '20.57',
    marginType: 'CROSSED',
    leverage: 10,
    margin: '3061.71',
    liquidationPrice: '54210.55',
    liquidationDistance: '-11.47',
    protectedQty: '0',
    protectedSince: null,
    ...change,
  };
}

/** A long without a stop, a short that a stop covers in part, a long that a stop covers whole. */
export function somePositions(): Record<string, FuturesView> {
  return {
    'paper-futures': {
      hedgeMode: false,
      leverage: {
        BTCUSDT: { leverage: 10, marginType: 'CROSSED' },
        ETHUSDT: { leverage: 20, marginType: 'ISOLATED' },
        SOLUSDT: { leverage: 5, marginType: 'CROSSED' },
      },
      positions: [
        position('BTCUSDT'),
        position('ETHUSDT', {
          amount: '-4',
          entryPrice: '3100.5',
          breakEvenPrice: '3098.9',
          markPrice: '3120.44',
          unrealizedProfit: '-79.76',
          returnPercent: '-12.86',
          marginType: 'ISOLATED',
          leverage: 20,
          margin: '620.10',
          liquidationPrice: '3230.1',
          liquidationDistance: '3.51',
          protectedQty: '1.6',
          protectedSince: NOON - 600_000,
        }),
        position('SOLUSDT', {
          amount: '25',
          entryPrice: '140',
          breakEvenPrice: '140.1',
          markPrice: '148.77',
          unrealizedProfit: '219.25',
          returnPercent: '31.32',
          leverage: 5,
          margin: '743.85',
          liquidationPrice: null,
          liquidationDistance: null,
          protectedQty: '25',
          protectedSince: NOON - 900_000,
        }),
      ],
    },
  };
}

export const BRACKETS: readonly LeverageBracket[] = [
  tier(125, '0', '50000', '0.004', '0'),
  tier(50, '50000', '600000', '0.01', '300'),
  tier(20, '600000', '3000000', '0.02', '6300'),
];

export function tier(
  initialLeverage: number,
  notionalFloor: string,
  notionalCap: string,
  maintenanceMarginRate: string,
  cumulative: string,
): LeverageBracket {
  return { initialLeverage, notionalFloor, notionalCap, maintenanceMarginRate, cumulative };
}
