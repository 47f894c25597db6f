/** Consoles that a test opens; they are closed after it. */
import { afterEach } from 'vitest';
import { FakeDesk } from './fake-desk.ts';
import { openRig, type Rig, type RigOptions } from './rig.tsx';

/** Called once per test file, outside of tests. `usual`: the desk of a test that names none. */
export function rigPerTest(
  usual: () => FakeDesk = () => new FakeDesk(),
): (desk?: FakeDesk, options?: RigOptions) => Promise<Rig> {
  const open: Rig[] = [];
  afterEach(async () => {
    for (const rig of open.splice(0)) await rig.close();
  });
  return async (desk = usual(), options = {}) => {
    const rig = await openRig(desk, options);
    open.push(rig);
    return rig;
  };
}
