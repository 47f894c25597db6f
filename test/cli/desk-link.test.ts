/** The connection to a desk that is still opening, because another start came a moment earlier. */
import { expect, it } from 'vitest';
import { type DeskLink, openingLink } from '../../src/cli/desk-link.ts';
import type { DeskClient } from '../../src/desk/console/protocol.ts';

function linkTo(hosting: boolean) {
  const coming = Promise.withResolvers<DeskLink>();
  const done: string[] = [];
  const link = openingLink(coming.promise);
  const client = { close: () => void done.push('line closed') } as unknown as DeskClient;
  const open = () =>
    coming.resolve({
      hosting,
      opened: Promise.resolve(),
      connect: async () => client,
      stop: async () => void done.push('desk stopped'),
      ended: new Promise(() => {}),
    });
  return { link, client, open, done };
}

it.each([
  [true, 'desk stopped'],
  [false, 'line closed'],
])(
  'a stop that was asked for before it is open means the desk of this process only (its own: %s)',
  async (own, what) => {
    const { link, client, open, done } = linkTo(own);
    expect(link.hosting).toBe(true);
    const stopped = link.stop(client, 'given up');
    open();
    await stopped;
    expect(done).toEqual([what]);
    expect(link.hosting).toBe(own);
  },
);

it('a stop of the desk that it turned out to be stops that', async () => {
  const { link, client, open, done } = linkTo(false);
  open();
  await link.opened;
  await link.stop(client, 'stopped at the terminal');
  expect(done).toEqual(['desk stopped']);
});
