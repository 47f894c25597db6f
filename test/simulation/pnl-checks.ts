/**
 * Invariant 16: the PnL book of the whole history, folded over the desk's own store: equity = net + deposits
 * to the last digit. The equity is that of the wallets and positions as the engine believes them, at any
 * prices.
 */
import type { DatabaseSync } from 'node:sqlite';
import { WalletRows } from '../../src/desk/pnl/wallet-rows.ts';
import { OWNER } from '../../src/domain/actor.ts';
import { type Dec, dec, mul, str, ZERO } from '../../src/domain/decimal.ts';
import { PnlBook } from '../../src/engine/pnl/pnl-book.ts';
import { type BookPrices, WalletBook } from '../../src/engine/pnl/wallet-book.ts';
import { costOf, signedAmount } from '../../src/engine/positions.ts';
import type { WalletMemory } from '../../src/engine/wallet.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Violate } from './checks.ts';
import type { SimDesk } from './sim-desk.ts';

const PNL = 16;
const END = Number.MAX_SAFE_INTEGER;

export interface PnlChecked {
  readonly db: DatabaseSync;
  readonly desk: SimDesk;
  readonly violate: Violate;
  readonly struck: (name: string) => void;
}

export function checkPnl(o: PnlChecked): void {
  const wallets = new Set([...o.desk.core.engine.memory.accounts.values()].map(({ wallet }) => wallet));
  for (const wallet of wallets) if (wallet.ledger?.place?.opened) checkWallet(o, wallet);
}

function checkWallet({ db, desk, violate, struck }: PnlChecked, wallet: WalletMemory): void {
  const { name } = wallet;
  const user = wallet.accounts[0]?.account.user ?? OWNER;
  const store = new SqliteStore(db, ':memory:');
  const rows = new WalletRows({
    store,
    user,
    wallet: name,
    accounts: wallet.accounts.map(({ account }) => account.id),
  });
  const from = rows.firstAt() ?? 0;
  const samples = [from, from + (desk.marketTime - from) / 3, END];
  const of = { from, to: END, samples, tagOf: () => null, unitOf: () => '' };
  const book = new PnlBook({ ...of, by: 'symbol' });
  const accounts = wallet.accounts.map(({ account, instruments }) => ({
    id: account.id,
    kind: account.kind,
    instruments,
  }));
  const fold = new WalletBook({ wallet: name, accounts, prices: PRICES, samples, sink: book });
  for (const record of rows.openings) fold.ledger(record, from);
  for (let row = rows.next(); row; row = rows.next()) {
    if ('record' in row) fold.ledger(row.record);
    else fold.fill({ ...row.fill.fill, bot: null });
  }
  fold.finish();
  if (fold.skipped > 0) violate(PNL, `${name}: ${fold.skipped} rows are of no symbol`);
  const sizes = fold.positions();
  let equity = ZERO;
  for (const [asset, { free, locked }] of wallet.balances)
    equity += mul(free + locked, PRICES.usd(asset, END) as Dec);
  for (const { account, futures, instruments } of wallet.accounts) {
    for (const [key, position] of futures?.positions ?? []) {
      const id = `${account.id} ${key}`;
      const size = signedAmount(position);
      if (size !== (sizes.get(id) ?? ZERO))
        violate(PNL, `position ${id} is ${str(size)}, the rows make it ${str(sizes.get(id) ?? ZERO)}`);
      sizes.delete(id);
      const { symbol } = position;
      const open = mul(size, PRICES.mark(account.id, symbol, END) as Dec) - costOf(position);
      equity += mul(open, PRICES.usd(instruments.get(symbol)?.quote ?? '', END) as Dec);
    }
  }
  for (const [id, size] of sizes) violate(PNL, `position ${id} is flat, the rows make it ${str(size)}`);
  const { net, deposits, realised } = book.total();
  if (dec(net) + dec(deposits) !== equity)
    violate(PNL, `${name} is worth ${str(equity)}, the PnL book says ${net} net and ${deposits} paid in`);
  if (realised !== '0') struck('the PnL book has realised something');
  if (book.stats().trades > 0) struck('the PnL book has a closed trade');
}

/** Any prices will do that are always the same. */
const PRICES: BookPrices = {
  usd: (asset, time) => (asset === 'USDT' ? dec('1') : priceOf(asset, time)),
  mark: (_, symbol, time) => priceOf(symbol, time),
};

function priceOf(name: string, time: number): Dec {
  let hash = time % 999_983;
  for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 16_777_619);
  return dec((((hash >>> 0) % 10_000_000) / 100 + 0.01).toFixed(2));
}
