/** Portfolio, exchange and server schemas of the API (specification, "Balance" and "Other records"). No logic. */
import { type Static, Type } from 'typebox';

export const Balance = Type.Object({
  asset: Type.String(),
  name: Type.String(),
  free: Type.String(),
  wallet: Type.String(),
  locked: Type.String(),
  total: Type.String(),
  lockedByBot: Type.Union([Type.String(), Type.Null()]),
  usd: Type.Optional(Type.String()),
});

export const Portfolio = Type.Object({
  total: Type.Object({ usd: Type.String(), btc: Type.Optional(Type.String()) }),
  balances: Type.Optional(Type.Array(Balance)),
  partial: Type.Optional(Type.Boolean()),
});

export const ExchangeEntry = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: Type.Union([Type.Literal('spot'), Type.Literal('futures'), Type.Literal('swap')]),
});

export const ServerTime = Type.Object({ serverTime: Type.Integer(), timezone: Type.Literal('UTC') });
export const ServerStatus = Type.Object({
  status: Type.Literal('operational'),
  apiVersion: Type.String(),
  timestamp: Type.Integer(),
});
export const ServerVersion = Type.Object({
  service: Type.String(),
  apiVersion: Type.String(),
  node: Type.String(),
  startedAt: Type.Integer(),
  uptimeSec: Type.Integer(),
});

export type Balance = Static<typeof Balance>;
export type Portfolio = Static<typeof Portfolio>;
export type ExchangeEntry = Static<typeof ExchangeEntry>;
export type ServerTime = Static<typeof ServerTime>;
export type ServerStatus = Static<typeof ServerStatus>;
export type ServerVersion = Static<typeof ServerVersion>;
