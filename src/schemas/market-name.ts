/**
 * The parts of the schema of symbols and assets. The pattern is for every reader of the documentation; what
 * it cannot express (form NFC, no invisible characters, UTF-16 code units) is checked by the format, in
 * `domain/market-name.ts`. No logic.
 */

/** Maximum length in UTF-16 code units, as the length of a JavaScript string. */
export const MARKET_NAME_MAX = 64;
/** Used with the flag `u`, as JSON Schema requires. */
export const MARKET_NAME_PATTERN = '^[\\p{L}\\p{N}._:-]+$';
export const MARKET_NAME_FORMAT = 'market-name';

/** Maximum number of names in one text, separated by commas. */
export const MARKET_NAMES_MOST = 200;
export const MARKET_NAMES_MAX = MARKET_NAMES_MOST * (MARKET_NAME_MAX + 1) - 1;
export const MARKET_NAMES_PATTERN = '^[\\p{L}\\p{N}._:,-]+$';
export const MARKET_NAMES_FORMAT = 'market-names';
