/**
 * Leverage brackets of `GET /fapi/v1/leverageBracket`. The answer is a list, or an object when one symbol was
 * asked for (documents and clients disagree, so both are read). Its figures are JSON numbers. Pure.
 */
import { type Static, Type } from 'typebox';
import { dec, str } from '../../domain/decimal.ts';
import { isMarketName } from '../../domain/market-name.ts';
import type { LeverageBracket } from '../../domain/position.ts';
import { INSTRUMENT_LIST } from '../kit/bounds.ts';
import { type Message, messageReader } from '../kit/messages.ts';

/** From 1e-6 up to, but not including, 1e21 JavaScript writes a number as a plain decimal. */
const AMOUNT = Type.Number({ minimum: 0, exclusiveMaximum: 1e21 });
const BRACKETS = Type.Object({
  symbol: Type.String(),
  brackets: Type.Array(
    Type.Object({
      initialLeverage: Type.Integer({ minimum: 1, maximum: 1_000 }),
      notionalFloor: AMOUNT,
      notionalCap: AMOUNT,
      maintMarginRatio: Type.Number({ minimum: 0, maximum: 1 }),
      cum: AMOUNT,
    }),
    { minItems: 1, maxItems: 100 },
  ),
});

const readAnswer = messageReader(Type.Union([Type.Array(BRACKETS), BRACKETS]), INSTRUMENT_LIST);

/**
 * Reads the brackets of each symbol, the lowest notional first. A symbol whose figures are not plain decimals
 * is left out.
 */
export function readBrackets(text: string): Message<ReadonlyMap<string, readonly LeverageBracket[]>> {
  const answer = readAnswer(text);
  if (!answer.ok) return answer;
  const brackets = new Map<string, readonly LeverageBracket[]>();
  for (const row of Array.isArray(answer.value) ? answer.value : [answer.value]) {
    const list = bracketsOf(row);
    if (list && isMarketName(row.symbol)) brackets.set(row.symbol, list);
  }
  return { ok: true, value: brackets };
}

function bracketsOf({ brackets }: Static<typeof BRACKETS>): readonly LeverageBracket[] | null {
  const list: LeverageBracket[] = [];
  for (const { initialLeverage, notionalFloor, notionalCap, maintMarginRatio, cum } of brackets) {
    const texts = [notionalFloor, notionalCap, maintMarginRatio, cum].map(String);
    if (texts.some((text) => text.includes('e'))) return null;
    const [floor = '', cap = '', rate = '', cumulative = ''] = texts.map((text) => str(dec(text)));
    list.push({
      initialLeverage,
      notionalFloor: floor,
      notionalCap: cap,
      maintenanceMarginRate: rate,
      cumulative,
    });
  }
  return list.sort((a, b) => Number(a.notionalFloor) - Number(b.notionalFloor));
}
