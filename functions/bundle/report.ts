import type { Target } from './targets.ts';

/** Size of what is loaded, in bytes. */
export interface Size {
  readonly minified: number;
  /** As it travels in the package. */
  readonly compressed: number;
}

/** What is told of one package. */
export interface PackageReport {
  readonly target: Target['name'];
  readonly zip: string;
  readonly zipBytes: number;
  /** What the entry loads before it can answer. */
  readonly atStart: Size;
  /** What the bare SDK client of this cloud loads. */
  readonly bare: Size;
  /** What is loaded only when it is needed. */
  readonly later: Size;
  /** A module of the other cloud's SDK that is loaded at start; there must be none. */
  readonly foreign: string | undefined;
  /** Time that a fresh process takes to load the package, as a multiple of the bare SDK client's. */
  readonly coldStartRatio?: number;
}

/**
 * What everything of this project may add to the SDK, in compressed bytes: composition, handler, jobs,
 * election, store, fence and ledger.
 */
const allowanceBytes: number = 40 * 1_024;

/** What is wrong with a package. */
export function problemsOf({ target, atStart, bare, foreign }: PackageReport): readonly string[] {
  const over = atStart.compressed - bare.compressed;
  return [
    ...(over > allowanceBytes
      ? [
          `${target}: ${kib(over)} KiB more than the bare SDK client, allowed are ${kib(allowanceBytes)}`,
        ]
      : []),
    ...(foreign === undefined ? [] : [`${target}: loads ${foreign} at start`]),
  ];
}

/** The reports as a table for people. */
export function tableOf(reports: readonly PackageReport[]): string {
  const measured = reports.some(({ coldStartRatio }) => coldStartRatio !== undefined);
  const header = [
    'KiB minified (compressed)',
    'at start',
    'bare SDK client',
    'more than bare',
    'later',
    'zip',
    ...(measured ? ['load / bare'] : []),
  ];
  const lines = reports.map(({ target, atStart, bare, later, zipBytes, coldStartRatio }) => [
    target,
    ...[atStart, bare, difference(atStart, bare), later].map(sizeText),
    kib(zipBytes),
    ...(coldStartRatio === undefined ? [] : [coldStartRatio.toFixed(2)]),
  ]);
  const widths = header.map((_, column) =>
    Math.max(...[header, ...lines].map((line) => line[column]?.length ?? 0)),
  );
  const rowText = (line: readonly string[]): string =>
    line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return [header, ...lines].map((line) => `${rowText(line).trimEnd()}\n`).join('');
}

function difference(one: Size, other: Size): Size {
  return {
    minified: one.minified - other.minified,
    compressed: one.compressed - other.compressed,
  };
}

function sizeText({ minified, compressed }: Size): string {
  return `${kib(minified)} (${kib(compressed)})`;
}

function kib(bytes: number): string {
  return (bytes / 1_024).toFixed(1);
}
