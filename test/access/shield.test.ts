import { describe, expect, it } from 'vitest';
import { isAllowed, namedExchange, shieldProblem } from '../../src/access/shield.ts';
import { ROUTE_TIERS, type RouteName } from '../../src/access/tiers.ts';
import type { ExchangeAccount } from '../../src/domain/exchange.ts';

const SPOT = 'paper-spot';
const FUTURES = 'paper-futures';
const ACCOUNTS: readonly ExchangeAccount[] = [
  { id: SPOT, name: 'Spot', kind: 'spot' },
  { id: FUTURES, name: 'Futures', kind: 'futures' },
];

/** One bot on each account. */
const botExchange = (id: string) => (id === 'b-spot' ? SPOT : id === 'b-futures' ? FUTURES : null);

interface Asked {
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Record<string, unknown>;
  readonly allowed?: readonly string[] | null;
  readonly accounts?: readonly ExchangeAccount[];
}

/** A request that names no exchange account. */
const NOTHING = { id: '', query: new Map<string, string>(), body: undefined, accounts: [], botExchange };

function judge(
  route: string,
  { id = '', query = {}, body, allowed = [SPOT], accounts = ACCOUNTS }: Asked,
): string | null {
  const asked = { route, id, query: new Map(Object.entries(query)), body, accounts, botExchange };
  return shieldProblem({ allowedExchanges: allowed }, asked)?.code ?? null;
}

/** Where the exchange account is named. `settings`, `config`: the `exchange` of that field of the body. */
type Where = 'query' | 'body' | 'settings' | 'config' | 'nowhere';

/** Where each route names its exchange account, written down a second time from the specification. */
const WHERE: Readonly<Record<RouteName, Where>> = {
  'GET /openapi.json': 'nowhere',
  'GET /server/time': 'nowhere',
  'GET /server/status': 'nowhere',
  'GET /server/version': 'nowhere',
  'GET /ping': 'nowhere',
  'GET /exchange/supported': 'nowhere',
  'GET /exchange/hedge-mode': 'query',
  'POST /exchange/hedge-mode': 'query',
  'GET /orders': 'query',
  'POST /orders': 'body',
  'DELETE /orders': 'query',
  'DELETE /orders/{id}': 'query',
  'POST /orders/{id}/split': 'body',
  'GET /orders/trades': 'query',
  'GET /portfolio': 'query',
  'GET /portfolio/positions': 'query',
  'GET /portfolio/position/leverage': 'query',
  'POST /portfolio/position/leverage': 'body',
  'GET /portfolio/margin-mode': 'query',
  'POST /portfolio/margin-mode': 'query',
  'POST /portfolio/position/margin-type': 'query',
  'GET /portfolio/leverage-brackets': 'query',
  'GET /portfolio/dust': 'query',
  'POST /portfolio/dust/convert': 'body',
  'GET /bots': 'nowhere',
  'POST /bots': 'settings',
  'GET /bots/{id}': 'nowhere',
  'PATCH /bots/{id}': 'config',
  'DELETE /bots/{id}': 'nowhere',
  'POST /bots/{id}/runs': 'nowhere',
  'DELETE /bots/{id}/runs/{runId}': 'nowhere',
  'POST /bots/{id}/runs/{runId}/message': 'nowhere',
  'POST /bots/batch/runs': 'nowhere',
  'DELETE /bots/batch/runs': 'nowhere',
  'DELETE /bots/batch': 'nowhere',
};
const ROUTES = Object.keys(ROUTE_TIERS) as RouteName[];

/** Names the same account in the route's own place. */
function naming(where: Where, exchange: unknown): Asked {
  if (where === 'body') return { body: { exchange } };
  if (where === 'settings' || where === 'config') return { body: { [where]: { exchange } } };
  return { query: { exchange: String(exchange) } };
}

