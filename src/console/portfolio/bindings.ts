/** The keys of the portfolio. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const PORTFOLIO_KEYS = {
  screens: ['portfolio'],
  parts: [{ title: 'Portfolio', scopes: ['portfolio'] }],
  bindings: [
    {
      command: 'portfolio.dust',
      keys: ['d'],
      label: 'convert dust',
      scope: 'portfolio',
      dangerous: true,
      footer: 1,
    },
    { command: 'ticket.buy', keys: ['B'], label: 'buy', scope: 'portfolio' },
    { command: 'ticket.sell', keys: ['S'], label: 'sell', scope: 'portfolio' },
    { command: 'portfolio.part', keys: ['p'], label: 'sell a part', scope: 'portfolio', dangerous: true },
    {
      command: 'portfolio.exits',
      keys: ['t'],
      label: 'take-profit and stop',
      scope: 'portfolio',
      dangerous: true,
    },
    { command: 'portfolio.small', keys: ['s'], label: 'small on/off', scope: 'portfolio', footer: 3 },
    { command: 'portfolio.filter', keys: ['/'], label: 'filter', scope: 'portfolio', footer: 4 },
    { command: 'portfolio.sort', keys: ['o'], label: 'sort', scope: 'portfolio', footer: 5 },
    { command: 'portfolio.reverse', keys: ['O'], label: 'reverse the sort', scope: 'portfolio' },
    {
      command: 'portfolio.export',
      needs: 'local',
      keys: ['e'],
      label: 'write CSV',
      scope: 'portfolio',
      acts: true,
      footer: 6,
    },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly portfolio: typeof PORTFOLIO_KEYS;
  }
}
