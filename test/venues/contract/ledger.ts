/**
 * The contract of every adapter's ledger (`Venue.ledger`): an adapter's test calls this with a connection to
 * its exchange.
 */
import { expect, it } from 'vitest';
import { type Dec, dec, str, ZERO } from '../../../src/domain/decimal.ts';
import { LEDGER_KINDS, type LedgerEntry } from '../../../src/domain/ledger.ts';
import type { LedgerPage, Venue } from '../../../src/venues/venue.ts';

export interface LedgerExchange {
  readonly venue: Venue;
  /** An asset of which the account has a balance. */
  readonly asset: string;
  /** The exchange's time. */
  readonly now: () => number;
  /** Another client deposits; a negative amount withdraws. Resolves once the exchange has it. */
  readonly pay: (amount: string) => Promise<void>;
  /** How often the adapter has reported that the ledger has more. */
  readonly told: () => number;
  /** Lets time pass until the answer comes. */
  readonly settle: <T>(answer: Promise<T>) => Promise<T>;
  /** The same account from another process. */
  readonly again: () => Promise<LedgerExchange>;
  /** Makes requests fail from now on. */
  readonly breakOff: () => void;
}

export function keepsLedger(open: () => Promise<LedgerExchange>): void {
  const ask = async (x: LedgerExchange, after: string | null, { limit = 100, since = 0 } = {}) => {
    const page = await x.settle(x.venue.ledger?.({ after, since, limit }) ?? Promise.resolve(null));
    if (!page) throw new Error('the question failed');
    return page;
  };
  /** Reads page by page to the end. */
  const all = async (x: LedgerExchange, from: string | null, limit = 100) => {
    const rows: LedgerEntry[] = [];
    let page: LedgerPage;
    let after = from;
    do {
      page = await ask(x, after, { limit });
      expect(page.rows.length).toBeLessThanOrEqual(limit);
      rows.push(...page.rows);
      if (page.more) expect(page.next).not.toBe(after);
      after = page.next;
    } while (page.more);
    return { rows, next: after };
  };
  const wallet = async (x: LedgerExchange): Promise<Dec> => {
    const held = (await x.settle(x.venue.balances()))?.find(({ asset }) => asset === x.asset);
    return held ? dec(held.free) + dec(held.locked) : ZERO;
  };

  it('tells every change of a wallet that is no fill, with its sign, asset and time', async () => {
    const x = await open();
    const before = await wallet(x);
    const { next } = await all(x, null);
    for (const amount of ['5', '-2.5', '0.00000001']) await x.pay(amount);
    const { rows } = await all(x, next);
    expect(rows.map(({ amount }) => amount)).toEqual(['5', '-2.5', '0.00000001']);
    const sum = rows.reduce((made, { amount }) => made + dec(amount), before);
    expect(str(await wallet(x))).toBe(str(sum));
    for (const { asset, kind, time } of rows) {
      expect(asset).toBe(x.asset);
      expect(LEDGER_KINDS).toContain(kind);
      expect(Math.abs(time - x.now())).toBeLessThan(60_000);
    }
    expect(x.told()).toBeGreaterThanOrEqual(3);
  });

  it('gives the same rows the same ids, whoever asks, in pages of any size, and leaves none out', async () => {
    const x = await open();
    const { next } = await all(x, null);
    for (let n = 1; n <= 5; n++) await x.pay(String(n));
    const whole = (await all(x, next)).rows;
    expect(new Set(whole.map(({ id }) => id)).size).toBe(5);
    for (const limit of [1, 2, 4]) expect((await all(x, next, limit)).rows).toEqual(whole);
    expect((await all(await x.again(), next, 3)).rows).toEqual(whole);
  });

  it('goes on where a place says, also from another process', async () => {
    const x = await open();
    await x.pay('1');
    const { next } = await all(x, null);
    await x.pay('2');
    expect((await all(await x.again(), next)).rows.map(({ amount }) => amount)).toEqual(['2']);
  });

  it('begins with a time where there is no place, or one that it does not know', async () => {
    const x = await open();
    await x.pay('3');
    for (const after of [null, 'no place of this exchange', '99999999'])
      expect((await ask(x, after, { since: x.now() - 60_000 })).rows.map(({ amount }) => amount)).toEqual([
        '3',
      ]);
    expect((await ask(x, null, { since: x.now() + 60_000 })).rows).toEqual([]);
  });

  it('says that a question has failed, and never that there is nothing', async () => {
    const x = await open();
    await x.pay('3');
    x.breakOff();
    expect(
      await x.settle(x.venue.ledger?.({ after: null, since: 0, limit: 10 }) ?? Promise.resolve(null)),
    ).toBeNull();
  });
}
