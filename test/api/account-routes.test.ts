import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServiceError } from '../../src/domain/errors.ts';
import type { Setting } from '../../src/domain/position.ts';
import {
  Bench,
  BRACKETS,
  DUST,
  expectError,
  LEVERAGE,
  newKey,
  POSITION,
  type SendOptions,
} from './support.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.start();
});
afterEach(() => bench.api.close());

const EXCHANGES = 'one of binance-spot, binance-futures';
const ON_FUTURES = '?exchange=binance-futures';
const NAME = 'a name of 1 to 64 letters and numbers and . _ : -';
const SYMBOLS = '1 to 200 symbols separated by commas, such as BTCUSDT,ETHUSDT';
const symbols = (count: number) => Array.from({ length: count }, (_, i) => `S${i}`);

const json = (fields: unknown): SendOptions => ({ body: JSON.stringify(fields) });
const lever = (fields: Record<string, unknown> = {}) =>
  json({ exchange: 'binance-futures', symbol: 'BTCUSDT', leverage: 20, ...fields });
const dust = (fields: Record<string, unknown> = {}) =>
  json({ exchange: 'binance-spot', assets: ['ADA', 'XRP'], ...fields });

type Read = [target: string, name: string, q: unknown, data: unknown];
type Change = [target: string, options: SendOptions, exchange: string, setting: Setting];
type Wrong = [what: string, target: string, options: SendOptions, message: string];

const READS: Read[] = [
  ['/portfolio/positions', 'positions', 'binance-futures', { a1b2: POSITION }],
  ['/portfolio/positions?exchange=binance-futures', 'positions', 'binance-futures', { a1b2: POSITION }],
  ['/portfolio/positions?exchange=binance-spot', 'positions', 'binance-spot', { a1b2: POSITION }],
  [
    `/portfolio/position/leverage${ON_FUTURES}&symbols=BTCUSDT`,
    'leverage',
    { exchange: 'binance-futures', symbols: ['BTCUSDT'] },
    LEVERAGE,
  ],
  [
    `/portfolio/position/leverage${ON_FUTURES}&symbols=BTCUSDT%2CETHUSDT,BTCUSDT&marginType=ISOLATED&extra=1`,
    'leverage',
    { exchange: 'binance-futures', symbols: ['BTCUSDT', 'ETHUSDT'], marginType: 'ISOLATED' },
    LEVERAGE,
  ],
  [
    `/portfolio/position/leverage${ON_FUTURES}&symbols=${symbols(200)}`,
    'leverage',
    { exchange: 'binance-futures', symbols: symbols(200) },
    LEVERAGE,
  ],
  [`/portfolio/margin-mode${ON_FUTURES}`, 'marginMode', 'binance-futures', { mode: 2 }],
  [
    `/portfolio/leverage-brackets${ON_FUTURES}&symbol=BTCUSDT`,
    'brackets',
    { exchange: 'binance-futures', symbol: 'BTCUSDT' },
    BRACKETS,
  ],
  [`/exchange/hedge-mode${ON_FUTURES}`, 'hedgeMode', 'binance-futures', { dualSidePosition: true }],
  ['/portfolio/dust?exchange=binance-spot', 'dust', 'binance-spot', DUST],
];

