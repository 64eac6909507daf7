/**
 * The local run behind `npm start`.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CustomerListError, parseCustomers, type Customer } from '../billing/customers.ts';
import { messageOf } from '../message-of.ts';
import { helpText, parseOptions, UsageError, type RunOptions } from './options.ts';
import { introductionTo } from './introduction.ts';
import { closingTable, isSuccess } from './report.ts';
import { playRun } from './run.ts';

// The bundle lies as deep below the root as this file does.
const ownCustomers = fileURLToPath(
  new URL('../../functions/billing/customers.csv', import.meta.url),
);

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}
// Whoever reads may have seen enough, as `head` has: then there is nobody left to tell.
const outputClosed = new Error('nobody reads the output');
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  stop.abort(error.code === 'EPIPE' ? outputClosed : error);
});
process.stderr.on('error', () => {});

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(args, new Date());
    if (options === 'help') {
      print(helpText);
      return 0;
    }
    const customersFile = options.customersFile ?? ownCustomers;
    const customers = await readCustomers(customersFile);
    return await run(options, customersFile, customers);
  } catch (error) {
    if (error === outputClosed) {
      return 1;
    }
    process.stderr.write(`${messageOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function run(
  options: RunOptions,
  customersFile: string,
  customers: readonly Customer[],
): Promise<number> {
  print(introductionTo(options, customers.length));
  const report = await playRun({ options, customers, customersFile, print, signal: stop.signal });
  print(`\n${closingTable(report)}`);
  if (options.json) {
    print(JSON.stringify(report));
  }
  return isSuccess(report) ? 0 : 1;
}

async function readCustomers(file: string): Promise<readonly Customer[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    const why = messageOf(cause);
    throw new UsageError(`--customers: cannot read "${file}": ${why}`, { cause });
  }
  try {
    return parseCustomers(text);
  } catch (cause) {
    if (cause instanceof CustomerListError) {
      throw new UsageError(`${file}, ${cause.message}; nobody was charged`, { cause });
    }
    throw cause;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
