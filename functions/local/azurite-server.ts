/**
 * Azurite's blob service in a process of its own: Azure Blob Storage over memory, for tests and the
 * local run.
 *
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';

/** Options of {@link startAzurite}. */
export interface AzuriteOptions {
  /**
   * How many times faster than real time its clock runs, so that a lease of 15 seconds need not
   * take that long. Default 1.
   */
  readonly clockRate?: number;
}

/** A running server. */
export interface Azurite {
  /** `http://127.0.0.1:<port>`. */
  readonly endpoint: string;
  /** Stops the process and drops everything it holds. */
  close(): Promise<void>;
}

/** The account that every Azurite knows. Its key is public and protects nothing. */
export const azuriteAccount = {
  name: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
};

const require = createRequire(import.meta.url);

/** Starts an empty Azurite on a free port of 127.0.0.1. It ends with this process at the latest. */
export async function startAzurite({ clockRate = 1 }: AzuriteOptions = {}): Promise<Azurite> {
  const main = require.resolve('azurite/dist/src/blob/main.js');
  const service = spawn(
    process.execPath,
    [
      '--import',
      moduleOf(endWithParent),
      ...(clockRate === 1 ? [] : ['--import', moduleOf(fastClock(clockRate))]),
      main,
      '--inMemoryPersistence',
      // An SDK may be newer than the newest version of the API that Azurite knows by name.
      '--skipApiVersionCheck',
      '--disableTelemetry',
      '--silent',
      '--blobHost',
      '127.0.0.1',
      '--blobPort',
      '0',
    ],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  );
  const exited = once(service, 'exit');
  const stopWithUs = (): boolean => service.kill('SIGKILL');
  process.once('exit', stopWithUs);
  return {
    endpoint: await addressOf(service),
    close: async () => {
      service.kill('SIGKILL');
      await exited;
      process.removeListener('exit', stopWithUs);
    },
  };
}

/** Where the service listens, as it says itself. */
function addressOf(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const onOutput = (chunk: Buffer): void => {
      said += chunk.toString();
      const address = /successfully listens on (http:\S+)/.exec(said)?.[1];
      if (address !== undefined) {
        resolve(address);
      }
    };
    service.stdout?.on('data', onOutput);
    service.stderr?.on('data', onOutput);
    service.once('error', reject);
    service.once('exit', (code) => {
      reject(new Error(`azurite exited with ${code}: ${said}`));
    });
  });
}

/**
 * A module that makes the wall clock of its process run fast. Azurite judges leases, and stamps
 * entity tags and dates, by `Date` alone.
 */
function fastClock(rate: number): string {
  return `
    const RealDate = Date;
    const start = RealDate.now();
    const now = () => Math.floor(start + (RealDate.now() - start) * ${rate});
    globalThis.Date = class Date extends RealDate {
      constructor(...parts) {
        super(...(parts.length > 0 ? parts : [now()]));
      }
      static now() {
        return now();
      }
    };`;
}

/** Also if the parent is killed: then nobody is left who could stop the service. */
const endWithParent = `process.once('disconnect', () => process.exit());`;

function moduleOf(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
