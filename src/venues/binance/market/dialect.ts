/**
 * How questions for public prices are written, and what their answers tell of the budgets: the weight that is used
 * (`X-MBX-USED-WEIGHT-1M`), and a breach (429, 418) with the seconds it lasts (`Retry-After`). No key, no signature.
 */
import type { Dialect } from '../../kit/caller.ts';
import type { Secrets } from '../../venue-kind.ts';

export const PUBLIC_DIALECT: Dialect = {
  write(form, parameters) {
    const query = Object.entries(parameters)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    return { path: query === '' ? form.path : `${form.path}?${query}`, headers: {} };
  },
  heard({ form, status, headers, leftAt, now }, way) {
    const [cost] = form.costs({}, '');
    if (!cost) return;
    const used = Number(headers['x-mbx-used-weight-1m']);
    // A testnet answers -1.
    if (Number.isSafeInteger(used) && used >= 0) way.budget.told(cost.row, cost.of, used, leftAt, now);
    if (status !== 429 && status !== 418) return;
    const seconds = Number(headers['retry-after']);
    const after = Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : null;
    way.budget.breach(cost.row, cost.of, after ?? (status === 429 ? cost.row.windowMs : null), now);
  },
};

/** Public prices need none. */
export const NO_SECRETS: Secrets = {
  get(field) {
    throw new RangeError(`public prices are asked for without ${field}`);
  },
};
