/** The tables of `docs/exchanges.md` are the rows that the exchanges are judged by. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FormBounds, FormRow } from '../../src/domain/order-form.ts';
import { FUTURES_CAPS, SPOT_CAPS } from '../../src/venues/paper/accounts.ts';
import { FUTURES_FORMS, SPOT_FORMS } from '../../src/venues/paper/forms.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/exchanges.md'), 'utf8');

const EXCHANGES: readonly [account: string, rows: readonly FormRow[]][] = [
  ['paper-spot', SPOT_FORMS],
  ['paper-futures', FUTURES_FORMS],
];

function tableOf(rows: readonly FormRow[]): string {
  const lines = rows.map(({ asked, types, form, bounds, cure, source }) => {
    const of = types ? types.map((type) => `\`${type}\``).join(', ') : 'all';
    const when = bounds ? wordsOf(bounds) : '';
    return `| ${asked} | ${of} | ${form}${cure ? `: ${cure}` : ''} | ${when} | ${source} |`;
  });
  return ['| asked for | of types | is | within | source |', '|---|---|---|---|---|', ...lines].join('\n');
}

function wordsOf(bounds: FormBounds): string {
  return Object.entries(bounds)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(', ');
}

it.each([
  ['paper-spot', SPOT_CAPS],
  ['paper-futures', FUTURES_CAPS],
])('what %s changes of an order that rests is in the page as it is in the code', (account, { amends }) => {
  if (!amends) throw new Error('it changes nothing');
  const { types, fields, keepsPlace, source } = amends;
  const of = types.map((type) => `\`${type}\``).join(', ');
  expect(PAGE).toContain(`| ${account} | ${of} | ${fields.join(', ')} | ${keepsPlace} | ${source} |`);
});

it.each(EXCHANGES)('%s is in the page as it is in the code', (account, rows) => {
  const section = PAGE.split(/^### /m).find((part) => part.startsWith(`${account}\n`)) ?? '';
  expect(section).toContain(tableOf(rows));
});
