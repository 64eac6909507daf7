import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How often each is measured; each in a fresh process, in turns, so that a slow moment hits both. */
const rounds = 11;

/**
 * How long fresh processes take to import modules, in milliseconds; medians.
 *
 * @param modules - Paths of modules by name.
 */
export async function coldStarts<Name extends string>(
  modules: Readonly<Record<Name, string>>,
  environment: Readonly<Record<string, string>>,
): Promise<Readonly<Record<Name, number>>> {
  const times = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, path] of Object.entries<string>(modules)) {
      const ms = await importMs(path, environment);
      // The first round warms the disk's cache.
      times.set(name, round === 0 ? [] : [...(times.get(name) ?? []), ms]);
    }
  }
  const medians = [...times].map(([name, ms]) => [name, median(ms)] as const);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those given
  return Object.fromEntries(medians) as Record<Name, number>;
}

async function importMs(
  path: string,
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const script = `const t=performance.now();await import(${JSON.stringify(path)});console.log('ms='+(performance.now()-t));process.exit(0)`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...environment, PATH: process.env['PATH'] },
  });
  return Number(/^ms=(.+)$/m.exec(stdout)?.[1]);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
