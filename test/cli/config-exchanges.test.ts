/**
 * `[exchanges.NAME]` and `[paper]` of the configuration file: errors are named with their place, unknown
 * names are reported.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/cli/config.ts';
import { UsageError } from '../../src/cli/usage-error.ts';

const FILE = '/data/config.toml';
const read = (text: string) => parseConfig(FILE, text);
const BLOCK = '[exchanges.mine]\nvenue = "binance"\nmarkets = ["spot", "futures"]\n';

describe('a connection', () => {
  it('is read with its addresses, live where nothing else is said', () => {
    const text = `${BLOCK}[exchanges.mine.endpoints]\nspot-rest = "https://proxy.example/x"\nspot-stream = "ws://127.0.0.1:9"\n[paper]\nenabled = false\n`;
    const { options, warnings } = read(text);
    expect(warnings).toEqual([]);
    expect(options.paper).toBe(false);
    expect(options.connections).toEqual([
      {
        name: 'mine',
        venue: 'binance',
        markets: ['spot', 'futures'],
        environment: 'live',
        endpoints: { 'spot-rest': 'https://proxy.example/x', 'spot-stream': 'ws://127.0.0.1:9' },
      },
    ]);
  });

  it.each([
    [
      '[exchanges.paper]\nvenue = "x"\nmarkets = ["spot"]',
      'exchanges.paper cannot be called so: paper is the exchange in this process',
    ],
    ['[exchanges.my-spot]\nvenue = "x"\nmarkets = ["spot"]', 'cannot end in -spot'],
    ['[exchanges.my-swap]\nvenue = "x"\nmarkets = ["spot"]', 'cannot end in -swap'],
    ['[exchanges.Mine]\nvenue = "x"\nmarkets = ["spot"]', 'a name of 1 to 20 characters a-z, 0-9 and -'],
    [`[exchanges.${'a'.repeat(21)}]\nvenue = "x"\nmarkets = ["spot"]`, 'a name of 1 to 20 characters'],
    ['[exchanges.mine]\nmarkets = ["spot"]', 'exchanges.mine.venue is missing'],
    ['[exchanges.mine]\nvenue = "x"', 'exchanges.mine.markets is missing'],
    ['[exchanges.mine]\nvenue = "x"\nmarkets = []', 'each market once'],
    ['[exchanges.mine]\nvenue = "x"\nmarkets = ["spot", "spot"]', 'each market once'],
    ['[exchanges.mine]\nvenue = "x"\nmarkets = ["margin"]', 'exchanges.mine.markets[0] cannot be "margin"'],
    [
      `${BLOCK}environment = "prod"`,
      'exchanges.mine.environment cannot be "prod": it takes one of live, testnet, demo',
    ],
    [
      `${BLOCK}[exchanges.mine.endpoints]\nrest = "http://proxy.example"`,
      'exchanges.mine.endpoints.rest cannot be',
    ],
    [
      `${BLOCK}[exchanges.mine.endpoints]\nrest = "https://u:p@a.example"`,
      'exchanges.mine.endpoints.rest cannot be',
    ],
    [`${BLOCK}[exchanges.mine.endpoints]\nrest = 5`, 'exchanges.mine.endpoints.rest cannot be 5'],
    ['exchanges = 5', 'exchanges are tables'],
    ['exchanges.mine = 5', 'exchanges.mine is no table'],
    ['[paper]\nenabled = "no"', 'paper.enabled cannot be "no"'],
  ])('that is wrong is refused with its place: %j', (text, words) => {
    expect(() => read(text)).toThrow(UsageError);
    expect(() => read(text)).toThrow(words);
  });

  it('has keys that nobody knows named', () => {
    expect(read(`${BLOCK}enviroment = "demo"`).warnings).toEqual([
      `${FILE}: unknown key exchanges.mine.enviroment is ignored; did you mean environment?`,
    ]);
  });

  it('is read, or refused in one line, whatever stands in its table', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.array(fc.string(), { maxLength: 3 }),
      fc.constantFrom('binance', 'live', ['spot'], 'https://a.example'),
    );
    const key = fc.oneof(
      fc.constantFrom('venue', 'markets', 'environment', 'endpoints', '__proto__', 'toString'),
      fc.string({ maxLength: 8 }),
    );
    const name = fc.oneof(
      fc.constantFrom('mine', 'paper', 'a-spot', 'constructor'),
      fc.string({ maxLength: 25 }),
    );
    fc.assert(
      fc.property(name, fc.dictionary(key, value, { maxKeys: 5 }), (called, table) => {
        const lines = Object.entries(table).map(
          ([one, is]) => `${JSON.stringify(one)} = ${JSON.stringify(is)}`,
        );
        try {
          const { options } = read(`[exchanges.${JSON.stringify(called)}]\n${lines.join('\n')}\n`);
          for (const one of options.connections ?? []) {
            expect(one.name).toMatch(/^[a-z0-9-]{1,20}$/);
            expect(one.markets.length).toBeGreaterThan(0);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          expect((error as Error).message.split('\n')).toHaveLength(1);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a live feed', () => {
  it('has its addresses replaced by those of its block', () => {
    const { options, warnings } = read('[feeds.binance.endpoints]\nspot-rest = "http://127.0.0.1:9"\n');
    expect(warnings).toEqual([]);
    expect(options.feeds).toEqual({ binance: { 'spot-rest': 'http://127.0.0.1:9' } });
  });

  it.each([
    ['feeds = 5', 'feeds are tables, written as [feeds.binance.endpoints]'],
    ['[feeds.paper.endpoints]\nrest = "https://a.example"', 'feeds.paper is no live feed; there are binance'],
    ['feeds.binance = 5', 'feeds.binance is no table'],
    [
      '[feeds.binance.endpoints]\nspot-rest = "http://proxy.example"',
      'feeds.binance.endpoints.spot-rest cannot be',
    ],
  ])('that is wrong is refused with its place: %j', (text, words) => {
    expect(() => read(text)).toThrow(UsageError);
    expect(() => read(text)).toThrow(words);
  });
});
