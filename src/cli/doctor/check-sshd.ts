/** The doctor's check of the operators' login: if there are operators, it needs an sshd. */
import { type Check, fail, fine, warn } from './finding.ts';

const PORT = 22;

export const checkSshd: Check = async ({ world, desk, store }) => {
  const operators = desk.operators ?? (store.state === 'there' ? (store.facts?.operators ?? 0) : 0);
  if (operators === 0) return [fine('sshd', 'not needed: there are no operators')];
  const who = operators === 1 ? '1 operator' : `${operators} operators`;
  const sshd = world.program('sshd');
  if (sshd === null)
    return [
      fail(
        'sshd',
        `there is no sshd on this machine: ${who} cannot log in`,
        'install OpenSSH’s server, such as with apt-get install openssh-server',
      ),
    ];
  if (await world.answers('127.0.0.1', PORT)) return [fine('sshd', `${sshd}, for ${who}`)];
  return [
    warn(
      'sshd',
      `${sshd} is there, and nothing answers at port ${PORT} of this machine, for ${who}`,
      'start it, such as with systemctl start ssh, unless it listens elsewhere',
    ),
  ];
};
