/** Every route of the API, in one table. A route that is missing in `access/tiers.ts` does not compile. */
import { type Route, RouteTable } from '../route-table.ts';
import { accountRoutes } from './account-routes.ts';
import { botRoutes } from './bot-routes.ts';
import { documentRoute } from './document-route.ts';
import { orderRoutes } from './order-routes.ts';
import { portfolioRoutes } from './portfolio-routes.ts';
import { serverRoutes } from './server-routes.ts';

const routes: readonly Route[] = [
  ...serverRoutes,
  ...orderRoutes,
  ...portfolioRoutes,
  ...accountRoutes,
  ...botRoutes,
  documentRoute(() => routes),
];

export const ROUTES = new RouteTable(routes);
