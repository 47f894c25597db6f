/** A desk in a helper process, ready for signed requests: a held feed with prices, one key. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeskInfo, DeskState, Method, Params, Result } from '../../src/desk/console/protocol.ts';
import type { DeskOptions } from '../../src/desk/running.ts';
import { ROOMY_STREAM_LIMITS } from '../../test/support/roomy-limits.ts';
import { Helper, temporaryFolder } from './children.ts';
import type { BenchKey } from './signed-requests.ts';

export class BenchDesk {
  readonly #helper: Helper;
  readonly dataDir: string;
  port = 0;
  key: BenchKey = { id: '', pem: '' };

  constructor(dataDir: string, execArgv: readonly string[]) {
    this.dataDir = dataDir;
    this.#helper = new Helper(new URL('./desk-helper.ts', import.meta.url), execArgv);
  }

  /** Opens the desk. `execArgv`: Node options such as `--cpu-prof`, from OUTCRY_BENCH_NODE. */
  static async open(
    options: Pick<DeskOptions, 'host' | 'limits'> = { limits: ROOMY_STREAM_LIMITS },
  ): Promise<BenchDesk> {
    const execArgv = (process.env.OUTCRY_BENCH_NODE ?? '').split(' ').filter(Boolean);
    const desk = new BenchDesk(join(temporaryFolder(), 'data'), execArgv);
    const { info } = await desk.ask<{ info: DeskInfo }>('open', {
      dataDir: desk.dataDir,
      port: 0,
      hold: true,
      ...options,
    });
    desk.port = Number(new URL(info.apiUrl).port);
    await desk.call('feed.control', { action: 'step' });
    const made = await desk.call('keys.generate', { label: 'bench', tier: 'trade' });
    if (!made.ok) throw new Error(made.error.message);
    desk.key = { id: made.data.key.id, pem: readFileSync(made.data.path, 'utf8') };
    return desk;
  }

  ask<T>(command: string, params?: unknown): Promise<T> {
    return this.#helper.ask<T>(command, params);
  }

  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    return this.ask<Result<M>>('call', { method, params });
  }

  state(): Promise<DeskState> {
    return this.ask<DeskState>('state');
  }

  async close(): Promise<void> {
    await this.ask('close');
    await this.#helper.end();
  }
}