const MODE = '/portfolio/margin-mode';
const CHANGES: Change[] = [
  [
    '/portfolio/position/leverage',
    lever(),
    'binance-futures',
    { kind: 'leverage', symbol: 'BTCUSDT', leverage: 20 },
  ],
  [
    '/portfolio/position/leverage',
    lever({ leverage: 125, marginType: 'CROSSED', side: 'LONG' }),
    'binance-futures',
    { kind: 'leverage', symbol: 'BTCUSDT', leverage: 125, marginType: 'CROSSED', side: 'LONG' },
  ],
  [`${MODE}${ON_FUTURES}`, json({ mode: 1 }), 'binance-futures', { kind: 'marginMode', mode: 1 }],
  [`${MODE}${ON_FUTURES}&mode=2`, {}, 'binance-futures', { kind: 'marginMode', mode: 2 }],
  [`${MODE}${ON_FUTURES}&mode=3`, json({}), 'binance-futures', { kind: 'marginMode', mode: 3 }],
  [`${MODE}${ON_FUTURES}&mode=1`, json({ mode: 2 }), 'binance-futures', { kind: 'marginMode', mode: 2 }],
  [`${MODE}${ON_FUTURES}`, json({ mode: 4 }), 'binance-futures', { kind: 'marginMode', mode: 4 }],
  [
    `/portfolio/position/margin-type${ON_FUTURES}`,
    json({ symbol: 'BTCUSDT', marginType: 'ISOLATED' }),
    'binance-futures',
    { kind: 'marginType', symbol: 'BTCUSDT', marginType: 'ISOLATED' },
  ],
  [
    `/exchange/hedge-mode${ON_FUTURES}`,
    json({ dualSidePosition: true }),
    'binance-futures',
    { kind: 'hedgeMode', on: true },
  ],
  [
    `/exchange/hedge-mode${ON_FUTURES}`,
    json({ dualSidePosition: false }),
    'binance-futures',
    { kind: 'hedgeMode', on: false },
  ],
  ['/portfolio/dust/convert', dust(), 'binance-spot', { kind: 'dust', assets: ['ADA', 'XRP'] }],
  [
    '/portfolio/dust/convert',
    dust({ toAsset: 'BNB' }),
    'binance-spot',
    { kind: 'dust', assets: ['ADA', 'XRP'], toAsset: 'BNB' },
  ],
];

const NEEDS_EXCHANGE = [
  '/portfolio/position/leverage?symbols=BTCUSDT',
  '/portfolio/margin-mode?',
  '/portfolio/leverage-brackets?symbol=BTCUSDT',
  '/exchange/hedge-mode?',
  '/portfolio/dust?',
];
const WRONG_READS: Wrong[] = [
  ...NEEDS_EXCHANGE.flatMap((target): Wrong[] => [
    ['no exchange', target, {}, `exchange is missing; it must be ${EXCHANGES}`],
    ['an unknown exchange', `${target}&exchange=x`, {}, `exchange must be ${EXCHANGES}, got "x"`],
  ]),
  ['an unknown exchange', '/portfolio/positions?exchange=x', {}, `exchange must be ${EXCHANGES}, got "x"`],
  [
    'a name that is none',
    '/portfolio/positions?exchange=a%20b',
    {},
    `exchange must be ${EXCHANGES}, got "a b"`,
  ],
  [
    'an exchange twice',
    '/portfolio/dust?exchange=binance-spot&exchange=binance-spot',
    {},
    'the query parameter "exchange" is given more than once',
  ],
  ['a body', '/portfolio/positions', { body: '{}' }, 'a GET request has no body; use query parameters'],
  ...['', ',', 'BTCUSDT,', 'BTCUSDT,,ETHUSDT', 'BTC/USDT', 'BTCUSDT, ETHUSDT'].map(
    (text): Wrong => [
      `the symbols "${text}"`,
      `/portfolio/position/leverage${ON_FUTURES}&symbols=${encodeURIComponent(text)}`,
      {},
      `symbols must be ${SYMBOLS}, got "${text}"`,
    ],
  ),
  [
    '201 symbols',
    `/portfolio/position/leverage${ON_FUTURES}&symbols=${symbols(201)}`,
    {},
    `symbols must be ${SYMBOLS}, got "${symbols(201).join().slice(0, 40)}..."`,
  ],
  [
    'a symbol of 65 characters',
    `/portfolio/position/leverage${ON_FUTURES}&symbols=${'A'.repeat(65)}`,
    {},
    `symbols must be ${SYMBOLS}, got "${'A'.repeat(40)}..."`,
  ],
  [
    'no symbols',
    `/portfolio/position/leverage${ON_FUTURES}`,
    {},
    `symbols is missing; it must be ${SYMBOLS}`,
  ],
  [
    'another margin type',
    `/portfolio/position/leverage${ON_FUTURES}&symbols=A&marginType=isolated`,
    {},
    'marginType must be one of ISOLATED, CROSSED, got "isolated"',
  ],
  ['no symbol', `/portfolio/leverage-brackets${ON_FUTURES}`, {}, `symbol is missing; it must be ${NAME}`],
  [
    'a wrong symbol',
    `/portfolio/leverage-brackets${ON_FUTURES}&symbol=BTC%2FUSDT`,
    {},
    `symbol must be ${NAME} (U+002F is none of them), got "BTC/USDT"`,
  ],
];

