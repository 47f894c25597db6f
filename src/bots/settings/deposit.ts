/** Reads the deposit block (strategies.md 2). What needs a balance is checked at the start. Pure. */
import type { TProperties, TSchema } from 'typebox';
import { decOfInt, str } from '../../domain/decimal.ts';
import { Deposit as DepositSchema } from '../../schemas/bots/blocks.ts';
import type { Deposit } from './compiled.ts';
import type { SettingsContext } from './context.ts';
import type { Fields } from './fields.ts';

type DepositFields = Fields<(typeof DepositSchema)['properties']>;

/** Reads the deposit; null when left out. */
export function readDeposit<P extends TProperties & { readonly deposit: TSchema }>(
  f: Fields<P>,
  ground: SettingsContext,
): Deposit | null {
  const d = f.group('deposit', DepositSchema);
  if (!d) return null;
  const strategy = d.choice('strategy');
  const deposit: Deposit = {
    value: d.decimal('value'),
    asset: readAsset(d, ground),
    strategy,
    min: d.decimalOr('min'),
    max: d.decimalOr('max'),
    allocate: d.choice('allocate'),
    leverage: readLeverage(d, ground),
  };
  if (strategy === 'percent') checkPercent(d, deposit);
  else {
    for (const name of ['min', 'max'] as const) {
      if (d.has(name)) d.warn(name, 'has an effect with strategy percent only');
    }
  }
  return deposit;
}

function checkPercent(d: DepositFields, { value, min, max }: Deposit): void {
  if (d.reads('value') && value > decOfInt(100)) {
    d.problem('value', `must be at most 100 percent, got ${str(value)}`);
  }
  if (min !== null && max !== null && d.reads('min', 'max') && min > max) {
    d.problem('min', `must not be above max ${str(max)}, got ${str(min)}`);
  }
}

function readAsset(d: DepositFields, { account, rules }: SettingsContext): string {
  if (!account || !rules) return d.text('asset');
  // On futures the margin asset is the quote asset.
  if (d.raw('asset') !== rules.quote) {
    d.problem('asset', `must be ${rules.quote} for ${rules.symbol} on ${account.id}`);
  }
  return rules.quote;
}

function readLeverage(d: DepositFields, { account, rules }: SettingsContext): number | null {
  const leverage = d.integerOr('leverage');
  if (leverage === null || !d.reads('leverage') || !account) return leverage;
  if (account.kind === 'spot') {
    d.problem('leverage', `is for futures only; ${account.id} is spot: leave it out`);
  } else if (rules && leverage > rules.maxLeverage) {
    d.refuse(
      'leverage',
      `must be at most ${rules.maxLeverage} for ${rules.symbol} on ${account.id}, got ${leverage}`,
    );
  }
  return leverage;
}
