/** The faults of requests, answers and messages on a bad day, as settings of the emulator. */
import type { NetFaults } from '../kit/faults.ts';

/** Chances per request or message. */
export const BAD_DAY: NetFaults = {
  delayMs: [1, 20],
  requestLost: 0.005,
  answerLost: 0.005,
  executedUnknown: 0.005,
  failed: 0.005,
  htmlPage: 0.002,
  duplicate: 0.02,
  swapped: 0.02,
  messageLost: 0.002,
};
