/**
 * Routes for positions, account settings (leverage, margin, hedge mode) and dust. The desk decides whether an
 * exchange has a feature (S40) and knows a symbol; here are only the form of the request and what it must
 * name.
 */
import { type Static, Type } from 'typebox';
import type { ApiDesk } from '../../desk/api/api-port.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { MarginMode, Setting } from '../../domain/position.ts';
import type { OrderCommand } from '../../engine/step.ts';
import { described } from '../../schemas/described.ts';
import {
  Bracket,
  ConvertDust,
  Dust,
  DustConverted,
  LeverageItem,
  MarginModeAnswer,
  Position,
  SetHedgeMode,
  SetLeverage,
  SetMarginMode,
  SetMarginType,
} from '../../schemas/futures.ts';
import {
  MARKET_NAMES_FORMAT,
  MARKET_NAMES_MAX,
  MARKET_NAMES_MOST,
  MARKET_NAMES_PATTERN,
} from '../../schemas/market-name.ts';
import { ExchangeName, MarginType, SymbolName } from '../../schemas/order.ts';
import { chosenExchange, unknownExchange } from '../exchange-field.ts';
import { command, type Route, type RouteInput, read } from '../route-table.ts';

const NoQuery = Type.Object({});
const ExchangeQuery = Type.Object({ exchange: ExchangeName });
const PositionsQuery = Type.Object({
  exchange: Type.Optional(
    described(ExchangeName, 'Exchange account; default: the futures account of the first venue.'),
  ),
});
const LeverageQuery = Type.Object({
  exchange: ExchangeName,
  symbols: Type.String({
    maxLength: MARKET_NAMES_MAX,
    pattern: MARKET_NAMES_PATTERN,
    format: MARKET_NAMES_FORMAT,
    'x-must-be': `1 to ${MARKET_NAMES_MOST} symbols separated by commas, such as BTCUSDT,ETHUSDT`,
    description: `1 to ${MARKET_NAMES_MOST} trading pairs separated by commas, such as \`BTCUSDT,ETHUSDT\`.`,
  }),
  marginType: Type.Optional(described(MarginType, 'Only entries of this margin type.')),
});
const SetMarginModeQuery = Type.Object({
  exchange: ExchangeName,
  mode: described(SetMarginMode.properties.mode, 'Stands for `mode` of the body, which takes precedence.'),
});
const BracketsQuery = Type.Object({ exchange: ExchangeName, symbol: SymbolName });

/** Refusals by the specification, "Portfolio" and "Exchange". */
const READ_ERRORS = [401, 429, 500] as const;
const WRITE_ERRORS = [400, 401, 403, 409, 429, 500] as const;
const UNSUPPORTED = 'An exchange account that has no such thing answers 500 INTERNAL_ERROR and says so.';

type MarginModeInput = RouteInput<Static<typeof SetMarginModeQuery>, SetMarginMode | undefined>;

