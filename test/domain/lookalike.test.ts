/**
 * Letters outside A-Z are named with their script, and a name that only looks like a known one is matched to
 * it.
 */
import { describe, expect, it } from 'vitest';
import { closest } from '../../src/domain/did-you-mean.ts';
import { foreignLetters, notTraded, sameLooks } from '../../src/domain/lookalike.ts';

const KNOWN = ['BTCUSDT', 'ETHUSDT', '币安人生USDT', 'ΩΜΕΓΑUSDT', 'kPEPEUSDT'];

it.each([
  ['BTCUSDT', ''],
  ['币安人生USDT', '币安人生 (Han)'],
  ['ВTCUSDT', 'В (Cyrillic)'],
  ['ВΤCUSDT', 'В (Cyrillic), Τ (Greek)'],
  ['ααα', 'α (Greek)'],
  ['５ÉＢ', '５ (of another script), ÉＢ (Latin)'],
  ['… – ✓', ''],
])('%s has the foreign letters "%s"', (name, letters) => {
  expect(foreignLetters(name)).toBe(letters);
});

describe('a symbol that is not traded', () => {
  it.each([
    ['btc-usdt', 'BTCUSDT'],
    ['BTC/USDT', 'BTCUSDT'],
    ['ВТСUSDТ', 'BTCUSDT'],
    ['ＢＴＣＵＳＤＴ', 'BTCUSDT'],
    ['币安人生-usdt', '币安人生USDT'],
    ['ωμέγα', null],
    ['ωμεγα_usdt', 'ΩΜΕΓΑUSDT'],
    ['KPEPEUSDT', 'kPEPEUSDT'],
    ['', null],
    ['---', null],
    ['x'.repeat(65), null],
  ])('%j looks like %s', (name, known) => {
    expect(sameLooks(name, KNOWN)).toBe(known);
  });

  it.each([
    ['btc-usdt', 'symbol "btc-usdt" is not traded on x; did you mean BTCUSDT?'],
    ['ВTCUSDT', 'symbol "ВTCUSDT" is not traded on x: В (Cyrillic) is outside A-Z; did you mean BTCUSDT?'],
    ['币安人生USDC', 'symbol "币安人生USDC" is not traded on x; did you mean 币安人生USDT?'],
    ['人生USDT', 'symbol "人生USDT" is not traded on x: 人生 (Han) is outside A-Z; for example BTCUSDT'],
    ['\u202eX\u05d0', 'symbol "?X?" is not traded on x; for example BTCUSDT'],
  ])('%j: %s', (symbol, sentence) => {
    expect(notTraded(symbol, 'x', KNOWN)).toBe(sentence);
  });

  it('leads nowhere where nothing is traded', () => {
    expect(notTraded('BTCUSDT', 'x', [])).toBe('symbol "BTCUSDT" is not traded on x; for example none');
  });
});

it.each([
  ['币安人升USDT', '币安人生USDT'],
  ['ωμεγαusd', 'ΩΜΕΓΑUSDT'],
  ['ÉTÉUSDT'.normalize('NFD'), 'ÉTÉUSDT'],
  // A letter of two UTF-16 units counts as one edit.
  ['𠮷', '野'],
  ['人人人人', null],
])('what is meant by %s is told letter by letter: %s', (name, meant) => {
  expect(closest(name, ['币安人生USDT', 'ΩΜΕΓΑUSDT', 'ÉTÉUSDT', '野'])).toBe(meant);
});
