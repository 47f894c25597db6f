/** Balances of one exchange account. */
import { Type } from 'typebox';
import { ok, refuse } from '../../domain/errors.ts';
import { Name } from '../../schemas/order.ts';
import { unknownExchange } from '../exchange-field.ts';
import { type Route, read } from '../route-table.ts';

const PortfolioQuery = Type.Object({
  exchange: Type.Optional(Name),
  full: Type.Optional(Type.Boolean()),
  totalOnly: Type.Optional(Type.Boolean()),
});

export const portfolioRoutes: readonly Route[] = [
  read('GET /portfolio', {
    query: PortfolioQuery,
    async run({ desk, user, query }) {
      const unknown = unknownExchange(desk, query.exchange);
      if (unknown !== null) return unknown;
      const exchange = query.exchange ?? desk.accounts().find((account) => account.kind === 'spot')?.id;
      if (exchange === undefined) {
        return refuse('INVALID_REQUEST', 'no spot account is connected; name an exchange', 'EXCHANGE');
      }
      const { full = false, totalOnly = false } = query;
      return ok(await desk.portfolio(user, { exchange, full, totalOnly }));
    },
  }),
];
