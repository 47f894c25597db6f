/** Runs a command line; returns the exit code: 0 success, 1 failure, 2 usage. Loads commands when needed. */
import { VERSION } from '../desk/version.ts';
import { assertNever, errorText } from '../domain/errors.ts';
import { type CommandLine, commandGroups, commandTable, parseCommandLine } from './command-line.ts';
import { completionsFor } from './completions/completions.ts';
import { shown } from './shown.ts';
import { EXIT_FAILURE, EXIT_OK } from './usage-error.ts';

/** Runs the program. `args`: what follows the program's name. Never rejects. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    return await runCommand(parseCommandLine(args, VERSION));
  } catch (error) {
    process.stderr.write(`outcry: ${shown(errorText(error))}\n`);
    return error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number'
      ? error.exitCode
      : EXIT_FAILURE;
  }
}

async function runCommand(line: CommandLine): Promise<number> {
  switch (line.command) {
    case 'print':
      process.stdout.write(line.text);
      return EXIT_OK;
    case 'console': {
      const { consoleCommand } = await import('./console.ts');
      return await consoleCommand(line.settings);
    }
    case 'serve': {
      const { serve } = await import('./serve.ts');
      return await serve(line.settings);
    }
    case 'ping': {
      const { ping } = await import('./ping.ts');
      return await ping(line.settings);
    }
    case 'backtest': {
      const { backtest } = await import('./backtest.ts');
      return await backtest(line.settings);
    }
    case 'keys add': {
      const { keysAdd } = await import('./keys.ts');
      return await keysAdd(line.settings);
    }
    case 'keys list': {
      const { keysList } = await import('./keys.ts');
      return await keysList(line.settings);
    }
    case 'keys revoke': {
      const { keysRevoke } = await import('./keys.ts');
      return await keysRevoke(line.settings);
    }
    case 'vault init': {
      const { vaultInit } = await import('./vault.ts');
      return await vaultInit(line.settings);
    }
    case 'vault unlock': {
      const { vaultUnlock } = await import('./vault.ts');
      return await vaultUnlock(line.settings);
    }
    case 'vault lock': {
      const { vaultLock } = await import('./vault.ts');
      return await vaultLock(line.settings);
    }
    case 'vault change': {
      const { vaultChange } = await import('./vault.ts');
      return await vaultChange(line.settings);
    }
    case 'vault forget': {
      const { vaultForget } = await import('./vault.ts');
      return await vaultForget(line.settings);
    }
    case 'connect': {
      const { connect } = await import('./connect.ts');
      return await connect(line.settings);
    }
    case 'disconnect': {
      const { disconnect } = await import('./connect.ts');
      return await disconnect(line.settings);
    }
    case 'attach': {
      const { attach } = await import('./attach.ts');
      return await attach(line.settings);
    }
    case 'ssh add': {
      const { sshAdd } = await import('./ssh.ts');
      return await sshAdd(line.settings);
    }
    case 'ssh remove': {
      const { sshRemove } = await import('./ssh.ts');
      return await sshRemove(line.settings);
    }
    case 'ssh list': {
      const { sshList } = await import('./ssh.ts');
      return await sshList(line.settings);
    }
    case 'ssh line': {
      const { sshLine } = await import('./ssh.ts');
      return await sshLine(line.settings);
    }
    case 'ssh sessions': {
      const { sshSessions } = await import('./ssh.ts');
      return await sshSessions(line.settings);
    }
    case 'ssh kick': {
      const { sshKick } = await import('./ssh.ts');
      return await sshKick(line.settings);
    }
    case 'pnl': {
      const { pnl } = await import('./pnl.ts');
      return await pnl(line.settings);
    }
    case 'ssh fingerprint': {
      const { sshFingerprint } = await import('./ssh-host.ts');
      return await sshFingerprint(line.settings);
    }
    case 'ssh rotate-host-key': {
      const { sshRotateHostKey } = await import('./ssh-host.ts');
      return await sshRotateHostKey(line.settings);
    }
    case 'ssh check': {
      const { sshCheck } = await import('./ssh-host.ts');
      return await sshCheck(line.settings);
    }
    case 'panic': {
      const { panic } = await import('./panic.ts');
      return await panic(line.settings);
    }
    case 'status': {
      const { status } = await import('./status.ts');
      return await status(line.settings);
    }
    case 'orders': {
      const { orders } = await import('./listings.ts');
      return await orders(line.settings);
    }
    case 'positions': {
      const { positions } = await import('./listings.ts');
      return await positions(line.settings);
    }
    case 'cancel-all': {
      const { cancelAll } = await import('./cancel-all.ts');
      return await cancelAll(line.settings);
    }
    case 'logs': {
      const { logs } = await import('./logs.ts');
      return await logs(line.settings);
    }
    case 'stop': {
      const { stop } = await import('./stop.ts');
      return await stop(line.settings);
    }
    case 'doctor': {
      const { doctor } = await import('./doctor/doctor.ts');
      return await doctor(line.settings);
    }
    case 'completions':
      process.stdout.write(
        completionsFor(line.settings.which, { commands: commandTable(), groups: commandGroups() }),
      );
      return EXIT_OK;
    default:
      return assertNever(line);
  }
}
