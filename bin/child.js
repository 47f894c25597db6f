/**
 * Where the launcher's child begins: the program, tied to the launcher's life. Whoever kills the launcher the hard way
 * means the program; without this it would run on unseen and hold the data folder.
 */
if (process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel.unref();
}
await import(new URL('../dist/main.js', import.meta.url).href);
