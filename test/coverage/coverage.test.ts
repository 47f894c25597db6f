/**
 * Every point of the documented contracts is proved by a test, and the documents say by which
 * (`docs/api-coverage.md`, `docs/bot-coverage.md`).
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { doubledIds, renderDocument, staleWords, unknownIds, unproven } from './document.ts';
import { allProofs, DOCUMENTS, inRepository } from './documents.ts';

const { proofs, problems } = allProofs();

describe('the markers of the tests', () => {
  it('stand right above a test or group with a title', () => {
    expect(problems).toEqual([]);
  });

  it('name items that a document has, each of which is there once', () => {
    expect(unknownIds(DOCUMENTS, proofs)).toEqual([]);
    expect(doubledIds(DOCUMENTS)).toEqual([]);
  });
});

describe.each(DOCUMENTS)('$path', (document) => {
  it('has a proof for every item', () => {
    expect(unproven(document, proofs)).toEqual([]);
  });

  it('is what the items and the markers make it', () => {
    const file = inRepository(document.path);
    const stands = existsSync(file) ? readFileSync(file, 'utf8') : '';
    expect(stands === renderDocument(document, proofs), staleWords(document.path)).toBe(true);
  });
});