const LEVERS: [what: string, fields: Record<string, unknown>, message: string][] = [
  ['no exchange', { exchange: undefined }, `exchange is missing; it must be ${EXCHANGES}`],
  ['an unknown exchange', { exchange: 'x' }, `exchange must be ${EXCHANGES}, got "x"`],
  ['no symbol', { symbol: undefined }, `symbol is missing; it must be ${NAME}`],
  ['an empty symbol', { symbol: '' }, `symbol must be ${NAME} (it is empty), got ""`],
  ['none', { leverage: undefined }, 'leverage is missing; it must be an integer from 1 to 125'],
  ['zero', { leverage: 0 }, 'leverage must be an integer from 1 to 125, got 0'],
  ['126', { leverage: 126 }, 'leverage must be an integer from 1 to 125, got 126'],
  ['a fraction', { leverage: 2.5 }, 'leverage must be an integer from 1 to 125, got 2.5'],
  ['a string', { leverage: '20' }, 'leverage must be an integer from 1 to 125, got "20"'],
  ['null', { leverage: null }, 'leverage must be an integer from 1 to 125, got null'],
  [
    'another margin type',
    { marginType: 'CROSS' },
    'marginType must be one of ISOLATED, CROSSED, got "CROSS"',
  ],
  ['another side', { side: 'BUY' }, 'side must be one of LONG, SHORT, BOTH, got "BUY"'],
  ['a slip', { levrage: 3 }, 'unknown field "levrage"; did you mean "leverage"?'],
];

const DUSTS: typeof LEVERS = [
  ['no exchange', { exchange: undefined }, `exchange is missing; it must be ${EXCHANGES}`],
  ['an unknown exchange', { exchange: 'x' }, `exchange must be ${EXCHANGES}, got "x"`],
  [
    'no assets',
    { assets: undefined },
    `assets is missing; it must be an array of 1 to 200 entries, each ${NAME}`,
  ],
  ['none', { assets: [] }, `assets must be an array of 1 to 200 entries, each ${NAME}, got an array of 0`],
  [
    '201 assets',
    { assets: symbols(201) },
    `assets must be an array of 1 to 200 entries, each ${NAME}, got an array of 201`,
  ],
  ['text', { assets: 'ADA' }, `assets must be an array of 1 to 200 entries, each ${NAME}, got "ADA"`],
  ['a number', { assets: ['ADA', 1] }, `assets[1] must be ${NAME}, got a number`],
  ['one twice', { assets: ['ADA', 'XRP', 'ADA'] }, 'assets[2] must differ from assets[0], got "ADA" twice'],
  ['a wrong target', { toAsset: 'B B' }, `toAsset must be ${NAME} (U+0020 is none of them), got "B B"`],
  ['another case', { toasset: 'BNB' }, 'unknown field "toasset"; did you mean "toAsset"?'],
];

const MODE_MISSING =
  'mode is missing; send "mode" in the body or the query: 1 single-asset, 2 multi-asset, 3 portfolio';
