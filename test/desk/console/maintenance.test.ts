/** The maintenance switch: which notes are allowed, what everybody is told, what the log contains. */
import { describe, expect, it } from 'vitest';
import { setMaintenance } from '../../../src/desk/console/maintenance.ts';
import type { DeskCore } from '../../../src/desk/core/desk-core.ts';

function desk(maintenance: string | null = null) {
  const [said, marks]: [string[], string[]] = [[], []];
  const core = {
    maintenance,
    report: (_level: string, _source: string, text: string) => said.push(text),
    mark: ({ kind }: { kind: string }) => marks.push(kind),
  };
  const set = (on: boolean, message?: string) =>
    setMaintenance(core as unknown as DeskCore, { on, ...(message === undefined ? {} : { message }) });
  return { core, said, marks, set };
}

describe('the sentence', () => {
  it('may have 200 characters and no more, spaces around it aside', () => {
    const { core, set } = desk();
    expect(set(true, 'x'.repeat(201))).toMatchObject({ ok: false, error: { code: 'INVALID_REQUEST' } });
    expect(core.maintenance).toBeNull();
    expect(set(true, ` ${'x'.repeat(200)} `).ok).toBe(true);
    expect(core.maintenance).toBe(`under maintenance: ${'x'.repeat(200)}`);
  });

  it.each(['\u0007', '\u202e', '\u2028', '\ue000', '\ud800', 'a\nb'])('has no %j', (text) => {
    const { core, said, set } = desk('under maintenance: before');
    expect(set(true, `back ${text} soon`).ok).toBe(false);
    expect([core.maintenance, said]).toEqual(['under maintenance: before', []]);
  });

  it('is a general one where nothing is said', () => {
    for (const message of [undefined, '', '  ']) {
      const { set } = desk();
      const maintenance = 'the service is under maintenance; try again later';
      expect(set(true, message)).toEqual({ ok: true, data: { maintenance } });
    }
  });
});

it('each change is told once and logged, the same again is none', () => {
  const { core, said, marks, set } = desk();
  for (const [on, message] of [
    [false, undefined],
    [true, 'soon'],
    [true, 'soon'],
    [true, 'later'],
    [false, 'over'],
    [false, undefined],
  ] as const)
    set(on, message);
  expect(said).toEqual([
    'maintenance on: the API answers 503, "under maintenance: soon"',
    'maintenance on: the API answers 503, "under maintenance: later"',
    'maintenance off: the API serves',
  ]);
  expect(marks).toEqual(['maintenance', 'maintenance', 'maintenance']);
  expect(core.maintenance).toBeNull();
});
