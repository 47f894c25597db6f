/**
 * The rule for data beside the checkout: it is read where it exists; where it is missing, the test prints one
 * line and passes, and fails in CI.
 */
import { expect, it } from 'vitest';
import { onMissing, readShared, sharedData, withShared } from './shared-data.ts';

it('gives null for what is missing', () => {
  expect(sharedData('no/such/file')).toBeNull();
  expect(readShared('no/such/file')).toBeNull();
});

it('skips with one line at home and fails in CI', () => {
  expect(onMissing('a.json', 12, undefined)).toEqual({ fail: false, line: '12 cases need shared/data' });
  expect(onMissing('a.json', 1, '')).toEqual({ fail: false, line: '1 cases need shared/data' });
  expect(onMissing('a.json', 12, 'true').fail).toBe(true);
});

it(
  'hands the text to the test',
  withShared('README.md', 1, (text) => expect(text).not.toBe('')),
);