const WRONG_CHANGES: Wrong[] = [
  ...LEVERS.map(
    ([what, fields, message]): Wrong => [what, '/portfolio/position/leverage', lever(fields), message],
  ),
  ...DUSTS.map(([what, fields, message]): Wrong => [what, '/portfolio/dust/convert', dust(fields), message]),
  ...[MODE, '/exchange/hedge-mode', '/portfolio/position/margin-type'].flatMap((path): Wrong[] => {
    const body = json(
      path === MODE
        ? { mode: 1 }
        : path.startsWith('/exchange')
          ? { dualSidePosition: true }
          : { symbol: 'A', marginType: 'ISOLATED' },
    );
    return [
      ['no exchange', path, body, `exchange is missing; it must be ${EXCHANGES}`],
      ['an unknown exchange', `${path}?exchange=x`, body, `exchange must be ${EXCHANGES}, got "x"`],
    ];
  }),
  ['no mode', `${MODE}${ON_FUTURES}`, {}, MODE_MISSING],
  ['no mode', `${MODE}${ON_FUTURES}`, json({}), MODE_MISSING],
  ['mode 0 in the query', `${MODE}${ON_FUTURES}&mode=0`, {}, 'mode must be an integer from 1 to 4, got 0'],
  [
    'words in the query',
    `${MODE}${ON_FUTURES}&mode=multi`,
    {},
    'mode must be an integer from 1 to 4, got "multi"',
  ],
  [
    'a wrong mode in the query beside a right one',
    `${MODE}${ON_FUTURES}&mode=9`,
    json({ mode: 1 }),
    'mode must be an integer from 1 to 4, got 9',
  ],
  [
    'mode 5 in the body beside a right one',
    `${MODE}${ON_FUTURES}&mode=1`,
    json({ mode: 5 }),
    'mode must be an integer from 1 to 4, got 5',
  ],
  [
    'mode null',
    `${MODE}${ON_FUTURES}&mode=1`,
    json({ mode: null }),
    'mode must be an integer from 1 to 4, got null',
  ],
  [
    'the exchange in the body',
    `${MODE}${ON_FUTURES}`,
    json({ mode: 1, exchange: 'binance-futures' }),
    'unknown field "exchange"; known is mode',
  ],
  [
    'no margin type',
    `/portfolio/position/margin-type${ON_FUTURES}`,
    json({ symbol: 'A' }),
    'marginType is missing; it must be one of ISOLATED, CROSSED',
  ],
  [
    'another margin type',
    `/portfolio/position/margin-type${ON_FUTURES}`,
    json({ symbol: 'A', marginType: 'crossed' }),
    'marginType must be one of ISOLATED, CROSSED, got "crossed"',
  ],
  [
    'no symbol',
    `/portfolio/position/margin-type${ON_FUTURES}`,
    json({ marginType: 'CROSSED' }),
    `symbol is missing; it must be ${NAME}`,
  ],
  [
    'one field too many',
    `/portfolio/position/margin-type${ON_FUTURES}`,
    json({ symbol: 'A', marginType: 'CROSSED', leverage: 3 }),
    'unknown field "leverage"; known are symbol, marginType',
  ],
  [
    'nothing',
    `/exchange/hedge-mode${ON_FUTURES}`,
    json({}),
    'dualSidePosition is missing; it must be true or false',
  ],
  [
    'text',
    `/exchange/hedge-mode${ON_FUTURES}`,
    json({ dualSidePosition: 'true' }),
    'dualSidePosition must be true or false, got "true"',
  ],
  [
    'another case',
    `/exchange/hedge-mode${ON_FUTURES}`,
    json({ dualSidePosition: true, dualsidePosition: true }),
    'unknown field "dualsidePosition"; did you mean "dualSidePosition"?',
  ],
];

