/**
 * An exchange that hangs, floods or answers nonsense while it is connected: this is bounded and reported,
 * nothing of it is stored, and nothing secret leaks.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ok } from '../integration/support.ts';
import { KEY, openRig, REQUEST, type Rig, refusal, SECRET } from './rig.ts';
import type { AcmeVenue } from './test-kind.ts';

const never = () => new Promise<never>(() => {});
const LIMIT = {
  exchange: 'acme-spot',
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  price: '50000',
  quantity: '0.01',
} as const;

function nothingIsLeft({ desk, config, acme }: Rig): void {
  expect(desk.state().accounts).toHaveLength(2);
  expect(desk.state().vault.connections).toEqual([]);
  expect(() => config()).toThrow('ENOENT');
  expect(acme.lines.every(({ closed }) => closed)).toBe(true);
}

describe('an exchange that does not behave while it is connected', () => {
  const cases: [string, (rig: Rig) => void, RegExp][] = [
    [
      'hangs when it is opened',
      ({ acme }) => {
        acme.account.open = never;
      },
      /reachable: no answer within 10 s/,
    ],
    [
      'refuses with a page of text',
      ({ acme }) => {
        acme.account.open = async () => {
          throw new Error(`${'<html>'.repeat(100_000)}\nsecond line`);
        };
      },
      /reachable: (<html>){33}/,
    ],
    [
      'never says who the account is',
      ({ acme }) => {
        acme.account.identity = never;
      },
      /which account it is/,
    ],
    [
      'calls the account by a program',
      ({ acme }) => {
        acme.account.identity = async () => ({ id: '\u001b[2J' });
      },
      /which account it is/,
    ],
    [
      'calls it by an object',
      ({ acme }) => {
        acme.account.identity = async () => ({ id: { deep: [1] } }) as never;
      },
      /which account it is/,
    ],
    [
      'never says what the key may do',
      ({ acme }) => {
        acme.account.permissions = never;
      },
      /what the key may do/,
    ],
    [
      'says it in words',
      ({ acme }) => {
        acme.account.permissions = async () => ({ trade: 'yes' }) as never;
      },
      /what the key may do/,
    ],
    [
      'throws something that is no error',
      ({ acme }) => {
        acme.account.permissions = () => {
          throw 'text';
        };
      },
      /what the key may do/,
    ],
    [
      'does not tell its balances',
      ({ acme }) => {
        acme.account.fill = (venue) => {
          venue.answers.balances = never;
        };
      },
      /balance: could not be read/,
    ],
    [
      'does not tell its position mode',
      ({ acme }) => {
        acme.account.fill = (venue) => {
          venue.answers.hedgeMode = async () => 'one-way' as never;
        };
      },
      /position mode: could not be read/,
    ],
  ];

  it.each(cases)('%s', async (_, prepare, words) => {
    const rig = await openRig();
    prepare(rig);
    const text = refusal(await rig.ask('connections.add', REQUEST));
    expect(text).toMatch(words);
    expect(text.length).toBeLessThan(400);
    nothingIsLeft(rig);
    // A second try, with an exchange that behaves again.
    const again = await openRig();
    Object.assign(rig.acme.account, again.acme.account);
    ok(await rig.ask('connections.add', REQUEST));
  });

  it('that hangs when it is closed holds nobody up', async () => {
    const rig = await openRig();
    rig.acme.account.fill = (venue) => {
      (venue as AcmeVenue).close = never;
    };
    ok(await rig.ask('connections.add', REQUEST));
    ok(await rig.ask('connections.remove', { name: 'acme', word: 'acme' }));
    expect(rig.desk.state().accounts).toHaveLength(2);
  });

  it('with a hundred thousand symbols and balances is not believed', async () => {
    const rig = await openRig();
    rig.acme.account.fill = (venue) => {
      const [one] = venue.list;
      venue.list = Array.from({ length: 100_000 }, (_, at) => ({ ...one, symbol: `S${at}` })) as never;
      venue.answers.balances = async () =>
        Array.from({ length: 10_000 }, (_, at) => ({ asset: `A${at}`, free: '1', locked: '0' }));
    };
    const found = ok(await rig.ask('connections.test', { ...REQUEST, rights: undefined } as never));
    expect(found.lines.find(({ name }) => name === 'reachable')?.text).toBe('0 symbols are traded');
    expect(found.lines.find(({ name }) => name === 'balance')?.text).toContain('and 9996 more');
    expect(JSON.stringify(found).length).toBeLessThan(4_000);
  });

  it('with a kind that makes other accounts than it says is closed, and the desk goes on', async () => {
    const rig = await openRig();
    const { open } = rig.acme.kind;
    const broken = {
      ...rig.acme.kind,
      open: (given: Parameters<typeof open>[0]) => open({ ...given, accounts: given.accounts.slice(1) }),
    };
    ok(await rig.ask('connections.add', REQUEST));
    const second = await rig.again({ exchange: { ...rig.acme, kind: broken } });
    const [view] = (await second.ask('connections.list', {})).connections;
    expect(view).toMatchObject({ state: 'closed' });
    expect(view?.why).toContain('has made the accounts acme-futures');
    expect(second.desk.state().accounts).toHaveLength(2);
  });
});

describe('nothing secret', () => {
  it('is in log, state, answers, files or messages of an adapter that repeats it', async () => {
    const rig = await openRig();
    const seen: unknown[] = [];
    const repeat = async (key: string) => {
      throw new Error(`bad signature with key ${key} and ${SECRET}`);
    };
    rig.acme.account.open = repeat;
    seen.push(await rig.ask('connections.test', without(REQUEST)), await rig.ask('connections.add', REQUEST));
    rig.acme.account.open = async () => {};
    seen.push(await rig.ask('connections.add', REQUEST), await rig.ask('connections.list', {}));
    seen.push(
      await rig.ask('connections.add', {
        ...REQUEST,
        secrets: { apiKey: KEY, secret: SECRET, passphrase: SECRET },
      }),
    );
    for (const market of rig.acme.markets) market.ticks(['BTCUSDT', '60000']);
    await rig.clock.advance(1_000);
    seen.push(await rig.ask('orders.place', LIMIT));
    rig.acme.account.open = repeat;
    await rig.lock();
    await rig.unlock();
    await rig.clock.advance(30_000);
    const state = rig.desk.state();
    expect(state.accounts.find(({ id }) => id === 'acme-spot')?.away).toContain('(hidden)');
    seen.push(state);
    const folder = rig.dataDir;
    await rig.wait(rig.stop());
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    for (const { parentPath, name } of files) seen.push(readFileSync(join(parentPath, name), 'latin1'));
    expect(files.length).toBeGreaterThan(3);
    const all = JSON.stringify(seen);
    expect(all).not.toContain(KEY);
    expect(all).not.toContain(SECRET);
  });
});

function without({ rights: _, ...rest }: typeof REQUEST) {
  return rest;
}
