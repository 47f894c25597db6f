/**
 * Positions, how an account trades (leverage, margin, hedge mode) and dust. Whether an exchange has a feature (S40) and
 * knows a symbol is the desk's business; here stand only the form of the request and who must be named.
 */
import { type Static, Type } from 'typebox';
import type { ApiDesk } from '../../desk/api-port.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { MarginMode, Setting } from '../../domain/position.ts';
import type { OrderCommand } from '../../engine/step.ts';
import {
  ConvertDust,
  SetHedgeMode,
  SetLeverage,
  SetMarginMode,
  SetMarginType,
} from '../../schemas/futures.ts';
import { MarginType, Name } from '../../schemas/order.ts';
import { unknownExchange } from '../exchange-field.ts';
import { command, type Route, type RouteInput, read } from '../route-table.ts';

const MAX_SYMBOLS = 200;
const ONE_SYMBOL = '[A-Za-z0-9._:-]{1,64}';

const NoQuery = Type.Object({});
const ExchangeQuery = Type.Object({ exchange: Name });
const PositionsQuery = Type.Object({ exchange: Type.Optional(Name) });
const LeverageQuery = Type.Object({
  exchange: Name,
  symbols: Type.String({
    pattern: `^${ONE_SYMBOL}(,${ONE_SYMBOL}){0,${MAX_SYMBOLS - 1}}$`,
    description: `1 to ${MAX_SYMBOLS} symbols separated by commas, such as BTCUSDT,ETHUSDT`,
  }),
  marginType: Type.Optional(MarginType),
});
const SetMarginModeQuery = Type.Object({ exchange: Name, mode: SetMarginMode.properties.mode });
const BracketsQuery = Type.Object({ exchange: Name, symbol: Name });

type MarginModeInput = RouteInput<Static<typeof SetMarginModeQuery>, SetMarginMode | undefined>;

export const accountRoutes: readonly Route[] = [
  read('GET /portfolio/positions', {
    query: PositionsQuery,
    async run({ desk, user, query }) {
      const unknown = unknownExchange(desk, query.exchange);
      if (unknown !== null) return unknown;
      const exchange = query.exchange ?? desk.accounts().find((account) => account.kind === 'futures')?.id;
      if (exchange === undefined) {
        return refuse('INVALID_REQUEST', 'no futures account is connected; name an exchange', 'EXCHANGE');
      }
      return desk.positions(user, exchange);
    },
  }),
  read('GET /portfolio/position/leverage', {
    query: LeverageQuery,
    async run({ desk, user, query }) {
      // A symbol named twice is answered once.
      const symbols = [...new Set(query.symbols.split(','))];
      return unknownExchange(desk, query.exchange) ?? desk.leverage(user, { ...query, symbols });
    },
  }),
  command('POST /portfolio/position/leverage', {
    query: NoQuery,
    body: SetLeverage,
    bodyNeeded: true,
    command({ desk, body }) {
      const { exchange, ...leverage } = body;
      return change(desk, exchange, { kind: 'leverage', ...leverage });
    },
  }),
  read('GET /portfolio/margin-mode', {
    query: ExchangeQuery,
    async run({ desk, user, query }) {
      return unknownExchange(desk, query.exchange) ?? desk.marginMode(user, query.exchange);
    },
  }),
  command('POST /portfolio/margin-mode', {
    query: SetMarginModeQuery,
    body: SetMarginMode,
    bodyNeeded: false,
    command: marginModeCommand,
  }),
  command('POST /portfolio/position/margin-type', {
    query: ExchangeQuery,
    body: SetMarginType,
    bodyNeeded: true,
    command({ desk, query, body }) {
      return change(desk, query.exchange, { kind: 'marginType', ...body });
    },
  }),
  read('GET /portfolio/leverage-brackets', {
    query: BracketsQuery,
    async run({ desk, user, query }) {
      return unknownExchange(desk, query.exchange) ?? desk.brackets(user, { ...query });
    },
  }),
  read('GET /exchange/hedge-mode', {
    query: ExchangeQuery,
    async run({ desk, user, query }) {
      return unknownExchange(desk, query.exchange) ?? desk.hedgeMode(user, query.exchange);
    },
  }),
  command('POST /exchange/hedge-mode', {
    query: ExchangeQuery,
    body: SetHedgeMode,
    bodyNeeded: true,
    command({ desk, query, body }) {
      return change(desk, query.exchange, { kind: 'hedgeMode', on: body.dualSidePosition });
    },
  }),
  read('GET /portfolio/dust', {
    query: ExchangeQuery,
    async run({ desk, user, query }) {
      return unknownExchange(desk, query.exchange) ?? desk.dust(user, query.exchange);
    },
  }),
  command('POST /portfolio/dust/convert', {
    query: NoQuery,
    body: ConvertDust,
    bodyNeeded: true,
    command({ desk, body }) {
      const { exchange, ...dust } = body;
      return change(desk, exchange, { kind: 'dust', ...dust });
    },
  }),
];

/** The mode of the body, else that of the query (specification, "Portfolio": the body takes precedence). */
function marginModeCommand({ desk, query, body }: MarginModeInput): Outcome<OrderCommand> {
  const mode = body?.mode ?? query.mode;
  if (mode === undefined) {
    return refuse(
      'INVALID_REQUEST',
      'mode is missing; send "mode" in the body or the query: 1 single-asset, 2 multi-asset, 3 portfolio',
      'FIELD',
    );
  }
  return change(desk, query.exchange, { kind: 'marginMode', mode: mode as MarginMode });
}

function change(desk: ApiDesk, exchange: string, setting: Setting): Outcome<OrderCommand> {
  return unknownExchange(desk, exchange) ?? ok({ type: 'setting', exchange, setting });
}