describe('reads of an account', () => {
  // proves: param GET /portfolio/positions exchange, param GET /portfolio/position/leverage exchange
  // proves: param GET /portfolio/position/leverage symbols
  // proves: param GET /portfolio/position/leverage marginType, param GET /portfolio/margin-mode exchange
  // proves: param GET /portfolio/leverage-brackets exchange, param GET /portfolio/leverage-brackets symbol
  // proves: param GET /exchange/hedge-mode exchange, param GET /portfolio/dust exchange
  it.each(READS)('asks the desk for %s', async (target, name, q, data) => {
    const response = await bench.send('GET', `/api/v2${target}`);
    expect(response.status, response.text).toBe(200);
    expect(response.json.data).toEqual(data);
    expect(bench.desk.reads).toEqual([{ name, user: 'owner', q }]);
  });

  // proves: param GET /portfolio/position/leverage exchange, param GET /portfolio/position/leverage symbols
  // proves: param GET /portfolio/position/leverage marginType, param GET /portfolio/margin-mode exchange
  // proves: param GET /portfolio/leverage-brackets exchange, param GET /portfolio/leverage-brackets symbol
  // proves: param GET /exchange/hedge-mode exchange, param GET /portfolio/dust exchange, D27, D31
  it.each(WRONG_READS)('refuses %s: GET %s', async (_what, target, options, message) => {
    const response = await bench.send('GET', `/api/v2${target}`, options);
    expectError(response, 400, 'INVALID_REQUEST');
    expect(response.json.error.message).toBe(message);
    expect(bench.desk.reads).toEqual([]);
  });

  it('says which account to name when there is no futures account', async () => {
    bench.desk.accountList = bench.desk.accountList.filter(({ kind }) => kind === 'spot');
    const response = await bench.send('GET', '/api/v2/portfolio/positions');
    expectError(response, 400, 'INVALID_REQUEST');
    expect(response.json.error.message).toBe('no futures account is connected; name an exchange');
  });

  it.each(READS)('pass on what the exchange lacks: %s', async (target) => {
    bench.desk.refusal = { code: 'INTERNAL_ERROR', message: 'paper-spot has no leverage' };
    const response = await bench.send('GET', `/api/v2${target}`);
    expectError(response, 500, 'INTERNAL_ERROR');
    expect(response.json.error.message).toBe('paper-spot has no leverage');
  });

  it('pass on that hedge mode on spot is a bad request', async () => {
    bench.desk.refusal = { code: 'INVALID_REQUEST', message: 'binance-spot has no hedge mode' };
    const response = await bench.send('GET', '/api/v2/exchange/hedge-mode?exchange=binance-spot');
    expectError(response, 400, 'INVALID_REQUEST');
    expect(response.json.error.message).toBe('binance-spot has no hedge mode');
  });
});

describe('changes of an account', () => {
  // proves: param POST /portfolio/position/leverage exchange
  // proves: param POST /portfolio/position/leverage symbol
  // proves: param POST /portfolio/position/leverage leverage
  // proves: param POST /portfolio/position/leverage marginType
  // proves: param POST /portfolio/position/leverage side, param POST /portfolio/margin-mode exchange
  // proves: param POST /portfolio/margin-mode mode, param POST /portfolio/position/margin-type exchange
  // proves: param POST /portfolio/position/margin-type symbol
  // proves: param POST /portfolio/position/margin-type marginType, param POST /exchange/hedge-mode exchange
  // proves: param POST /exchange/hedge-mode dualSidePosition, param POST /portfolio/dust/convert exchange
  // proves: param POST /portfolio/dust/convert assets, rule margin-mode-values, rule margin-mode-4
  it.each(CHANGES)('commands POST %s %o', async (target, options, exchange, setting) => {
    const response = await bench.send('POST', `/api/v2${target}`, options);
    expect(response.status, response.text).toBe(200);
    expect(bench.desk.commands.map(({ command }) => command)).toEqual([
      { type: 'setting', exchange, setting },
    ]);
    expect(bench.desk.commands[0]?.actor).toMatchObject({ kind: 'key', user: 'owner', tier: 'trade' });
  });

  it('leaves toAsset to the exchange when none is given', async () => {
    await bench.send('POST', '/api/v2/portfolio/dust/convert', dust());
    const command = bench.desk.commands[0]?.command;
    expect(command?.type === 'setting' && Object.keys(command.setting)).toEqual(['kind', 'assets']);
  });

  // proves: param POST /portfolio/position/leverage exchange
  // proves: param POST /portfolio/position/leverage symbol
  // proves: param POST /portfolio/position/leverage leverage
  // proves: param POST /portfolio/position/leverage marginType
  // proves: param POST /portfolio/position/leverage side, param POST /portfolio/margin-mode exchange
  // proves: param POST /portfolio/margin-mode mode, param POST /portfolio/position/margin-type exchange
  // proves: param POST /portfolio/position/margin-type symbol
  // proves: param POST /portfolio/position/margin-type marginType, param POST /exchange/hedge-mode exchange
  // proves: param POST /exchange/hedge-mode dualSidePosition, param POST /portfolio/dust/convert exchange
  // proves: param POST /portfolio/dust/convert assets, limit leverage, D29, D30
  it.each(WRONG_CHANGES)(
    'refuses %s: POST %s, by way of the desk',
    async (_what, target, options, message) => {
      const response = await bench.send('POST', `/api/v2${target}`, options);
      expectError(response, 400, 'INVALID_REQUEST');
      expect(response.json.error.message).toBe(message);
      expect(bench.desk.commands.map(({ command }) => command.type)).toEqual(['refuse']);
    },
  );

  it.each([
    '/portfolio/position/leverage',
    `/portfolio/position/margin-type${ON_FUTURES}`,
    `/exchange/hedge-mode${ON_FUTURES}`,
    '/portfolio/dust/convert',
  ])('needs a body: POST %s', async (target) => {
    const response = await bench.send('POST', `/api/v2${target}`);
    expectError(response, 400, 'INVALID_REQUEST');
    expect(response.json.error.message).toBe('the body is empty; a JSON object is needed');
    expect(bench.desk.commands).toEqual([]);
  });

  it.each<[target: string, options: SendOptions, status: number, refusal: ServiceError]>([
    [
      '/portfolio/position/leverage',
      lever({ exchange: 'binance-spot' }),
      500,
      { code: 'INTERNAL_ERROR', message: 'paper-spot has no leverage' },
    ],
    [
      '/exchange/hedge-mode?exchange=binance-spot',
      json({ dualSidePosition: true }),
      400,
      { code: 'INVALID_REQUEST', message: 'paper-spot has no hedge mode; name a futures exchange' },
    ],
    [
      `${MODE}${ON_FUTURES}`,
      json({ mode: 4 }),
      400,
      { code: 'INVALID_REQUEST', message: 'margin mode 4 cannot be set' },
    ],
    [
      '/portfolio/dust/convert',
      dust(),
      503,
      { code: 'SERVICE_UNAVAILABLE', message: 'whether the exchange made the change is unknown (timeout)' },
    ],
  ])('passes on what the exchange says: POST %s', async (target, options, status, refusal) => {
    bench.desk.refusal = refusal;
    const response = await bench.send('POST', `/api/v2${target}`, options);
    expectError(response, status, refusal.code);
    expect(response.json.error.message).toBe(refusal.message);
  });
});

