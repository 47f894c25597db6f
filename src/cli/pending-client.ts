/** A terminal's client whose connection to the desk is still being made: calls wait until it is there. */
import type { DeskClient } from '../desk/console/protocol.ts';

/** If `coming` rejects, so does every call; then no state comes, and `onClosed` is not called. */
export function pendingClient(coming: Promise<DeskClient>): DeskClient {
  let client: DeskClient | null = null;
  let closed = false;
  const here = coming.then((laid) => {
    client = laid;
    if (closed) laid.close();
    return laid;
  });
  // Each caller gets the error; if there is no call, nobody needs it here.
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
