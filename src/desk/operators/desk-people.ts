/** Who may use the terminals of a desk: its operators, and the PIN of the local ones. */
import { DeskOperators, type DeskOperatorsGiven } from './desk-operators.ts';
import { DeskPin, type DeskPinGiven } from './desk-pin.ts';

export interface DeskPeople {
  readonly operators: DeskOperators;
  readonly pin: DeskPin;
}

export function openPeople(given: DeskOperatorsGiven & DeskPinGiven): DeskPeople {
  return { operators: new DeskOperators(given), pin: new DeskPin(given) };
}
