/** Every point of the API's specification: what `docs/api-coverage.md` lists, and what `// proves:` markers may name. */
import { ACCESS_ITEMS } from './api/access.ts';
import { BOT_ITEMS } from './api/bots.ts';
import { DECISION_ITEMS } from './api/decisions.ts';
import { ENDPOINT_ITEMS, ROUTE_LIMIT_ITEMS } from './api/endpoints.ts';
import { ERROR_ITEMS } from './api/errors.ts';
import { RESOURCE_ITEMS } from './api/resources.ts';
import { STREAM_ITEMS } from './api/stream.ts';
import type { Item } from './item.ts';

export const API_ITEMS: readonly Item[] = [
  ...RESOURCE_ITEMS,
  ...ENDPOINT_ITEMS,
  ...ACCESS_ITEMS,
  ...STREAM_ITEMS,
  ...ERROR_ITEMS,
  ...ROUTE_LIMIT_ITEMS,
  ...BOT_ITEMS,
  ...DECISION_ITEMS,
];
