/** The tables of `docs/exchanges.md` agree with the rows that the exchanges use. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FormBounds, FormRow } from '../../src/domain/order-form.ts';
import { FUTURES_CODE_ROWS } from '../../src/venues/binance/futures/codes.ts';
import { BINANCE_FUTURES_CAPS } from '../../src/venues/binance/futures/forms.ts';
import { FUTURES_REQUESTS } from '../../src/venues/binance/futures/requests.ts';
import { MARKET_REQUESTS } from '../../src/venues/binance/market/requests.ts';
import { SPOT_CODE_ROWS } from '../../src/venues/binance/spot/codes.ts';
import { BINANCE_SPOT_CAPS } from '../../src/venues/binance/spot/forms.ts';
import { SPOT_REQUESTS } from '../../src/venues/binance/spot/requests.ts';
import { BYBIT_CODE_ROWS } from '../../src/venues/bybit/codes.ts';
import { BYBIT_ABSENCE, BYBIT_LINEAR_CAPS, BYBIT_SPOT_CAPS } from '../../src/venues/bybit/forms.ts';
import { BYBIT_MARKET_REQUESTS } from '../../src/venues/bybit/market/requests.ts';
import {
  LINEAR_REQUESTS as BYBIT_LINEAR_REQUESTS,
  SPOT_REQUESTS as BYBIT_SPOT_REQUESTS,
} from '../../src/venues/bybit/requests.ts';
import type { AbsenceProof } from '../../src/venues/kit/absence.ts';
import type { CodeRow } from '../../src/venues/kit/code-table.ts';
import type { RequestForm } from '../../src/venues/kit/requests.ts';
import { ABSENCE_ROWS } from '../../src/venues/okx/absence.ts';
import { OKX_CODE_ROWS } from '../../src/venues/okx/codes.ts';
import { OKX_SPOT_CAPS, OKX_SWAP_CAPS } from '../../src/venues/okx/forms.ts';
import { OKX_PRICE_REQUESTS, OKX_REQUESTS } from '../../src/venues/okx/requests.ts';
import { FUTURES_CAPS, SPOT_CAPS } from '../../src/venues/paper/accounts.ts';
import { FUTURES_FORMS, SPOT_FORMS } from '../../src/venues/paper/forms.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/exchanges.md'), 'utf8');

const EXCHANGES: readonly [account: string, rows: readonly FormRow[]][] = [
  ['paper-spot', SPOT_FORMS],
  ['paper-futures', FUTURES_FORMS],
  ['binance-spot', BINANCE_SPOT_CAPS.forms],
  ['binance-futures', BINANCE_FUTURES_CAPS.forms],
  ['bybit-spot', BYBIT_SPOT_CAPS.forms],
  ['bybit-futures', BYBIT_LINEAR_CAPS.forms],
  ['okx-spot', OKX_SPOT_CAPS.forms],
  ['okx-swap', OKX_SWAP_CAPS.forms],
];

const REQUESTS: readonly [account: string, forms: readonly RequestForm[]][] = [
  ['binance-spot', SPOT_REQUESTS],
  ['binance-futures', FUTURES_REQUESTS],
  ['binance prices', MARKET_REQUESTS],
  ['bybit-spot', BYBIT_SPOT_REQUESTS],
  ['bybit-futures', BYBIT_LINEAR_REQUESTS],
  ['bybit prices', BYBIT_MARKET_REQUESTS],
  ['okx', OKX_REQUESTS],
  ['okx prices', OKX_PRICE_REQUESTS],
];
const CODES: readonly [account: string, rows: readonly CodeRow[]][] = [
  ['binance-spot', SPOT_CODE_ROWS],
  ['binance-futures', FUTURES_CODE_ROWS],
  ['bybit', BYBIT_CODE_ROWS],
  ['okx', OKX_CODE_ROWS],
];
/** Each exchange's proof that an order never existed. */
const ABSENCE: readonly [exchange: string, proof: AbsenceProof][] = [['bybit', BYBIT_ABSENCE]];

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
  ['binance-spot', BINANCE_SPOT_CAPS],
  ['binance-futures', BINANCE_FUTURES_CAPS],
  ['bybit-spot', BYBIT_SPOT_CAPS],
  ['bybit-futures', BYBIT_LINEAR_CAPS],
  ['okx-spot', OKX_SPOT_CAPS],
  ['okx-swap', OKX_SWAP_CAPS],
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

/** Escapes a vertical line, which would end a cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function requestsOf(forms: readonly RequestForm[]): string {
  const lines = forms.map(({ name, method, path, parameters, security, weight, source }) => {
    const carries = parameters.map((one) => `\`${one}\``).join(' ');
    return `| ${name} | ${method} \`${path}\` | ${carries} | ${security} | ${weight} | ${source} |`;
  });
  const head = '| to | request | may carry | security | uses | source |';
  return [head, '|---|---|---|---|---|---|', ...lines].join('\n');
}

function codesOf(rows: readonly CodeRow[]): string {
  const lines = rows.map(({ code, of, words, outcome, reason, source }) => {
    const means = reason === undefined ? outcome : `${outcome}: ${reason}`;
    const where = words ? `\`${cell(words.source)}\`` : '';
    return `| ${code} | ${of?.join(', ') ?? 'all'} | ${where} | ${means} | ${cell(source)} |`;
  });
  return ['| code | of | with | is | source |', '|---|---|---|---|---|', ...lines].join('\n');
}

/** The part of the page under `### <account>: <what>`. */
function partOf(account: string, what: string): string {
  return PAGE.split(/^### /m).find((part) => part.startsWith(`${account}: ${what}\n`)) ?? '';
}

it.each(REQUESTS)('every request that %s can send is in the page', (account, forms) => {
  expect(partOf(account, 'requests')).toContain(requestsOf(forms));
});

it.each(CODES)('every code of %s is in the page with what it means', (account, rows) => {
  expect(partOf(account, 'codes')).toContain(codesOf(rows));
});

it.each(ABSENCE)(
  'what proves absence at %s is in the page',
  (exchange, { lists, settleMs, keptMs, source }) => {
    const all = lists.map((path) => `\`${path}\``).join(' ');
    expect(PAGE).toContain(
      `| ${exchange} | ${all} | ${settleMs / 1_000} s | ${keptMs / 3_600_000} h | ${source} |`,
    );
  },
);

it('what proves absence at OKX is in the page as it is in the code', () => {
  for (const { book, denied, validMs, settleMs, keptMs, source } of ABSENCE_ROWS) {
    const [valid, settle, kept] = [
      `${validMs / 1_000} s`,
      `${settleMs / 1_000} s`,
      `${keptMs / 3_600_000} h`,
    ];
    expect(PAGE).toContain(`| ${book} | ${denied.join(', ')} | ${valid} | ${settle} | ${kept} | ${source} |`);
  }
});
