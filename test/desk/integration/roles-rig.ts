/**
 * A real desk with an operator of every role, and terminals that connect as one of them or as the desk's
 * own.
 */
import { type FromDesk, type Method, PROTOCOL_VERSION } from '../../../src/desk/console/protocol.ts';
import { createSessionHub } from '../../../src/desk/console/session-hub.ts';
import { directLines } from '../../../src/desk/hosting/transports/direct.ts';
import { ROLES } from '../../../src/domain/operator.ts';
import { sshKey } from '../../support/ssh-key.ts';
import { ok, openTestDesk, type TestDesk } from './support.ts';

export async function openRoles(given?: TestDesk) {
  const t = given ?? (await openTestDesk({ hold: true }));
  const audit: string[] = [];
  const hub = createSessionHub({
    desk: t.desk,
    clock: t.clock,
    idleLockMs: 600_000,
    report: (doing, error) => audit.push(`${doing}: ${error}`),
    audit: (_level, text) => audit.push(text),
  });
  for (const role of ROLES) ok(await t.call('operators.set', { name: `a-${role}`, role, key: sshKey() }));
  const open = async (hello: object = {}, state = false) => {
    const ends = directLines();
    const got: FromDesk[] = [];
    ends.terminal.onMessage((message) => {
      got.push(message);
      if ('seq' in message) ends.terminal.send({ t: 'ack', seq: message.seq });
    });
    hub.accept(ends.desk);
    ends.terminal.send({ t: 'hello', protocol: PROTOCOL_VERSION, state, ...hello });
    await t.clock.settle();
    let id = 0;
    return {
      got,
      bye: () => got.find((message) => message.t === 'bye')?.reason ?? null,
      key: () => ends.terminal.send({ t: 'key' }),
      state: () => got.findLast((message) => message.t === 'snapshot')?.state,
      /** Returns the result, or the text of an error. */
      async call(method: Method, params: object = {}) {
        id += 1;
        const mine = id;
        ends.terminal.send({ t: 'call', id: mine, method, params });
        const answerOf = () => got.find((message) => 'id' in message && message.id === mine);
        // Meanwhile files are written and threads run.
        while (!answerOf() && !got.some((message) => message.t === 'bye')) await t.clock.settle();
        const answer = answerOf();
        if (answer?.t === 'error') return answer.message;
        return answer?.t === 'result' ? answer.value : undefined;
      },
    };
  };
  return { t, hub, open, audit };
}

export type RoleTerminal = Awaited<ReturnType<Awaited<ReturnType<typeof openRoles>>['open']>>;
