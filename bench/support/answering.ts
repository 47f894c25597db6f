/** The other end of `Helper`: answers commands in the order in which they come. */

export type Commands = Readonly<Record<string, (params: never) => unknown>>;

export function answerCommands(commands: Commands): void {
  process.on('message', async (message: { command: string; params: unknown }) => {
    try {
      const run = commands[message.command] as ((params: unknown) => unknown) | undefined;
      if (!run) throw new Error(`there is no command ${message.command}`);
      process.send?.({ value: (await run(message.params)) ?? null });
    } catch (error) {
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  // The parent process is gone.
  process.on('disconnect', () => process.exit());
}

/** CPU time of this process so far. On a busy machine it is more reliable than the clock. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
