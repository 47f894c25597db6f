/**
 * Portfolio, exchange and server schemas of the API (specification, "Balance" and "Other records"). No logic.
 */
import { type Static, Type } from 'typebox';
import { described } from './described.ts';
import { Decimal } from './order.ts';

export const Balance = Type.Object(
  {
    asset: Type.String(),
    name: Type.String({ description: 'Same as `asset`.' }),
    free: described(Decimal, 'What an order may use.'),
    wallet: described(Decimal, 'All of it: free and locked.'),
    locked: described(Decimal, 'Bound by open orders.'),
    total: described(Decimal, 'Equals `wallet`.'),
    lockedByBot: Type.Union([Decimal, Type.Null()], { description: 'Of `wallet`: reserved by bots.' }),
    usd: Type.Optional(described(Decimal, 'Worth in US dollars; absent when no price is known.')),
  },
  { title: 'Balance' },
);

export const Portfolio = Type.Object(
  {
    total: Type.Object({
      usd: Decimal,
      btc: Type.Optional(described(Decimal, 'Absent while no BTC price is known.')),
    }),
    balances: Type.Optional(Type.Array(Balance, { description: 'Absent with `totalOnly=true`.' })),
    partial: Type.Optional(
      Type.Boolean({
        description: 'Present and true when some assets could not be valued: `total` is then too low.',
      }),
    ),
    sharedWith: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Present where other accounts trade with the same wallet: their ids. Count it once.',
      }),
    ),
  },
  { title: 'Portfolio' },
);

export const ExchangeEntry = Type.Object(
  {
    id: Type.String({ description: 'What requests name the account by.' }),
    name: Type.String(),
    type: Type.Union([Type.Literal('spot'), Type.Literal('futures'), Type.Literal('swap')]),
  },
  { title: 'ExchangeAccount' },
);

const Time = Type.Integer({ format: 'int64', description: 'Unix ms.' });

export const ServerTime = Type.Object(
  { serverTime: Time, timezone: Type.Literal('UTC') },
  { title: 'ServerTime' },
);
export const ServerStatus = Type.Object(
  { status: Type.Literal('operational'), apiVersion: Type.String(), timestamp: Time },
  { title: 'ServerStatus' },
);
export const ServerVersion = Type.Object(
  {
    service: Type.String(),
    apiVersion: Type.String(),
    node: Type.String({ description: 'Version of the runtime.' }),
    startedAt: Time,
    uptimeSec: Type.Integer(),
  },
  { title: 'ServerVersion' },
);

export const Pong = Type.Object({ message: Type.String(), timestamp: Time }, { title: 'Pong' });
/** GET /ping responds in an envelope of its own (specification, "Versioning" 4; S21). */
export const LegacyPing = Type.Object(
  { status: Type.Literal('success'), data: Pong },
  { title: 'LegacyPing' },
);

export type Balance = Static<typeof Balance>;
export type Portfolio = Static<typeof Portfolio>;
export type ExchangeEntry = Static<typeof ExchangeEntry>;
export type ServerTime = Static<typeof ServerTime>;
export type ServerStatus = Static<typeof ServerStatus>;
export type ServerVersion = Static<typeof ServerVersion>;
export type Pong = Static<typeof Pong>;
