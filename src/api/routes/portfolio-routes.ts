/** Route for the balances of one exchange account. */
import { Type } from 'typebox';
import { described } from '../../schemas/described.ts';
import { ExchangeName } from '../../schemas/order.ts';
import { Portfolio } from '../../schemas/portfolio.ts';
import { chosenExchange } from '../exchange-field.ts';
import { type Route, read } from '../route-table.ts';

const PortfolioQuery = Type.Object({
  exchange: Type.Optional(
    described(ExchangeName, 'Exchange account; default: the spot account of the first venue.'),
  ),
  full: Type.Optional(
    Type.Boolean({ default: false, description: '`true` also lists assets with nothing in them.' }),
  ),
  totalOnly: Type.Optional(Type.Boolean({ default: false, description: '`true` leaves `balances` out.' })),
});

export const portfolioRoutes: readonly Route[] = [
  read('GET /portfolio', {
    summary: 'Balances and their worth',
    errors: [401, 429, 500],
    query: PortfolioQuery,
    response: Portfolio,
    async run({ desk, user, query }) {
      const exchange = chosenExchange(desk, user, query.exchange, 'spot');
      if (!exchange.ok) return exchange;
      const { full = false, totalOnly = false } = query;
      return desk.portfolio(user, { exchange: exchange.data, full, totalOnly });
    },
  }),
];
