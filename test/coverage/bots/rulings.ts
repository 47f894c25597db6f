/**
 * Rulings of the document of the strategies that have no item: they were made after the strategies had been written, and get
 * one (`bot ruling R1`) with the work that follows them.
 */
export const LATER_RULINGS: readonly string[] = [
  'R1',
  'R2',
  'R3',
  'R4',
  'R5',
  'R6',
  'R7',
  'R8',
  'R9',
  'R10',
  'R11',
  'R12',
  'R13',
];
