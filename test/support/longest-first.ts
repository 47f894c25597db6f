/**
 * The order of test files. In a fresh clone their durations are unknown, and vitest starts the largest files
 * first: the long searches, whose files are small, would run last, one of them alone. They are started first,
 * so that both workers end together.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files, and folders of files, that take ten seconds of processor time or more; the longest first. */
const LONGEST = [
  'test/simulation/',
  'test/console/app/fuzz.test.ts',
  'test/differential/',
  'test/venues/futures-properties.test.ts',
  'test/venues/paper-properties.test.ts',
  'test/desk/integration/bots-replay.test.ts',
  'test/storage/',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || rankOf(a) - rankOf(b));
  }
}

function groupOf(file: TestSpecification): number {
  return file.project.config.sequence.groupOrder;
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((path) => moduleId.replaceAll('\\', '/').includes(`/${path}`));
  return rank < 0 ? LONGEST.length : rank;
}
