/**
 * `npm run bundle`: makes one zip per cloud, and checks what is in it.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { parseCustomers, type Customer } from '../billing/customers.ts';
import { messageOf } from '../message-of.ts';
import { makePackage } from './make-package.ts';
import { problemsOf, tableOf, type PackageReport } from './report.ts';
import { targets } from './targets.ts';

const helpText = `Bundles the billing function, one zip per cloud: aws.zip and azure.zip.

Usage: npm run bundle -- [options]

  --customers FILE  CSV with the columns id,name,plan,amount,currency; amounts in minor
                    units, such as cents. Default: the 24 customers of the example
  --out DIR         where to. Default: dist-functions
  --cold-start      also measure how long a fresh process takes to load each package,
                    beside the bare SDK client
  --json            print one JSON object instead of the table
  --help            print this

Fails if a package loads, compressed, over 40 KiB more at start than the bare SDK client of
its cloud, or anything of the other cloud's SDK.
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const options = parsedOptions();
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n\n${helpText}`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(helpText);
    return 0;
  }
  const customers = await readCustomers(options.customers);
  if (typeof customers === 'string') {
    process.stderr.write(`${customers}\n`);
    return 2;
  }
  const reports = await makeAll(options, customers);
  if (typeof reports === 'string') {
    process.stderr.write(`${reports}\n`);
    return 1;
  }
  const problems = reports.flatMap(problemsOf);
  process.stdout.write(
    options.json ? `${JSON.stringify({ packages: reports, problems })}\n` : tableOf(reports),
  );
  for (const problem of problems) {
    process.stderr.write(`${problem}\n`);
  }
  return problems.length > 0 ? 1 : 0;
}

/** What was made, or why it could not be. */
async function makeAll(
  { out, 'cold-start': measuresColdStart }: Options,
  customers: readonly Customer[],
): Promise<readonly PackageReport[] | string> {
  const version = process.env['npm_package_version'] ?? 'unknown';
  const reports: PackageReport[] = [];
  try {
    for (const target of targets) {
      reports.push(await makePackage(target, { customers, version, out, measuresColdStart }));
    }
    return reports;
  } catch (error) {
    return messageOf(error);
  }
}

interface Options {
  readonly customers: string;
  readonly out: string;
  readonly 'cold-start': boolean;
  readonly json: boolean;
  readonly help: boolean;
}

/** The options, or what is wrong with them. */
function parsedOptions(): Options | string {
  try {
    return parseArgs({
      options: {
        customers: { type: 'string', default: 'functions/billing/customers.csv' },
        out: { type: 'string', default: 'dist-functions' },
        'cold-start': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return messageOf(error);
  }
}

/** The customers, or why there are none: nobody is charged from a part of a list. */
async function readCustomers(file: string): Promise<readonly Customer[] | string> {
  try {
    return parseCustomers(await readFile(file, 'utf8'));
  } catch (error) {
    return `${file}: ${messageOf(error)}`;
  }
}
