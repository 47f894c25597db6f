/**
 * Prices of a split as a person writes them: a list (`61000 61200`) or `from..to n`. Exact decimals. Pure.
 */
import { dec, decOfInt, div, floorTo, roundTo, str, ZERO } from '../../domain/decimal.ts';

const MAX_PARTS = 50;

export function parseSplitPrices(
  text: string,
  tickSize: string | undefined,
): { prices: readonly string[]; problem: string | null } {
  const trimmed = text.trim();
  if (trimmed === '') return { prices: [], problem: null };
  const ladder = /^(\d+(?:\.\d+)?)\s*\.\.\s*(\d+(?:\.\d+)?)\s+(\d{1,3})$/.exec(trimmed);
  if (ladder) return ladderPrices(ladder[1] ?? '', ladder[2] ?? '', Number(ladder[3]), tickSize);
  if (trimmed.includes('..')) return bad('write from..to and how many, e.g. 61000..62000 5');
  const prices = trimmed.split(/[\s,;]+/).filter(Boolean);
  const wrong = prices.find((price) => !/^(0|[1-9]\d{0,19})(\.\d{1,20})?$/.test(price));
  if (wrong !== undefined) return bad(`"${wrong}" is not a price`);
  return counted(prices);
}

function ladderPrices(from: string, to: string, count: number, tickSize: string | undefined) {
  if (count < 2 || count > MAX_PARTS) return bad(`2 to ${MAX_PARTS} parts`);
  let low: bigint;
  let high: bigint;
  let tick: bigint;
  try {
    low = dec(from);
    high = dec(to);
    tick = dec(tickSize ?? '0');
  } catch {
    return bad('not a price');
  }
  const prices: string[] = [];
  for (let part = 0; part < count; part++) {
    const raw = low + div((high - low) * BigInt(part), decOfInt(count - 1));
    prices.push(str(tick > ZERO ? roundTo(raw, tick) : floorTo(raw, dec('0.00000001'))));
  }
  return counted(prices);
}

function counted(prices: readonly string[]): { prices: readonly string[]; problem: string | null } {
  if (prices.length < 2) return { prices, problem: 'at least 2 prices' };
  if (prices.length > MAX_PARTS) return { prices: [], problem: `at most ${MAX_PARTS} prices` };
  return { prices, problem: null };
}

function bad(problem: string): { prices: readonly string[]; problem: string } {
  return { prices: [], problem };
}
