/** Positions, leverage, margin, hedge mode and dust of the API (specification, "Position", "Leverage info", "Portfolio"). No logic. */
import { type Static, Type } from 'typebox';
import { DecimalText, MarginType, Name, PositionSide } from './order.ts';

/** GET /portfolio/positions value; the key is opaque (S20). */
export const Position = Type.Object({
  symbol: Type.String(),
  quote: Type.Optional(Type.String()),
  marketType: Type.String(),
  amount: Type.String(),
  entryPrice: Type.String(),
  unrealizedProfit: Type.String(),
  type: MarginType,
  leverage: Type.String(),
  side: PositionSide,
  isolatedWallet: Type.String(),
  liquidationPrice: Type.Union([Type.String(), Type.Null()]),
  bepPrice: Type.String(),
  mmr: Type.String(),
  updateTime: Type.Integer(),
});

export const LeverageItem = Type.Object({
  symbol: Type.String(),
  side: PositionSide,
  leverage: Type.String(),
  type: MarginType,
  cpnl: Type.Optional(Type.String()),
});

/** POST /portfolio/position/leverage body. */
export const SetLeverage = Type.Object(
  {
    exchange: Name,
    symbol: Name,
    leverage: Type.Integer({ minimum: 1, maximum: 125 }),
    marginType: Type.Optional(MarginType),
    side: Type.Optional(PositionSide),
  },
  { additionalProperties: false },
);

/** POST /portfolio/margin-mode body; mode 4 passes here and is refused by the exchange (S40). */
export const SetMarginMode = Type.Object(
  { mode: Type.Optional(Type.Integer({ minimum: 1, maximum: 4 })) },
  { additionalProperties: false },
);

/** POST /portfolio/position/margin-type body. */
export const SetMarginType = Type.Object(
  { symbol: Name, marginType: MarginType },
  { additionalProperties: false },
);

/** POST /exchange/hedge-mode body. */
export const SetHedgeMode = Type.Object(
  { dualSidePosition: Type.Boolean() },
  { additionalProperties: false },
);

/** GET /portfolio/leverage-brackets item (S10). */
export const Bracket = Type.Object({
  initialLeverage: Type.Integer(),
  notionalFloor: Type.String(),
  notionalCap: Type.String(),
  maintenanceMarginRate: Type.String(),
});

/** GET /portfolio/dust (S11). */
export const Dust = Type.Object({
  assets: Type.Array(
    Type.Object({
      asset: Type.String(),
      free: Type.String(),
      value: Type.String(),
      toAsset: Type.String(),
      toAmount: Type.String(),
    }),
  ),
});

/** POST /portfolio/dust/convert body and answer (S11). */
export const ConvertDust = Type.Object(
  {
    exchange: Name,
    assets: Type.Array(Name, { minItems: 1, maxItems: 200, uniqueItems: true }),
    toAsset: Type.Optional(Name),
  },
  { additionalProperties: false },
);
export const DustConverted = Type.Object({
  converted: Type.Array(
    Type.Object({ asset: Type.String(), amount: DecimalText, received: DecimalText, fee: DecimalText }),
  ),
  toAsset: Type.String(),
  received: Type.String(),
});

export type Position = Static<typeof Position>;
export type LeverageItem = Static<typeof LeverageItem>;
export type SetLeverage = Static<typeof SetLeverage>;
export type SetMarginMode = Static<typeof SetMarginMode>;
export type SetMarginType = Static<typeof SetMarginType>;
export type SetHedgeMode = Static<typeof SetHedgeMode>;
export type Bracket = Static<typeof Bracket>;
export type Dust = Static<typeof Dust>;
export type ConvertDust = Static<typeof ConvertDust>;
export type DustConverted = Static<typeof DustConverted>;
