/**
 * The parts of the schema of symbols and assets. A pattern for every reader of the documentation; what it cannot say (form
 * NFC, nothing invisible, UTF-16 code units) is the format's, which `domain/market-name.ts` judges. No logic.
 */

/** UTF-16 code units, as the length of a JavaScript string. */
export const MARKET_NAME_MAX = 64;
/** Read with the flag `u`, as JSON Schema says. */
export const MARKET_NAME_PATTERN = '^[\\p{L}\\p{N}._:-]+$';
export const MARKET_NAME_FORMAT = 'market-name';

/** Several in one text, separated by commas. */
export const MARKET_NAMES_MOST = 200;
export const MARKET_NAMES_MAX = MARKET_NAMES_MOST * (MARKET_NAME_MAX + 1) - 1;
export const MARKET_NAMES_PATTERN = '^[\\p{L}\\p{N}._:,-]+$';
export const MARKET_NAMES_FORMAT = 'market-names';