export const accountRoutes: readonly Route[] = [
  read('GET /portfolio/positions', {
    summary: 'Open positions',
    description: 'By opaque key: do not parse it, read `symbol` and `side` of the value.',
    errors: READ_ERRORS,
    query: PositionsQuery,
    response: Type.Record(Type.String(), Position),
    async run({ desk, user, query }) {
      const exchange = chosenExchange(desk, user, query.exchange, 'futures');
      if (!exchange.ok) return exchange;
      return desk.positions(user, exchange.data);
    },
  }),
  read('GET /portfolio/position/leverage', {
    summary: 'Leverage and margin type of symbols',
    description: `In hedge mode both sides are listed. ${UNSUPPORTED}`,
    errors: [400, ...READ_ERRORS],
    query: LeverageQuery,
    response: Type.Array(LeverageItem),
    async run({ desk, user, query }) {
      // A symbol named twice is answered only once.
      const symbols = [...new Set(query.symbols.split(','))];
      return unknownExchange(desk, user, query.exchange) ?? desk.leverage(user, { ...query, symbols });
    },
  }),
  command('POST /portfolio/position/leverage', {
    summary: 'Sets the leverage of a symbol',
    description: UNSUPPORTED,
    errors: WRITE_ERRORS,
    query: NoQuery,
    body: SetLeverage,
    bodyNeeded: true,
    response: Type.Null(),
    command({ desk, user, body }) {
      const { exchange, ...leverage } = body;
      return change(desk, user, exchange, { kind: 'leverage', ...leverage });
    },
  }),
  read('GET /portfolio/margin-mode', {
    summary: 'Margin mode of an account',
    description: UNSUPPORTED,
    errors: READ_ERRORS,
    query: ExchangeQuery,
    response: MarginModeAnswer,
    async run({ desk, user, query }) {
      return unknownExchange(desk, user, query.exchange) ?? desk.marginMode(user, query.exchange);
    },
  }),
  command('POST /portfolio/margin-mode', {
    summary: 'Sets the margin mode of an account',
    description: `Send \`mode\` in the body or the query. ${UNSUPPORTED}`,
    errors: WRITE_ERRORS,
    query: SetMarginModeQuery,
    body: SetMarginMode,
    bodyNeeded: false,
    response: MarginModeAnswer,
    command: marginModeCommand,
  }),
  command('POST /portfolio/position/margin-type', {
    summary: 'Sets the margin type of a symbol',
    description: UNSUPPORTED,
    errors: WRITE_ERRORS,
    query: ExchangeQuery,
    body: SetMarginType,
    bodyNeeded: true,
    response: SetMarginType,
    command({ desk, user, query, body }) {
      return change(desk, user, query.exchange, { kind: 'marginType', ...body });
    },
  }),
  read('GET /portfolio/leverage-brackets', {
    summary: 'Leverage tiers of a symbol',
    description: UNSUPPORTED,
    errors: READ_ERRORS,
    query: BracketsQuery,
    response: Type.Array(Bracket),
    async run({ desk, user, query }) {
      return unknownExchange(desk, user, query.exchange) ?? desk.brackets(user, { ...query });
    },
  }),
  read('GET /exchange/hedge-mode', {
    summary: 'Whether an account is in hedge mode',
    description: 'Futures accounts only: a spot account answers 400.',
    errors: [400, 401, 403, 429, 500],
    query: ExchangeQuery,
    response: SetHedgeMode,
    async run({ desk, user, query }) {
      return unknownExchange(desk, user, query.exchange) ?? desk.hedgeMode(user, query.exchange);
    },
  }),
  command('POST /exchange/hedge-mode', {
    summary: 'Sets hedge or one-way mode of an account',
    description:
      'Futures accounts only: a spot account answers 400. In hedge mode every futures order carries `positionSide` LONG or SHORT.',
    errors: WRITE_ERRORS,
    query: ExchangeQuery,
    body: SetHedgeMode,
    bodyNeeded: true,
    response: SetHedgeMode,
    command({ desk, user, query, body }) {
      return change(desk, user, query.exchange, { kind: 'hedgeMode', on: body.dualSidePosition });
    },
  }),
  read('GET /portfolio/dust', {
    summary: 'Small balances that can be converted',
    description: UNSUPPORTED,
    errors: READ_ERRORS,
    query: ExchangeQuery,
    response: Dust,
    async run({ desk, user, query }) {
      return unknownExchange(desk, user, query.exchange) ?? desk.dust(user, query.exchange);
    },
  }),
  command('POST /portfolio/dust/convert', {
    summary: 'Converts small balances',
    description: `At most once every 6 hours (a rule of exchanges); before that 400 with the time left. ${UNSUPPORTED}`,
    errors: WRITE_ERRORS,
    query: NoQuery,
    body: ConvertDust,
    bodyNeeded: true,
    response: DustConverted,
    command({ desk, user, body }) {
      const { exchange, ...dust } = body;
      return change(desk, user, exchange, { kind: 'dust', ...dust });
    },
  }),
];

/**
 * Takes the mode from the body, else from the query (specification, "Portfolio": the body takes precedence).
 */
function marginModeCommand({ desk, user, query, body }: MarginModeInput): Outcome<OrderCommand> {
  const mode = body?.mode ?? query.mode;
  if (mode === undefined) {
    return refuse(
      'INVALID_REQUEST',
      'mode is missing; send "mode" in the body or the query: 1 single-asset, 2 multi-asset, 3 portfolio',
      'FIELD',
    );
  }
  return change(desk, user, query.exchange, { kind: 'marginMode', mode: mode as MarginMode });
}

function change(desk: ApiDesk, user: string, exchange: string, setting: Setting): Outcome<OrderCommand> {
  return unknownExchange(desk, user, exchange) ?? ok({ type: 'setting', exchange, setting });
}
