/**
 * Invariant 4: the rows of the desk's own store explain its wallets: opening, ledger and fills, to the last
 * digit. An unexplained difference gets a row only where the exchange reported a change to nobody.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type Dec, dec, mul, str, ZERO } from '../../src/domain/decimal.ts';
import type { LedgerEntry, LedgerRecord } from '../../src/domain/ledger.ts';
import type { SimAccount } from './accounts.ts';
import type { Stored, Violate } from './checks.ts';
import { addTo, type RoughExchange } from './rough/rough-exchange.ts';
import type { SimDesk } from './sim-desk.ts';

export interface LedgerChecked {
  readonly db: DatabaseSync;
  readonly desk: SimDesk;
  readonly account: SimAccount;
  readonly stored: Stored;
  readonly rough: RoughExchange | null;
  readonly violate: Violate;
  readonly struck: (name: string) => void;
}

export function checkLedgerRows(o: LedgerChecked): void {
  const { db, desk, account, violate, struck } = o;
  const { id } = account.account;
  const { balances, ledger } = desk.core.engine.memory.account(id).wallet;
  if (!ledger?.place?.opened) return;
  struck(`the ledger of ${id} is open`);
  const found = db.prepare('SELECT doc FROM ledger WHERE exchange = ? ORDER BY seq').all(id) as {
    doc: string;
  }[];
  const rows = found.map(({ doc }) => JSON.parse(doc) as LedgerRecord);
  const sums = fillsOf(o);
  for (const { asset, amount, kind } of rows) if (kind !== 'position') addTo(sums, asset, dec(amount));
  for (const asset of new Set([...balances.keys(), ...sums.keys()])) {
    const made = sums.get(asset) ?? ZERO;
    const { free, locked } = balances.get(asset) ?? { free: ZERO, locked: ZERO };
    if (made !== free + locked)
      violate(
        4,
        `the ${asset} wallet of ${id} is ${str(free + locked)}, opening, ledger and fills make ${str(made)}`,
      );
    if (made !== (ledger.sums.get(asset) ?? ZERO))
      violate(
        4,
        `the ${asset} sum of ${id} is ${str(ledger.sums.get(asset) ?? ZERO)}, its rows make ${str(made)}`,
      );
    checkUnexplained(
      o,
      asset,
      rows.filter((row) => row.asset === asset && row.kind === 'unexplained'),
    );
  }
}

function fillsOf({ account: { account, instruments }, stored }: LedgerChecked): Map<string, Dec> {
  const sums = new Map<string, Dec>();
  for (const fill of [...stored.fills.values()].flat()) {
    const instrument = instruments.find(({ symbol }) => symbol === fill.symbol);
    if (fill.exchange !== account.id || !instrument) continue;
    if (account.kind === 'futures') addTo(sums, instrument.quote, dec(fill.rPnl ?? '0'));
    else {
      const qty = fill.side === 'BUY' ? dec(fill.qty) : -dec(fill.qty);
      addTo(sums, instrument.base, qty);
      addTo(sums, instrument.quote, -mul(qty, dec(fill.price)));
    }
    addTo(sums, fill.commAsset, -dec(fill.comm));
  }
  return sums;
}

/**
 * Checks unexplained differences. The opening includes the earliest changes that were reported to nobody;
 * each later one is found at most once.
 */
function checkUnexplained(o: LedgerChecked, asset: string, rows: readonly LedgerRecord[]): void {
  const { account, rough, violate, struck } = o;
  const table = rough?.inner.tables.get(`${account.account.kind}.ledger`);
  const hidden = ([...(table?.values() ?? [])] as LedgerEntry[])
    .filter((entry) => entry.asset === asset && rough?.hidden.has(entry.id))
    .map(({ amount }) => dec(amount));
  if (rows.length > 0) struck('a change that nobody tells is found');
  const total = rows.reduce((sum, { amount }) => sum + dec(amount), ZERO);
  const tails = [ZERO];
  for (const amount of hidden.reverse()) tails.push((tails.at(-1) ?? ZERO) + amount);
  if (rows.length <= hidden.length && tails.includes(total)) return;
  const found = rows.map(({ amount }) => amount).join(', ');
  violate(
    4,
    `${account.account.id} has unexplained ${asset}: ${found}; hidden are ${hidden.map(str).join(', ')}`,
  );
}