describe('idempotency of a setting', () => {
  // proves: rule idempotency-on-changes
  it.each(CHANGES)('replays POST %s %o', async (target, options) => {
    const headers = { 'X-Idempotency-Key': newKey() };
    const first = await bench.send('POST', `/api/v2${target}`, { ...options, headers });
    const second = await bench.send('POST', `/api/v2${target}`, { ...options, headers });
    expect(second.text).toBe(first.text);
    expect(first.headers['x-idempotent-replayed']).toBeUndefined();
    expect(second.headers['x-idempotent-replayed']).toBe('true');
    expect(first.json.meta.idempotencyKey).toBe(headers['X-Idempotency-Key']);
  });

  // proves: D11
  it('refuses the same key with another mode, in body or query', async () => {
    const headers = { 'X-Idempotency-Key': newKey() };
    const path = `/api/v2${MODE}${ON_FUTURES}`;
    await bench.send('POST', path, { ...json({ mode: 1 }), headers });
    for (const [target, body] of [
      [path, '{"mode":2}'],
      [`${path}&mode=1`, '{"mode":1}'],
    ] as const) {
      expectError(await bench.send('POST', target, { body, headers }), 409, 'IDEMPOTENCY_CONFLICT');
    }
  });

  it('replays what the schema or the exchange refused, but not an unsupported feature', async () => {
    const target = '/api/v2/portfolio/position/leverage';
    const twice = async (options: SendOptions) => {
      const headers = { 'X-Idempotency-Key': newKey() };
      const first = await bench.send('POST', target, { ...options, headers });
      const second = await bench.send('POST', target, { ...options, headers });
      return [first.status, second.status, second.headers['x-idempotent-replayed']];
    };
    expect(await twice(lever({ leverage: 126 }))).toEqual([400, 400, 'true']);
    bench.desk.refusal = { code: 'INVALID_REQUEST', message: 'leverage 100 is above the bracket' };
    expect(await twice(lever({ leverage: 100 }))).toEqual([400, 400, 'true']);
    bench.desk.refusal = { code: 'INTERNAL_ERROR', message: 'paper-spot has no leverage' };
    expect(await twice(lever())).toEqual([500, 500, undefined]);
  });
});
