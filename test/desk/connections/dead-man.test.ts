/**
 * The dead-man switch of an account on a whole desk: off until an owner sets it, renewed while entries rest,
 * taken back when the desk stops in order, red when it is not renewed; orders that it ended are recognised,
 * and bots go on.
 */
import { describe, expect, it } from 'vitest';
import { headerLine } from '../../../src/console/app/header.ts';
import type { DeadManCaps } from '../../../src/domain/dead-man.ts';
import type { ExchangeOrder } from '../../../src/domain/exchange.ts';
import type { SettingOutcome } from '../../../src/domain/position.ts';
import { ok } from '../integration/support.ts';
import { KEY, openRig, REQUEST, type Rig, refusal, SECRET } from './rig.ts';
import { acme } from './test-kind.ts';

const LIMIT = {
  exchange: 'acme-futures',
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  price: '50000',
  quantity: '0.01',
} as const;
const BOUNDS = { leastSeconds: 10, mostSeconds: 120, source: 'the test' };
const EACH: DeadManCaps = { form: 'symbol', mostSymbols: 1, ...BOUNDS };
const WHOLE: DeadManCaps = { form: 'account', ...BOUNDS };

interface Switched extends Rig {
  /** The requests, such as `BTCUSDT 30`, oldest first; `all` for the whole account. */
  readonly asked: string[];
  readonly answers: { arm: () => Promise<SettingOutcome> };
}

/** A desk connected with its futures account or another one. */
async function connected(deadMan: DeadManCaps = EACH, on: 'spot' | 'futures' = 'futures'): Promise<Switched> {
  const exchange = acme();
  const asked: string[] = [];
  const answers = { arm: async (): Promise<SettingOutcome> => ({ kind: 'done' }) };
  exchange.account.fill = (venue) => {
    if (venue.account.kind !== on) return;
    const arm = ({ symbol, seconds }: { symbol: string | null; seconds: number }) => {
      asked.push(`${symbol ?? 'all'} ${seconds}`);
      return answers.arm();
    };
    const offered = async () => ({ on: true, seconds: 10 });
    Object.assign(venue, {
      caps: { ...venue.caps, deadMan },
      deadMan: deadMan.form === 'exchange' ? { offered } : { arm },
    });
    venue.answers.balances = async () => [
      { asset: 'USDT', free: '90000', locked: '0' },
      { asset: 'BTC', free: '0.05', locked: '0' },
    ];
    venue.answers.cancel = async () => {
      const order = venue.working(venue.sent.at(-1) as ExchangeOrder);
      return { kind: 'done', state: { ...order, status: 'CANCELLED' } };
    };
  };
  const rig = await openRig({ exchange });
  ok(await rig.ask('connections.add', REQUEST));
  await priced(rig);
  return Object.assign(rig, { asked, answers });
}

/** Lets the next request hang until the returned function answers it. */
function hanging(rig: Switched): () => void {
  const answers: ((outcome: SettingOutcome) => void)[] = [];
  rig.answers.arm = () => new Promise((resolve) => answers.push(resolve));
  return () => {
    rig.answers.arm = async () => ({ kind: 'done' });
    for (const answer of answers) answer({ kind: 'done' });
  };
}

async function priced(rig: Rig): Promise<void> {
  for (const market of rig.acme.markets) market.ticks(['BTCUSDT', '60000']);
  await rig.clock.advance(1_000);
}

const set = async (rig: Rig, deadManSeconds: number | null, exchange = 'acme-futures') =>
  rig.ask('guards.set', { exchange, change: { deadManSeconds } });

const shown = (rig: Rig) => rig.desk.state().accounts.find(({ id }) => id === 'acme-futures')?.deadMan;

const header = (rig: Rig) =>
  headerLine(rig.desk.state(), 0, 140)
    .map(({ text }) => text)
    .join('');

