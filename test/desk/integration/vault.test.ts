/** The vault of a whole desk: its calls, what consoles see of it, a restart, and a passphrase file. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DeskDelta } from '../../../src/desk/console/protocol.ts';
import type { DeskPorts } from '../../../src/desk/open-desk.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { StoreError } from '../../../src/store/store.ts';
import { overlay } from '../../storage/faulty-ports.ts';
import { ok, openTestDesk, type TestDesk, temporaryFolder } from './support.ts';

const GOOD = 'correct horse battery';
const OTHER = 'staple correct horse';
/** A vault that uses little memory: its cost is tested elsewhere. */
const ports: DeskPorts = { vault: { cost: { memory: 64, passes: 1, lanes: 1 } } };

const vaultOf = ({ desk }: TestDesk) => desk.state().vault;

describe('the vault of a desk', () => {
  it('is made, locked, opened and changed from a console, which sees it', async () => {
    const t = await openTestDesk({ ports });
    const deltas: DeskDelta['vault'][] = [];
    const marks = { orders: new Set(), prices: new Set(), portfolios: new Set(), positions: new Set() };
    t.desk.onChange((mark) => {
      if (mark.kind !== 'vault') return;
      const none = { ...marks, bots: new Set(), instruments: new Set(), log: [], vault: true };
      deltas.push(t.desk.delta(none as never).vault);
    });
    expect(vaultOf(t)).toEqual({ state: 'none', connections: [], retryAt: null });
    expect(await t.call('vault.lock', {})).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await t.call('vault.init', { passphrase: 'paper-spot' })).toMatchObject({
      error: { message: expect.stringContaining('12') },
    });
    expect(await t.call('vault.init', { passphrase: 'Paper Futures' })).toMatchObject({
      error: { message: expect.stringContaining('the name of') },
    });
    ok(await t.call('vault.init', { passphrase: GOOD }));
    expect(vaultOf(t).state).toBe('open');
    ok(await t.call('vault.lock', {}));
    ok(await t.call('vault.lock', {}));
    expect(await t.call('vault.unlock', { passphrase: OTHER })).toMatchObject({
      error: { code: 'FORBIDDEN' },
    });
    expect(vaultOf(t)).toEqual({ state: 'locked', connections: [], retryAt: t.clock.wall() + 1_000 });
    expect(await t.call('vault.unlock', { passphrase: GOOD })).toMatchObject({
      error: { code: 'RATE_LIMITED', retryAfterS: 1 },
    });
    await t.clock.advance(1_000);
    ok(await t.call('vault.unlock', { passphrase: GOOD }));
    expect(vaultOf(t)).toEqual({ state: 'open', connections: [], retryAt: null });
    expect(ok(await t.call('vault.change', { old: GOOD, passphrase: OTHER }))).toEqual({ copies: [] });
    expect(deltas.map((one) => one?.state)).toEqual(['open', 'locked', 'locked', 'open']);
    const told = t.desk.state().log.filter(({ source }) => source === 'vault');
    expect(told.map(({ level, text }) => `${level} ${text}`)).toEqual([
      'info made and open',
      'info locked from a terminal',
      'warn a wrong passphrase was given',
      'info opened from a terminal',
      'info another passphrase is set',
    ]);
  });

  it('forgets what it is told to, and names the copies that open with the old passphrase', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const first = await openTestDesk({ dataDir, ports });
    ok(await first.call('vault.init', { passphrase: GOOD }));
    await first.stop();
    const store = openSqliteStore(join(dataDir, 'outcry.db'));
    const use = { venue: 'binance', environment: 'live', origins: [] };
    for (const field of ['apiKey', 'secret']) {
      const secret = { format: 1, use: { ...use, connection: 'binance', field }, nonce: '', sealed: '' };
      store.commit([{ kind: 'vault-secret', secret }]);
    }
    store.close();
    writeFileSync(join(dataDir, 'outcry.db.v7.bak'), '');
    const t = await openTestDesk({ dataDir, ports });
    expect(vaultOf(t)).toEqual({ state: 'locked', connections: ['binance'], retryAt: null });
    expect(await t.call('vault.forget', { connection: 'okx' })).toMatchObject({
      error: { code: 'NOT_FOUND' },
    });
    expect(ok(await t.call('vault.forget', { connection: 'binance' }))).toEqual({
      fields: ['apiKey', 'secret'],
    });
    expect(vaultOf(t).connections).toEqual([]);
    const changed = await t.call('vault.change', { old: GOOD, passphrase: OTHER });
    expect(ok(changed)).toEqual({ copies: ['outcry.db.v7.bak'] });
  });

  it('is shown to the last when the desk has ended, locked', async () => {
    const t = await openTestDesk({ ports });
    ok(await t.call('vault.init', { passphrase: GOOD }));
    await t.stop();
    expect(vaultOf(t)).toEqual({ state: 'locked', connections: [], retryAt: null });
  });

  it('answers only when it is stored', async () => {
    let full = false;
    const t = await openTestDesk({
      ports: {
        ...ports,
        openStore: (file, options) => {
          const store = openSqliteStore(file, options);
          return overlay(store, {
            commit(rows) {
              if (full && rows.some(({ kind }) => kind.startsWith('vault')))
                throw new StoreError('FULL', 'full');
              store.commit(rows);
            },
          });
        },
      },
    });
    full = true;
    expect(await t.call('vault.init', { passphrase: GOOD })).toMatchObject({
      error: { code: 'SERVICE_UNAVAILABLE' },
    });
    expect(vaultOf(t).state).toBe('none');
    full = false;
    ok(await t.call('vault.init', { passphrase: GOOD }));
    expect(vaultOf(t).state).toBe('open');
  });
});

describe('a passphrase file', () => {
  const started = async (passphraseFile: string | null, dataDir: string) => {
    const t = await openTestDesk({ dataDir, ports, vaultPassphraseFile: passphraseFile });
    const { state } = vaultOf(t);
    const said = t.desk.state().log.filter(({ source, level }) => source === 'vault' && level !== 'warn');
    await t.stop();
    return { state, said: said.at(-1)?.text ?? '' };
  };

  it('opens the vault at the start, or says why not, and the desk goes on', async () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, 'data');
    const file = join(folder, 'passphrase');
    writeFileSync(file, `${GOOD}\n`, { mode: 0o600 });
    const first = await openTestDesk({ dataDir, ports, vaultPassphraseFile: file });
    expect(vaultOf(first).state).toBe('none');
    ok(await first.call('vault.init', { passphrase: GOOD }));
    await first.stop();
    expect(await started(null, dataDir)).toMatchObject({ state: 'locked' });
    expect(await started(file, dataDir)).toEqual({ state: 'open', said: 'opened with the passphrase file' });
    chmodSync(file, 0o640);
    expect(await started(file, dataDir)).toMatchObject({
      state: 'locked',
      said: expect.stringContaining('others on this machine can read'),
    });
    chmodSync(file, 0o600);
    writeFileSync(file, OTHER);
    expect(await started(file, dataDir)).toMatchObject({
      state: 'locked',
      said: expect.stringContaining('wrong'),
    });
    mkdirSync(join(folder, 'dir'));
    for (const path of [join(folder, 'missing'), join(folder, 'dir')])
      expect(await started(path, dataDir)).toMatchObject({
        state: 'locked',
        said: expect.stringContaining(path),
      });
  });
});
