/** Writes the coverage documents from the markers in the tests: `node test/coverage/write.ts`. */
import { writeFileSync } from 'node:fs';
import { renderDocument } from './document.ts';
import { allProofs, DOCUMENTS, inRepository } from './documents.ts';

const { proofs, problems } = allProofs();
for (const problem of problems) process.stderr.write(`${problem}\n`);
for (const document of DOCUMENTS) {
  writeFileSync(inRepository(document.path), renderDocument(document, proofs));
  process.stdout.write(`${document.path}\n`);
}
process.exitCode = problems.length > 0 ? 1 : 0;
