/** The order forms that a test's exchange supports natively, in short form. */
import type { FormRow } from '../../src/domain/order-form.ts';
import type { OrderType } from '../../src/schemas/order.ts';

export interface Does {
  /** The types that rest or wait at the exchange. */
  readonly native: readonly OrderType[];
  readonly trailing?: boolean;
  readonly endDate?: boolean;
  readonly iceberg?: boolean;
}

export function formsOf({ native, trailing = false, endDate = false, iceberg = true }: Does): FormRow[] {
  const row = (asked: FormRow['asked'], form: FormRow['form']): FormRow => ({ asked, form, source: 'test' });
  return [
    { ...row('type', 'native'), types: native },
    row('trailing', trailing ? 'native' : 'held'),
    row('end date', endDate ? 'native' : 'held'),
    row('iceberg', iceberg ? 'native' : 'refused'),
    row('quote amount', 'native'),
  ];
}
