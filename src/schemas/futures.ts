/**
 * Positions, leverage, margin, hedge mode and dust of the API (specification, "Position", "Leverage info",
 * "Portfolio"). No logic.
 */
import { type Static, Type } from 'typebox';
import { described } from './described.ts';
import { Decimal, ExchangeName, MarginType, MarketName, PositionSide, SymbolName } from './order.ts';

/** GET /portfolio/positions value; the key is opaque (S20). */
export const Position = Type.Object(
  {
    symbol: Type.String(),
    quote: Type.Optional(Type.String({ description: 'Quote asset.' })),
    marketType: Type.String(),
    amount: described(
      Decimal,
      'Base size. One-way mode: positive is long, negative short. Hedge mode: the direction is in `side`.',
    ),
    entryPrice: Decimal,
    unrealizedProfit: Decimal,
    type: MarginType,
    leverage: described(Decimal, 'A whole number, as a string.'),
    side: PositionSide,
    isolatedWallet: described(Decimal, 'Margin set aside for an isolated position; 0 when crossed.'),
    liquidationPrice: Type.Union([Decimal, Type.Null()], { description: 'Null when there is none.' }),
    bepPrice: described(Decimal, 'Break-even price.'),
    mmr: described(Decimal, 'Maintenance margin.'),
    updateTime: Type.Integer({ format: 'int64', description: 'Unix ms.' }),
    specific: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "The exchange's own object; absent on the paper exchange.",
      }),
    ),
  },
  { title: 'Position' },
);

export const LeverageItem = Type.Object(
  {
    symbol: Type.String(),
    side: PositionSide,
    leverage: described(Decimal, 'A whole number, as a string.'),
    type: MarginType,
    cpnl: Type.Optional(described(Decimal, 'Realised PnL since the position opened.')),
  },
  { title: 'LeverageInfo' },
);

/** POST /portfolio/position/leverage body. */
export const SetLeverage = Type.Object(
  {
    exchange: ExchangeName,
    symbol: SymbolName,
    leverage: Type.Integer({
      minimum: 1,
      maximum: 125,
      description: "The exchange's leverage brackets may allow less.",
    }),
    marginType: Type.Optional(MarginType),
    side: Type.Optional(PositionSide),
  },
  { title: 'SetLeverage', additionalProperties: false },
);

/** POST /portfolio/margin-mode body; mode 4 is valid here and is refused by the exchange (S40). */
export const SetMarginMode = Type.Object(
  {
    mode: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 4,
        description:
          '1 = single-asset, 2 = multi-asset, 3 = portfolio. 4 = other: a read-only marker, do not send it.',
      }),
    ),
  },
  { title: 'SetMarginMode', additionalProperties: false },
);
export const MarginModeAnswer = Type.Object(
  {
    mode: Type.Integer({
      minimum: 1,
      maximum: 4,
      description: '1 = single-asset, 2 = multi-asset, 3 = portfolio, 4 = other.',
    }),
  },
  { title: 'MarginMode' },
);

/** POST /portfolio/position/margin-type body; the response has the same fields (S9). */
export const SetMarginType = Type.Object(
  { symbol: SymbolName, marginType: MarginType },
  { title: 'SetMarginType', additionalProperties: false },
);

/** POST /exchange/hedge-mode body; the response has the same fields. */
export const SetHedgeMode = Type.Object(
  {
    dualSidePosition: Type.Boolean({ description: 'true = hedge mode, false = one-way mode.' }),
  },
  { title: 'HedgeMode', additionalProperties: false },
);

/** GET /portfolio/leverage-brackets item (S10). */
export const Bracket = Type.Object(
  {
    initialLeverage: Type.Integer({ description: 'Highest leverage in this tier.' }),
    notionalFloor: described(Decimal, 'Position notional from which the tier counts.'),
    notionalCap: described(Decimal, 'Position notional up to which it counts.'),
    maintenanceMarginRate: Decimal,
  },
  { title: 'LeverageBracket' },
);

/** GET /portfolio/dust (S11). */
export const Dust = Type.Object(
  {
    assets: Type.Array(
      Type.Object({
        asset: Type.String(),
        free: Decimal,
        value: described(Decimal, 'Worth, in the quote asset.'),
        toAsset: Type.String({ description: 'What it would be converted into.' }),
        toAmount: described(Decimal, 'How much that would give, fee taken off.'),
      }),
    ),
  },
  { title: 'Dust' },
);

/** POST /portfolio/dust/convert body and response (S11). */
export const ConvertDust = Type.Object(
  {
    exchange: ExchangeName,
    assets: Type.Array(MarketName, {
      minItems: 1,
      maxItems: 200,
      uniqueItems: true,
      description: 'Tickers of the assets to convert.',
    }),
    toAsset: Type.Optional(described(MarketName, "Default: the exchange's native token.")),
  },
  { title: 'ConvertDust', additionalProperties: false },
);
export const DustConverted = Type.Object(
  {
    converted: Type.Array(
      Type.Object({ asset: Type.String(), amount: Decimal, received: Decimal, fee: Decimal }),
    ),
    toAsset: Type.String(),
    received: described(Decimal, 'In all.'),
  },
  { title: 'DustConverted' },
);

export type Position = Static<typeof Position>;
export type LeverageItem = Static<typeof LeverageItem>;
export type SetLeverage = Static<typeof SetLeverage>;
export type SetMarginMode = Static<typeof SetMarginMode>;
export type MarginModeAnswer = Static<typeof MarginModeAnswer>;
export type SetMarginType = Static<typeof SetMarginType>;
export type SetHedgeMode = Static<typeof SetHedgeMode>;
export type Bracket = Static<typeof Bracket>;
export type Dust = Static<typeof Dust>;
export type ConvertDust = Static<typeof ConvertDust>;
export type DustConverted = Static<typeof DustConverted>;
