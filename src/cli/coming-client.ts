/** A terminal's end of a line that is still being laid: what is asked of it waits until it stands. */
import type { DeskClient } from '../desk/console/protocol.ts';

/** When `coming` rejects, calls reject with it and no state comes; `onClosed` is not called: there was no line. */
export function comingClient(coming: Promise<DeskClient>): DeskClient {
  let client: DeskClient | null = null;
  let closed = false;
  const here = coming.then((laid) => {
    client = laid;
    if (closed) laid.close();
    return laid;
  });
  // Each call tells whoever made it; without one nobody is to be told here.
  here.catch(() => {});
  const whenHere = (run: (client: DeskClient) => void): void => {
    if (client) run(client);
    else void here.then(run, () => {});
  };
  return {
    call: (method, params) =>
      client ? client.call(method, params) : here.then((laid) => laid.call(method, params)),
    onState: (listener) => whenHere((laid) => laid.onState(listener)),
    onClosed: (listener) => whenHere((laid) => laid.onClosed(listener)),
    touched: () => client?.touched(),
    close() {
      closed = true;
      client?.close();
    },
  };
}
