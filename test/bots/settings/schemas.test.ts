/**
 * The schemas of bot settings: valid JSON Schema, described throughout, one list of fields for form and
 * help.
 */
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { isMarketName } from '../../../src/domain/market-name.ts';
import { BOT_TYPES, BotOptions, botFields, StopCommand, schemaOf } from '../../../src/schemas/bots/index.ts';
import { MARKET_NAME_FORMAT } from '../../../src/schemas/market-name.ts';
import { compile, compiled, KINDS, settingsOf, typeOf } from './support.ts';

const ajv = new Ajv({ strict: true, allErrors: true, formats: { [MARKET_NAME_FORMAT]: isMarketName } });

describe('the schemas of bot settings', () => {
  it('are strict JSON Schema', () => {
    for (const schema of [...BOT_TYPES.map(schemaOf), BotOptions, StopCommand]) {
      expect(() => ajv.compile(schema)).not.toThrow();
      expect(JSON.parse(JSON.stringify(schema))).toMatchObject({ type: 'object', title: expect.any(String) });
    }
  });

  it('accept the settings that compile', () => {
    for (const kind of KINDS) {
      const accepts = ajv.compile(schemaOf(typeOf(kind)));
      expect([kind, accepts(settingsOf(kind)), accepts.errors]).toEqual([kind, true, null]);
    }
  });

  it('refuse types and bounds that the compiler refuses', () => {
    const accepts = ajv.compile(schemaOf('FIBO'));
    for (const changes of [{ short: 'yes' }, { green: 0 }, { trailingMaxChange: 100 }, { channels: {} }]) {
      expect([changes, accepts(settingsOf('FIBO', changes))]).toEqual([changes, false]);
      expect(compile('FIBO', changes).ok).toBe(false);
    }
  });
});

describe('the fields of a bot type', () => {
  it('are described, each once', () => {
    for (const type of BOT_TYPES) {
      const fields = botFields(type);
      const paths = fields.map(({ path }) => path);
      expect(new Set(paths).size).toBe(paths.length);
      const bare = fields.filter(
        ({ kind, description }) => kind !== 'group' && kind !== 'list' && !description,
      );
      expect([type, bare.map(({ path }) => path)]).toEqual([type, []]);
    }
  });

  it('are found in blocks, in lists and behind unions', () => {
    const kinds = Object.fromEntries(botFields('FIBO').map(({ path, kind }) => [path, kind]));
    expect(kinds).toMatchObject({
      'deposit.value': 'decimal',
      'symbol.base': 'text',
      'stop[].trigger.type': 'choice',
      'stop[].maxStops': 'integer',
      'channels[].name': 'choice',
      'channels[].buy.from': 'choice',
      'startTrigger.trend': 'line',
      'filters.blacklist': 'list',
      'filters.market': 'group',
      trailing: 'flag',
    });
    const conditions = botFields('NOTIFY').filter(({ path }) => path.startsWith('conditions[].'));
    expect(conditions.map(({ path }) => path)).toEqual(
      ['type', 'percent', 'ratio', 'lookback', 'period', 'above', 'below'].map(
        (name) => `conditions[].${name}`,
      ),
    );
    expect(conditions[0]).toMatchObject({
      required: true,
      choices: ['price_change', 'volume_surge', 'rsi', 'breakout'],
    });
    expect(conditions[1]).toMatchObject({ required: false });
  });

  it('say what is needed, what there is to choose from and what a field left out is', () => {
    const field = (path: string) => botFields('CHANNEL').find((found) => found.path === path);
    expect(field('flavor')).toMatchObject({ required: true, choices: ['GRID', 'LEVELS', 'SCALE'] });
    expect(field('grid.spacing')).toMatchObject({ required: false, default: 'arithmetic' });
    expect(field('deposit.allocate')).toMatchObject({ default: 'reserve' });
    expect(field('onetime')).toMatchObject({ default: false });
    expect(botFields('FIBO').find(({ path }) => path === 'onetime')).toMatchObject({ default: true });
  });

  it('compile to what their defaults say', () => {
    for (const kind of KINDS) {
      const own = compiled(kind);
      const named = botFields(typeOf(kind)).filter(({ path }) => Object.hasOwn(own, path));
      for (const { path, default: value, kind: type } of named) {
        if (value === undefined || type === 'decimal' || path === 'timeFrame') continue;
        expect([kind, path, (own as unknown as Record<string, unknown>)[path]]).toEqual([kind, path, value]);
      }
    }
  });
});
