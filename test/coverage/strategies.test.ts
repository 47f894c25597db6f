/** The list of bot items against the document of the strategies itself, if that lies beside the checkout. */
import { describe, expect, it } from 'vitest';
import { withShared } from '../support/shared-data.ts';
import { STRATEGY_DOCUMENT_ITEMS } from './bot-items.ts';
import { START_ERRORS } from './bots/errors.ts';
import { firstColumn, numberedTo, sectionOf } from './markdown.ts';

const STRATEGIES = '../design/strategies.md';
const ids = STRATEGY_DOCUMENT_ITEMS.map(({ id }) => id);
const against = (cases: number, check: (text: string) => void) => withShared(STRATEGIES, cases, check);

/** Words of the tables that are not fields, and fields whose parts are listed as separate items. */
const OWN_WORDS = ['buy', 'sell', 'left out', 'string or number', 'trailingRules', 'range'];

/** Names in backticks of the first columns of a section's tables: `volume.minVal`, `green`. */
function named(text: string, heading: string): string[] {
  return firstColumn(sectionOf(text, heading)).flatMap((cell) =>
    [...(cell.includes('`') ? cell.matchAll(/`([^`]+)`/g) : [[cell, cell]])].map(([, name = '']) => name),
  );
}

/** The names that occur neither in the id nor in the text of an item whose id begins with one of these. */
function missing(names: readonly string[], ...prefixes: string[]): string[] {
  const items = STRATEGY_DOCUMENT_ITEMS.filter(({ id }) => prefixes.some((prefix) => id.startsWith(prefix)));
  const holds = (name: string) => items.some(({ id, says }) => `${id} ${says}`.includes(name));
  return names.filter((name) => !holds(name));
}

describe('the list has', () => {
  it(
    'every error of a start that is worded, in those words',
    against(Object.keys(START_ERRORS).length, (text) => {
      const plain = text.replaceAll(/\s+/g, ' ');
      for (const words of Object.values(START_ERRORS)) expect(plain).toContain(`\`${words}\``);
    }),
  );

  it(
    'every rule of the tick market and of a run',
    against(13, (text) => {
      const rules = (heading: string, prefix: string) => {
        const last = numberedTo(sectionOf(text, heading));
        const items = STRATEGY_DOCUMENT_ITEMS.filter(({ id }) => id.startsWith(prefix));
        const numbers = new Set(items.map(({ says }) => Number(/^\((\d+)\)/.exec(says)?.[1] ?? 0)));
        return Array.from({ length: last }, (_, i) => i + 1).filter((n) => !numbers.has(n));
      };
      expect(rules('The tick market (paper fills, backtests, scenario tests)', 'bot tick ')).toEqual([]);
      const run = 'A run: what every type shares';
      expect([...rules(run, 'bot run ')].filter((n) => rules(run, 'bot stats ').includes(n))).toEqual([]);
    }),
  );

  it(
    'every ruling',
    against(13, (text) => {
      const ruled = [...text.matchAll(/^\| (R\d+) \|/gm)].map(([, id = '']) => id);
      const items = ids.flatMap((id) => /^bot ruling (R\d+)$/.exec(id)?.[1] ?? []);
      expect(items.sort()).toEqual(ruled.sort());
    }),
  );

  it(
    'every stop strategy with every trigger',
    against(28, (text) => {
      const names = named(text, 'stop (one object or an array; each rule works alone)');
      const triggers = ['kline', 'exchange', 'time', 'timeout'];
      const strategies = names.filter((name) => !triggers.includes(name) && !name.includes('.'));
      expect(strategies).toHaveLength(7);
      const wanted = strategies.flatMap((strategy) => triggers.map((type) => `bot stop ${strategy} ${type}`));
      expect(wanted.filter((id) => !ids.includes(id))).toEqual([]);
    }),
  );

  it.each<[heading: string, prefixes: string[]]>([
    ['deposit', ['bot deposit']],
    ['timeout, filters, range', ['bot filter', 'bot range', 'bot timeout']],
    ['3. FIBO', ['bot FIBO']],
    ['5. SQUEEZE', ['bot SQUEEZE']],
    ['6. INTRADAY', ['bot INTRADAY']],
    ['8. ALARM', ['bot ALARM']],
    ['9. NOTIFY', ['bot NOTIFY']],
  ])('every field that the tables of %s name', async (heading, prefixes) => {
    await against(60, (text) => {
      const words = named(text, heading)
        .flatMap((name) => name.split(', '))
        .map((name) => name.replace(/(?<!max)Percent$/, ''))
        .filter((name) => !OWN_WORDS.includes(name) && !name.startsWith('{'));
      expect(missing(words, ...prefixes)).toEqual([]);
    })();
  });
});
