/**
 * Compiling as a whole: every field is read, nothing valid is refused, the input is not changed, everything
 * is bounded.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemsText } from '../../../src/bots/settings/check.ts';
import { compileBot } from '../../../src/bots/settings/compile.ts';
import { isMarketName } from '../../../src/domain/market-name.ts';
import { BOT_TYPES, botFields, schemaOf } from '../../../src/schemas/bots/index.ts';
import { MARKET_NAME_FORMAT } from '../../../src/schemas/market-name.ts';
import {
  compile,
  KINDS,
  type Kind,
  LEVEL,
  LINE,
  NOW,
  problems,
  settingsOf,
  typeOf,
  warnings,
  world,
} from './support.ts';

const RUNS = { numRuns: 150 };

/** A decimal above zero and below 100, as number or text. */
const percent = fc
  .integer({ min: 1, max: 9_999 })
  .chain((n) => fc.constantFrom<unknown>(n / 100, String(n / 100)));
const flag = fc.boolean();
const edge = fc.constantFrom('open', 'close', 'high', 'low', 'hl2', 'oc2', 'hlc3', 'ohlc4');
const frame = fc.integer({ min: 1, max: 1_440 }).map((minutes) => minutes * 60_000);
const line = fc.constantFrom(LINE, LEVEL);

const trigger = (value: fc.Arbitrary<unknown>, ...types: string[]) =>
  fc.record(
    { type: fc.constantFrom(...types), value, edge, closed: flag, timeFrame: frame },
    { requiredKeys: ['type', 'value'] },
  );
const stop = fc
  .oneof(
    fc.record({ strategy: fc.constant('price'), trigger: trigger(line, 'kline') }),
    fc.record({
      strategy: fc.constantFrom('price_percent_buy', 'breakeven', 'trailing'),
      trigger: trigger(percent, 'kline', 'exchange'),
    }),
    fc.record({ strategy: fc.constant('fixed'), trigger: trigger(percent, 'kline', 'exchange') }),
    fc.record({
      strategy: fc.constant('timeout_buy'),
      trigger: trigger(fc.integer({ min: 1, max: 10 ** 9 }), 'timeout'),
    }),
  )
  .chain((rule) =>
    fc
      .record(
        {
          order: fc.record({ type: fc.constantFrom('MARKET', 'LIMIT') }),
          complete: flag,
          disabled: flag,
          snoozeDuration: fc.nat(10 ** 6),
          maxStops: fc.integer({ min: 1, max: 50 }),
        },
        { requiredKeys: [] },
      )
      .map((rest) => ({ ...rule, ...rest })),
  );
