/** The coverage documents, and the source of their proofs: markers in test files, and scenarios. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SCENARIO_PROOFS } from '../scenarios/proofs.ts';
import { API_ITEMS } from './api-items.ts';
import { STRATEGY_DOCUMENT_ITEMS } from './bot-items.ts';
import type { CoverageDocument } from './document.ts';
import { type Scan, scanFiles, type TestFile } from './scan.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const DOCUMENTS: readonly CoverageDocument[] = [
  {
    path: 'docs/api-coverage.md',
    title: 'The API, point by point, and the tests that prove it',
    intro:
      'Each row is a point of the API’s specification or of what was decided where it is silent. The tests named beside it fail when that point does not hold; they carry a comment `// proves:` with the item.',
    items: API_ITEMS,
  },
  {
    path: 'docs/bot-coverage.md',
    title: 'The bots, rule by rule, and the tests that prove it',
    intro:
      'Each row is a field or a rule of the bots: of the strategies, of what they share, of the market they see. The tests named beside it fail when that rule does not hold; they carry a comment `// proves:` with the item. A file of `fixtures/scenarios` stands for its scenario, which is played on the backtest’s exchange and on a whole desk.',
    items: STRATEGY_DOCUMENT_ITEMS,
  },
];

const SCENARIOS = 'test/fixtures/scenarios';

/** All proofs that tests and scenarios claim; a scenario that is named but missing is a problem. */
export function allProofs(): Scan {
  const { proofs, problems } = scanFiles(testFiles());
  const played = scenarioProofs();
  return { proofs: [...proofs, ...played.proofs], problems: [...problems, ...played.problems] };
}

function scenarioProofs(): Scan {
  const problems: string[] = [];
  const proofs = Object.entries(SCENARIO_PROOFS).flatMap(([name, scenarios]) => {
    const file = `${SCENARIOS}/${name}`;
    const given: { scenarios: { name: string }[] } = JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
    return Object.entries(scenarios).flatMap(([scenario, ids]) => {
      const at = given.scenarios.findIndex((one) => one.name === scenario);
      if (at < 0) problems.push(`${file}: there is no scenario ${scenario}`);
      return ids.map((id) => ({ file, titles: [scenario], line: at + 1, id }));
    });
  });
  return { proofs, problems };
}

/** Every test of the repository, in a fixed order. */
export function testFiles(): TestFile[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => `test/${path.split(sep).join('/')}`)
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** The absolute path of a file of the repository. */
export function inRepository(path: string): string {
  return join(ROOT, path);
}
