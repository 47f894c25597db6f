/** Every field and rule of the bots' strategies: what `docs/bot-coverage.md` lists, and what `// proves: bot ...` may name. */
import { BLOCK_ITEMS } from './bots/blocks.ts';
import { ERROR_ITEMS } from './bots/errors.ts';
import { MARKET_ITEMS } from './bots/market.ts';
import { OTHER_ITEMS } from './bots/others.ts';
import { RULING_ITEMS } from './bots/rulings.ts';
import { RUN_ITEMS } from './bots/run.ts';
import { STRATEGY_ITEMS } from './bots/strategies.ts';
import type { Item } from './item.ts';

export const STRATEGY_DOCUMENT_ITEMS: readonly Item[] = [
  ...MARKET_ITEMS,
  ...BLOCK_ITEMS,
  ...RUN_ITEMS,
  ...STRATEGY_ITEMS,
  ...OTHER_ITEMS,
  ...ERROR_ITEMS,
  ...RULING_ITEMS,
];