const way = { type: fc.constantFrom('MARKET', 'LIMIT'), size: fc.integer({ min: 1, max: 100 }) };
const shared = {
  name: fc.string({ minLength: 1, maxLength: 40 }),
  noticeLevel: fc.integer({ min: 0, max: 3 }),
  profitAsset: fc.constantFrom('quote', 'base'),
  onetime: flag,
  orders: fc.record(
    {
      buy: fc.record(way, { requiredKeys: [] }),
      sell: fc.record(
        { ...way, priceStrategy: fc.constantFrom('fixed', 'dynamic', 'trailing') },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  ),
  stop: fc.oneof(stop, fc.array(stop, { maxLength: 4 })),
  timeout: fc.record({ type: fc.constantFrom('ttl', 'idle'), value: fc.integer({ min: 1, max: 10 ** 9 }) }),
  filters: fc.record(
    {
      volume: fc.record({ minVal: percent, percentChange: percent }),
      market: fc.record({ rsi: fc.record({ min: percent }), trend: fc.constantFrom('up', 'down') }),
      blacklist: fc.array(fc.constantFrom('BTCUSDT', 'ETHUSDT')),
    },
    { requiredKeys: [] },
  ),
  range: fc.record({ type: fc.constantFrom('price', 'kline_percent', 'scaled_price'), max: percent }),
  startTrigger: fc.record({ trend: line, direction: fc.constantFrom('up', 'down', 'both') }),
};
/** Fields that may be added to a valid bot of the type and leave it valid. */
const OWN: Readonly<Partial<Record<Kind, Record<string, fc.Arbitrary<unknown>>>>> = {
  FIBO: {
    timeFrame: frame,
    strategy: fc.constantFrom('fixed', 'auto'),
    maxRangePercent: fc.integer({ min: 25, max: 500 }),
    trailing: flag,
    trailingFrom: fc.integer({ min: NOW - 10 ** 10, max: NOW + 10 ** 10 }),
    trailingMaxChange: percent,
    buyOnly: flag,
    waitFullSell: flag,
    crossChannelSell: flag,
    mergeChannels: flag,
    green: percent,
  },
  GRID: {
    timeFrame: frame,
    startBuy: flag,
    trailUp: flag,
    sellOnExit: flag,
    stopAbove: fc.constant('60000'),
  },
  LEVELS: { timeFrame: frame, stopBelow: fc.constant(30_000) },
  SCALE: { entryPrice: fc.constant('41000.5') },
  SQUEEZE: {
    trailing: flag,
    trailingEdge: edge,
    trailingSell: flag,
    trailingPart: flag,
    trailingDelta: percent,
    oncePerTimeFrame: flag,
    trailingRules: fc.array(fc.record({ type: fc.constant('pump_filter'), maxChange: percent, edge }), {
      maxLength: 3,
    }),
  },
  INTRADAY: {
    touchPercent: percent,
    confirmPercent: percent,
    invalidPercent: percent,
    breakevenAfter: fc.integer({ min: 1, max: 2 }),
    maxEntries: fc.integer({ min: 1, max: 9 }),
    expiresAt: fc.integer({ min: NOW + 1, max: NOW + 10 ** 9 }),
  },
};

const bot = fc
  .constantFrom(...(Object.keys(OWN) as Kind[]))
  .chain((kind) =>
    fc.record({ ...shared, ...OWN[kind] }, { requiredKeys: [] }).map((changes) => ({ kind, changes })),
  );

describe('settings that keep every rule', () => {
  const ajv = new Ajv({ strict: true, formats: { [MARKET_NAME_FORMAT]: isMarketName } });
  const accepts = new Map<string, ValidateFunction>(
    BOT_TYPES.map((type) => [type, ajv.compile(schemaOf(type))]),
  );

  it('compile without a problem or a warning, fit their schema, and stay as they are', () => {
    fc.assert(
      fc.property(bot, ({ kind, changes }) => {
        const settings = settingsOf(kind, changes);
        const before = structuredClone(settings);
        const result = compileBot(typeOf(kind), settings, null, world());
        expect([problemsText(result.ok ? [] : result.problems), result.warnings]).toEqual(['', []]);
        expect(settings).toEqual(before);
        expect([kind, accepts.get(typeOf(kind))?.(settings)]).toEqual([kind, true]);
      }),
      RUNS,
    );
  });

  it('compile to the same again', () => {
    fc.assert(
      fc.property(bot, ({ kind, changes }) => {
        expect(compile(kind, changes)).toEqual(compile(kind, changes));
      }),
      { ...RUNS, numRuns: 30 },
    );
  });

  // proves: bot common unknown-field
  it('are warned of a misspelled field, told the right name, and otherwise read as if it were left out', () => {
    fc.assert(
      fc.property(bot, fc.nat(), fc.nat(), ({ kind, changes }, which, where) => {
        const names = Object.keys(changes);
        if (names.length === 0) return;
        const name = names[which % names.length] as string;
        // A letter written twice.
        const at = where % name.length;
        const wrong = name.slice(0, at) + name.charAt(at) + name.slice(at);
        const { [name as keyof typeof changes]: value, ...rest } = changes;
        const misspelled = { ...rest, [wrong]: value };
        expect(warnings(kind, misspelled)).toEqual([`${wrong}: unknown field; did you mean "${name}"?`]);
        const { warnings: found, ...result } = compile(kind, misspelled);
        const { warnings: none, ...expected } = compile(kind, rest);
        expect(result).toEqual(expected);
        expect([found.length, none.length]).toEqual([1, 0]);
      }),
      RUNS,
    );
  });

  it('are told of each needed field that is missing, by its path', () => {
    for (const kind of KINDS) {
      const settings = settingsOf(kind);
      const needed = botFields(typeOf(kind)).filter(({ path, required }) => required && path in settings);
      for (const { path } of needed) {
        const texts = problems(kind, { [path]: undefined });
        expect([kind, path, texts.some((text) => text.startsWith(`${path}: missing`))]).toEqual([
          kind,
          path,
          true,
        ]);
      }
    }
  });
});

/** Arbitrary JSON. */
const anyJson = fc.jsonValue({ maxDepth: 3 });

describe('any settings whatever', () => {
  it('give an answer, and a reason when it is no', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BOT_TYPES), anyJson, anyJson, (type, settings, options) => {
        const result = compileBot(type, settings, options, world());
        if (result.ok) return;
        expect(problemsText(result.problems)).not.toBe('');
      }),
      { ...RUNS, numRuns: 400 },
    );
  });

  it('are refused at the field that is nonsense', () => {
    const cases = KINDS.flatMap((kind) => Object.keys(settingsOf(kind)).map((name) => ({ kind, name })));
    fc.assert(
      fc.property(
        fc.constantFrom(...cases),
        fc.constantFrom<unknown>('?', [[]], { a: 1 }),
        ({ kind, name }, nonsense) => {
          const texts = problems(kind, { [name]: nonsense });
          expect([name, nonsense, texts.some((text) => text.startsWith(name))]).toEqual([
            name,
            nonsense,
            true,
          ]);
        },
      ),
      RUNS,
    );
  });

  it('never reach beyond their own fields', () => {
    const settings = Object.assign(Object.create({ short: true, exchange: 'paper-spot' }), {});
    const result = compileBot('FIBO', settings, null, world());
    expect(result.ok ? '' : problemsText(result.problems)).toContain('exchange: missing');
    const own = JSON.parse('{"__proto__": {"short": true}, "constructor": 5, "toString": 1}');
    expect(problems('FIBO', own)).toEqual([]);
    expect(warnings('FIBO', own).join()).not.toContain('[object');
  });

  it('fill a bounded list, however many mistakes they hold', () => {
    const stop = Array.from({ length: 50 }, () => ({
      strategy: '',
      trigger: {},
      order: [],
      complete: 1,
      disabled: 1,
    }));
    const many = problems('FIBO', {
      stop,
      range: Array(50).fill({ type: 0 }),
      filters: { blacklist: Array(500).fill(0) },
    });
    expect(many).toHaveLength(301);
    expect(many.at(-1)).toBe('and more problems');
    const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`depositt${i}`, i]));
    expect(warnings('FIBO', unknown)).toHaveLength(100);
  });

  it('are quoted in plain text, cut to a line', () => {
    const [problem] = problems('FIBO', { strategy: `\u001b[31m\n${'x'.repeat(5_000)}` });
    expect(problem).toBe(`strategy: must be fixed or auto, got "?[31m?${'x'.repeat(34)}..."`);
    const whole = 'x'.repeat(40);
    expect(problems('FIBO', { strategy: whole })).toEqual([
      `strategy: must be fixed or auto, got "${whole}"`,
    ]);
    const [warning] = warnings('FIBO', { [`\u001b]0;${'y'.repeat(5_000)}`]: 1 });
    expect(warning).toBe(`?]0;${'y'.repeat(56)}...: unknown field and ignored`);
  });
});

// proves: bot run all-problems
describe('the text of problems', () => {
  it('is each with its path, joined; what is said twice is told once', () => {
    const list = [
      { path: 'deposit.asset', message: 'must be USDT' },
      { path: '', message: 'channel span of 62.5 % is over maxRangePercent 50' },
      { path: 'deposit.asset', message: 'must be USDT' },
    ];
    expect(problemsText(list)).toBe(
      'deposit.asset: must be USDT; channel span of 62.5 % is over maxRangePercent 50',
    );
    expect(problemsText([])).toBe('');
  });

  it('says what the settings are when they are no settings', () => {
    for (const [settings, came] of [
      [undefined, 'nothing'],
      [[], 'an array of 0'],
      ['{}', '"{}"'],
    ] as const) {
      const result = compileBot('ALGO', settings, null, world());
      expect(result.ok ? '' : problemsText(result.problems)).toBe(`settings: must be an object, got ${came}`);
      expect(result.settings).toBeNull();
    }
  });
});