// proves: rule shield, D47
describe('the shield of a key', () => {
  // proves: rule shield, failure shield
  it.each(ROUTES.map((route) => [route, WHERE[route]] as const))('judges %s by its %s', (route, where) => {
    const denied = where === 'nowhere' ? null : 'EXCHANGE_NOT_ALLOWED';
    expect(judge(route, naming(where, SPOT))).toBeNull();
    expect(judge(route, naming(where, FUTURES))).toBe(denied);
    expect(judge(route, naming(where, 'PAPER-SPOT'))).toBe(denied);
    expect(judge(route, naming(where, ` ${SPOT}`))).toBe(denied);
    expect(judge(route, naming(where, ''))).toBe(denied);
    expect(judge(route, { ...naming(where, SPOT), allowed: [] })).toBe(denied);
    expect(judge(route, { ...naming(where, SPOT), allowed: [`${SPOT},${FUTURES}`] })).toBe(denied);
    expect(judge(route, { ...naming(where, FUTURES), allowed: [SPOT, FUTURES] })).toBeNull();
    expect(judge(route, { ...naming(where, FUTURES), allowed: null })).toBeNull();
  });

  it.each(ROUTES.filter((route) => WHERE[route] === 'body'))(
    'refuses what is no text in the body of %s',
    (route) => {
      for (const exchange of [0, 1, true, null, [SPOT], { exchange: SPOT }]) {
        expect(judge(route, { body: { exchange } })).toBe('EXCHANGE_NOT_ALLOWED');
      }
      expect(judge(route, { query: { exchange: SPOT }, body: { exchange: FUTURES } })).toBe(
        'EXCHANGE_NOT_ALLOWED',
      );
      expect(judge(route, { body: Object.create({ exchange: FUTURES }) })).toBeNull();
    },
  );

  it.each(ROUTES)('leaves it to the schema of %s that an exchange is missing', (route) => {
    const takesDefault = route === 'GET /portfolio/positions';
    expect(judge(route, { body: {} })).toBe(takesDefault ? 'EXCHANGE_NOT_ALLOWED' : null);
    expect(judge(route, {})).toBe(takesDefault ? 'EXCHANGE_NOT_ALLOWED' : null);
  });

  it('judges the account that a read takes by default', () => {
    expect(judge('GET /portfolio', {})).toBeNull();
    expect(judge('GET /portfolio', { allowed: [FUTURES] })).toBe('EXCHANGE_NOT_ALLOWED');
    expect(judge('GET /portfolio/positions', { allowed: [FUTURES] })).toBeNull();
    expect(judge('GET /portfolio', { accounts: [] })).toBeNull();
    const other = { id: 'okx-spot', name: 'OKX', kind: 'spot' } as const;
    expect(judge('GET /portfolio', { accounts: [other, ...ACCOUNTS] })).toBe('EXCHANGE_NOT_ALLOWED');
  });

  it('is closed to routes that nobody has written down', () => {
    for (const route of ['GET /nothing', 'toString', '__proto__']) {
      expect(judge(route, { query: { exchange: SPOT } })).toBe('EXCHANGE_NOT_ALLOWED');
      expect(judge(route, { allowed: null })).toBeNull();
    }
  });

  it('says what the key may use, and repeats a hostile name only cleaned and cut', () => {
    const words = (exchange: string, allowedExchanges: readonly string[]) =>
      shieldProblem(
        { allowedExchanges },
        { ...NOTHING, route: 'POST /orders', body: { exchange }, accounts: ACCOUNTS },
      )?.message;
    expect(words(FUTURES, [SPOT, 'okx-spot'])).toBe(
      'this key may use paper-spot, okx-spot only, not "paper-futures"',
    );
    expect(words('\u001b[31m', [])).toBe('this key may use no exchange only, not "?[31m"');
    expect(words('x'.repeat(99), [SPOT])).toBe(
      `this key may use paper-spot only, not "${'x'.repeat(40)}..."`,
    );
  });
});

// proves: rule shield
describe("the exchange of a bot's settings", () => {
  const named = (body: Record<string, unknown> | undefined) =>
    namedExchange('settings', { query: new Map([['exchange', SPOT]]), body, accounts: ACCOUNTS });

  // proves: bot-rule shield
  it('is what counts, not one beside them', () => {
    expect(named({ exchange: SPOT, settings: { exchange: FUTURES } })).toBe(FUTURES);
  });

  it('is missing, for the schema to say, or no text', () => {
    expect([undefined, {}, { exchange: SPOT }, { settings: {} }].map(named)).toEqual(
      Array(4).fill(undefined),
    );
    for (const settings of [null, 5, SPOT, [], { exchange: [SPOT] }]) {
      expect(typeof named({ settings }), JSON.stringify(settings)).not.toBe('string');
    }
    expect(named({ settings: null })).not.toBeUndefined();
    expect(named({ settings: SPOT })).not.toBeUndefined();
  });
});

// proves: failure shield-broken, D47
describe('a shield that is none', () => {
  it.each([undefined, SPOT, `${SPOT}-x`, 5, {}, [5], [null], [[SPOT]]])(
    'cannot be evaluated: %j',
    (stored) => {
      const allowed = stored as unknown as readonly string[];
      expect(() => shieldProblem({ allowedExchanges: allowed }, { ...NOTHING, route: 'GET /ping' })).toThrow(
        TypeError,
      );
      expect(() => isAllowed(allowed, SPOT)).toThrow(TypeError);
    },
  );
});

it('tells of single accounts whether a key may see them', () => {
  expect([
    isAllowed(null, SPOT),
    isAllowed([SPOT], SPOT),
    isAllowed([SPOT], FUTURES),
    isAllowed([], SPOT),
  ]).toEqual([true, true, false, false]);
});