describe('a dead-man switch', () => {
  it('is off until an owner sets it, and then renewed four times within its countdown while an entry is open', async () => {
    const rig = await connected();
    ok(await rig.ask('orders.place', LIMIT));
    await rig.clock.advance(5_000);
    expect(rig.asked).toEqual([]);
    expect(shown(rig)).toMatchObject({ form: 'symbol', seconds: null, running: false });
    ok(await set(rig, 20));
    await rig.clock.advance(20_500);
    expect(rig.asked).toEqual(Array.from({ length: 5 }, () => 'BTCUSDT 20'));
    expect(shown(rig)).toEqual({
      form: 'symbol',
      seconds: 20,
      symbols: ['BTCUSDT'],
      running: true,
      failing: false,
    });
    ok(await set(rig, null));
    await rig.clock.advance(6_000);
    expect(rig.asked.slice(5)).toEqual(['BTCUSDT 0']);
    expect(shown(rig)).toMatchObject({ seconds: null, running: false });
  });

  it('begins in front of the first entry of a symbol, and is taken back when the last one is gone', async () => {
    const rig = await connected();
    ok(await set(rig, 20));
    await rig.clock.advance(6_000);
    expect(rig.asked).toEqual([]);
    const { id } = ok(await rig.ask('orders.place', LIMIT));
    expect(rig.asked).toEqual(['BTCUSDT 20']);
    ok(await rig.ask('orders.cancel', { exchange: 'acme-futures', id }));
    await rig.clock.advance(7_000);
    expect(rig.asked).toEqual(['BTCUSDT 20', 'BTCUSDT 0']);
  });

  it('has none of what only closes', async () => {
    const rig = await connected(WHOLE, 'spot');
    ok(await set(rig, 10, 'acme-spot'));
    ok(await rig.ask('orders.place', { ...LIMIT, exchange: 'acme-spot', side: 'SELL', price: '60500' }));
    await rig.clock.advance(6_000);
    expect(rig.asked).toEqual([]);
    ok(await rig.ask('orders.place', { ...LIMIT, exchange: 'acme-spot' }));
    expect(rig.asked).toEqual(['all 10']);
  });

  it('of a whole account is one', async () => {
    const rig = await connected(WHOLE);
    ok(await set(rig, 10));
    ok(await rig.ask('orders.place', LIMIT));
    await rig.clock.advance(2_600);
    expect(rig.asked).toEqual(['all 10', 'all 10']);
  });

  it("is set by its exchange's bounds only, and refused where there is none", async () => {
    const rig = await connected();
    expect(refusal(await set(rig, 9))).toBe('deadManSeconds: its exchange takes 10 to 120 s, or off');
    expect(refusal(await set(rig, 60, 'acme-spot'))).toBe('deadManSeconds: its exchange has none here');
    const other = await connected({ form: 'exchange', source: 'the test' });
    expect(refusal(await set(other, 60))).toContain('its exchange alone switches it on');
    expect(shown(other)).toMatchObject({ form: 'exchange', offer: { on: true, seconds: 10 } });
  });

  it('takes no entry of one symbol more than its exchange has countdowns', async () => {
    const rig = await connected({ ...EACH, mostSymbols: 0 });
    ok(await set(rig, 60));
    const refused = await rig.ask('orders.place', LIMIT);
    expect(refusal(refused)).toMatch(
      /the dead-man switch of acme-futures holds 0: cancel the entries of another one/,
    );
    expect(refused).toMatchObject({ error: { code: 'INVALID_REQUEST', reason: 'GUARD_DEAD_MAN' } });
  });

  it('that is not renewed twice in a row is red until it is', async () => {
    const rig = await connected();
    ok(await set(rig, 12));
    ok(await rig.ask('orders.place', LIMIT));
    expect(header(rig)).not.toContain('DEAD-MAN');
    rig.answers.arm = async () => ({ kind: 'rejected', code: '1', message: 'not now' });
    await rig.clock.advance(3_050);
    expect(shown(rig)).toMatchObject({ failing: false });
    await rig.clock.advance(3_050);
    expect(shown(rig)).toMatchObject({ failing: true });
    expect(header(rig)).toContain(' DEAD-MAN ');
    const said = rig.log().filter((text) => text.includes('twice in a row'));
    expect(said).toEqual([
      'acme-futures: its dead-man switch was not renewed twice in a row (not now): the exchange ends open orders of BTCUSDT 12 s after the last renewal; whether it ends conditional orders too is not documented',
    ]);
    rig.answers.arm = async () => ({ kind: 'done' });
    await rig.clock.advance(3_050);
    expect(shown(rig)).toMatchObject({ failing: false });
    expect(rig.log()).toContain('acme-futures: its dead-man switch is renewed again');
  });

  it('is taken back by a stop and by a lock of the vault, which say so, and goes on when it is unlocked', async () => {
    const rig = await connected();
    ok(await set(rig, 60));
    ok(await rig.ask('orders.place', LIMIT));
    await rig.lock();
    await rig.clock.advance(100);
    expect(rig.asked).toEqual(['BTCUSDT 60', 'BTCUSDT 0']);
    const word =
      'acme-futures: its dead-man switch is taken back: the vault is locked; what is open stays open';
    expect(rig.log()).toContain(word);
    expect(rig.acme.lines.flatMap(({ keys }) => keys).every((key) => key.every((byte) => byte === 0))).toBe(
      true,
    );
    await rig.unlock();
    await rig.clock.advance(1_000);
    expect(rig.asked.slice(2)).toEqual(['BTCUSDT 60']);
    const second = await rig.again();
    expect(rig.asked.slice(3, 4)).toEqual(['BTCUSDT 0']);
    expect(second.log()).toContain(word.replace('the vault is locked', 'the desk stops'));
    await second.clock.advance(1_000);
    expect(rig.asked.slice(4)).toEqual(['BTCUSDT 60']);
  });

  it('is taken back after the renewal that is on its way, which would begin it anew', async () => {
    const rig = await connected();
    ok(await set(rig, 20));
    ok(await rig.ask('orders.place', LIMIT));
    const answer = hanging(rig);
    await rig.clock.advance(5_000);
    ok(await set(rig, null));
    expect(rig.asked).toEqual(['BTCUSDT 20', 'BTCUSDT 20']);
    answer();
    await rig.clock.advance(100);
    expect(rig.asked.slice(2)).toEqual(['BTCUSDT 0']);
    expect(shown(rig)).toMatchObject({ running: false });
  });

  it('begins anew at once for an entry that came while it was taken back', async () => {
    const rig = await connected();
    ok(await set(rig, 20));
    const { id } = ok(await rig.ask('orders.place', LIMIT));
    await rig.clock.advance(1_000);
    const answer = hanging(rig);
    ok(await rig.ask('orders.cancel', { exchange: 'acme-futures', id }));
    await rig.clock.advance(5_000);
    expect(rig.asked).toEqual(['BTCUSDT 20', 'BTCUSDT 0']);
    ok(await rig.ask('orders.place', LIMIT));
    answer();
    await rig.clock.advance(100);
    expect(rig.asked.slice(2)).toEqual(['BTCUSDT 20']);
    expect(shown(rig)).toMatchObject({ running: true });
  });

  it('is taken back by a lock of the vault while the keys are there, however late that is', async () => {
    const rig = await connected();
    ok(await set(rig, 60));
    ok(await rig.ask('orders.place', LIMIT));
    const answer = hanging(rig);
    await rig.clock.advance(15_000);
    const hasKeys = () =>
      rig.acme.lines.some(({ keys }) => keys.some((key) => key.some((byte) => byte !== 0)));
    await rig.lock();
    await rig.clock.advance(100);
    expect([rig.asked.length, hasKeys()]).toEqual([2, true]);
    answer();
    await rig.clock.advance(100);
    expect([rig.asked.slice(2), hasKeys()]).toEqual([['BTCUSDT 0'], false]);
  });

  it('is taken back with the keys before these are forgotten', async () => {
    const rig = await connected();
    ok(await set(rig, 60));
    ok(await rig.ask('orders.place', LIMIT));
    const { keys } = rig.acme.line('acme-futures');
    const used: string[][] = [];
    rig.answers.arm = async () => {
      used.push(keys.map(String));
      return { kind: 'done' };
    };
    ok(await rig.ask('vault.forget', { connection: 'acme' }));
    expect([rig.asked, used]).toEqual([['BTCUSDT 60', 'BTCUSDT 0'], [[KEY, SECRET]]]);
    expect(keys.every((key) => key.every((byte) => byte === 0))).toBe(true);
    expect(rig.log()).toContain(
      'acme-futures: its dead-man switch is taken back: its keys are forgotten; what is open stays open',
    );
  });

  it('keeps a lock of the vault waiting for no longer than 3 s', async () => {
    const rig = await connected();
    ok(await set(rig, 60));
    ok(await rig.ask('orders.place', LIMIT));
    rig.answers.arm = () => new Promise(() => {});
    await rig.lock();
    await rig.clock.advance(3_100);
    expect(rig.acme.lines.flatMap(({ keys }) => keys).every((key) => key.every((byte) => byte === 0))).toBe(
      true,
    );
    expect(rig.log().join()).toContain('its dead-man switch could not be taken back (the vault is locked)');
  });
});

describe('what it has ended', () => {
  it('is cancelled and names it, where nothing was renewed for long enough, and not a moment before', async () => {
    const rig = await connected();
    ok(await set(rig, 10));
    const orders: string[] = [];
    for (let n = 0; n < 2; n++) orders.push(ok(await rig.ask('orders.place', LIMIT)).id);
    const line = rig.acme.line('acme-futures');
    const end = (n: number) =>
      line.sink?.order({
        ...line.working(line.sent[n] as ExchangeOrder),
        status: 'CANCELLED',
        time: rig.clock.wall(),
      });
    await rig.clock.advance(20_000);
    end(0);
    rig.answers.arm = async () => ({ kind: 'unknown', cause: 'no answer' });
    await rig.clock.advance(11_000);
    end(1);
    await rig.clock.advance(100);
    const text = (n: number) => rig.desk.state().orders[orders[n] as string]?.text;
    expect(text(0)).toBe('cancelled');
    expect(text(1)).toBe(
      'ended by the dead-man switch of acme-futures, which had heard nothing of this desk for too long',
    );
    expect(rig.desk.state().orders[orders[1] as string]?.status).toBe('CANCELLED');
  });
});
