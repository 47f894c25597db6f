/** The settings that a key's registration accepts, and how every wrong one is reported (D44, D45). */
import { describe, expect, it } from 'vitest';
import { KeyRegistry } from '../../src/access/key-registry.ts';
import type { KeySettings } from '../../src/domain/access-key.ts';
import { keyText, NOW } from './some-keys.ts';

describe('registration settings', () => {
  const registry = new KeyRegistry();
  const accounts = ['paper-spot', 'paper-futures'];
  const problems = (change: object, publicKey?: string) =>
    registry.problems({ label: 'a', tier: 'read', ...change } as KeySettings, accounts, publicKey);

  it('are stored with every address in its one spelling and every account once', () => {
    const outcome = new KeyRegistry().register(
      {
        label: 'a',
        tier: 'full',
        ipList: [' 203.0.113.7 ', '2001:DB8:0::/32', '::ffff:10.0.0.0/104'],
        allowedExchanges: ['paper-spot', 'paper-futures', 'paper-spot'],
      },
      keyText(0),
      NOW,
      { accounts },
    );
    expect(outcome.ok && outcome.data.key).toMatchObject({
      ipList: ['203.0.113.7/32', '2001:db8::/32', '10.0.0.0/8'],
      allowedExchanges: ['paper-futures', 'paper-spot'],
    });
  });

  // proves: limit ip-list-entries, D45, rule key-registration
  it.each<[string, object, object]>([
    ['no list at all', { ipList: null, allowedExchanges: null }, []],
    ['ten entries', { ipList: Array.from({ length: 10 }, (_, i) => `10.0.${i}.0/24`) }, []],
    [
      'eleven entries',
      { ipList: Array.from({ length: 11 }, (_, i) => `10.0.${i}.0/24`) },
      [{ field: 'ipList', message: expect.stringContaining('11 entries') }],
    ],
    [
      'a list that is empty on purpose',
      { ipList: [] },
      [{ field: 'ipList', message: expect.stringContaining('empty') }],
    ],
    [
      'wrong entries, each by its place',
      { ipList: ['10.0.0.1/8', '10.0.0.0/8', 'localhost'] },
      [
        { field: 'ipList', entry: 0, message: expect.stringContaining('write 10.0.0.0/8 for the range') },
        { field: 'ipList', entry: 2, message: expect.stringContaining('"localhost" is no IP address') },
      ],
    ],
    [
      'an entry named twice in two spellings',
      { ipList: ['192.0.2.1', '192.0.2.1/32'] },
      [{ field: 'ipList', entry: 1, message: expect.stringContaining('on the list already') }],
    ],
    [
      'a shield without accounts',
      { allowedExchanges: [] },
      [{ field: 'allowedExchanges', message: expect.stringContaining('at least one account') }],
    ],
    [
      'an account that is not connected',
      { allowedExchanges: ['paper-spot', 'binance-spot'] },
      [
        {
          field: 'allowedExchanges',
          message: 'there is no account "binance-spot"; there are paper-spot, paper-futures',
        },
      ],
    ],
    ['a tier that there is not', { tier: 'root' }, [{ field: 'tier', code: 'INVALID_REQUEST' }]],
    [
      'what a broken terminal may send',
      { label: 7, tier: null, ipList: 'any', allowedExchanges: [1] },
      [{ field: 'label' }, { field: 'tier' }, { field: 'ipList' }, { field: 'allowedExchanges' }],
    ],
  ])('%s', (_, change, expected) => {
    expect(problems(change)).toMatchObject(expected as object[]);
    const outcome = registry.register(
      { label: 'a', tier: 'read', ...change } as KeySettings,
      'never a key',
      NOW,
      { accounts },
    );
    expect(outcome).toMatchObject({ ok: false, error: { code: 'INVALID_REQUEST' } });
  });

  it('are all judged at once, the public key too', () => {
    const taken = new KeyRegistry();
    for (let i = 0; i < 10; i++) taken.register({ label: `k${i}`, tier: 'read' }, keyText(i), NOW);
    const all = taken.problems({ label: 'k0', tier: 'read', ipList: [] }, accounts, keyText(3));
    expect(all.map(({ field, code }) => [field, code])).toEqual([
      ['keys', 'CONFLICT'],
      ['label', 'CONFLICT'],
      ['ipList', 'INVALID_REQUEST'],
      ['publicKey', 'CONFLICT'],
    ]);
    expect(problems({}, 'short')).toMatchObject([{ field: 'publicKey', code: 'INVALID_REQUEST' }]);
    expect(problems({}, keyText(0))).toEqual([]);
  });

  it('keep no control characters in what they say of an entry', () => {
    for (const { message } of problems({ ipList: ['\u001b[31m1.2.3.4'], allowedExchanges: ['a\nb'] })) {
      expect(message).toMatch(/^[\x20-\x7e]*$/);
    }
  });
});
