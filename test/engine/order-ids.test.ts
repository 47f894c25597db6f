/** Ids of orders (S19): as long as exchanges allow, and distinguishable from those of others. */
import { expect, it } from 'vitest';
import {
  deskOf,
  IDS_PER_MOMENT,
  isOwnForm,
  orderId,
  randomOf,
  runSuffix,
} from '../../src/engine/order-ids.ts';

const BOT = { kind: 'bot', user: 'owner', botId: 'b1', runId: '0123456789' } as const;
const NOW = Date.UTC(2026, 0, 5);
const LAST = Date.UTC(2059, 0, 1);

it.each([0, NOW, LAST])('made at %i fits every exchange, with the longest run 36 characters', (wall) => {
  const id = orderId('ro', 'ab3de', wall, '0123456789v', IDS_PER_MOMENT - 1);
  expect(id).toHaveLength(25);
  expect(id + runSuffix(BOT)).toHaveLength(36);
  // Without separators where only letters and digits are taken, 32 at most.
  expect(id.replaceAll('-', '')).toHaveLength(24);
  expect(isOwnForm('ro', id)).toBe(true);
  expect(isOwnForm('ro', id + runSuffix(BOT))).toBe(true);
  expect(deskOf('ro', id)).toBe('ab3de');
  expect(randomOf(id)).toBe('456789v'.slice(-7));
});

it('tells all of one moment apart', () => {
  const ids = new Set<string>();
  for (let index = 0; index < IDS_PER_MOMENT; index++)
    ids.add(orderId('ro', 'ab3de', NOW, '00000000000', index));
  ids.add(orderId('ro', 'ab3de', NOW, '00000000001', 0));
  ids.add(orderId('ro', 'ab3df', NOW, '00000000000', 0));
  ids.add(orderId('ro', 'ab3de', NOW + 1, '00000000000', 0));
  expect(ids.size).toBe(IDS_PER_MOMENT + 3);
});

it('takes ids from before there were desk ids for its own form, and no others', () => {
  expect(isOwnForm('ro', 'ro-mk0c3r2o0123456789v00')).toBe(false);
  expect(isOwnForm('ro', 'ro-mk0c3r2o0123456789va00')).toBe(true);
  for (const id of [
    '',
    'ro-',
    'web-0123456789012345678901',
    'rf-0123456789012345678901',
    'ro-0123456789012345678901_',
    `ro-${'0'.repeat(22)}_01234567890`,
    `ro-${'A'.repeat(22)}`,
    `ro-${'0'.repeat(22)}\n`,
  ])
    expect(isOwnForm('ro', id)).toBe(false);
});
