/** Every route of the API, in one table. A route that is not in `access/tiers.ts` cannot be written down. */
import { RouteTable } from '../route-table.ts';
import { accountRoutes } from './account-routes.ts';
import { orderRoutes } from './order-routes.ts';
import { portfolioRoutes } from './portfolio-routes.ts';
import { serverRoutes } from './server-routes.ts';

export const ROUTES = new RouteTable([...serverRoutes, ...orderRoutes, ...portfolioRoutes, ...accountRoutes]);
