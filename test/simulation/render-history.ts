import type { Look } from '../../src/core/lease-store.ts';
import type { Commit, GuardedWrite, HistoryEntry, Operation } from './history.ts';
import type { RunSchedule } from './run-schedule.ts';
import { isApplied, type Violation } from './verdict.ts';

/** A history for people: true time, process, event, token, version, result. */
export function renderHistory(
  { seed, plan, history }: RunSchedule,
  violations: readonly Violation[],
): string {
  const versions = new Map<string, string>();
  const rows = history.entries.map((entry) => rowOf(entry, versions));
  const marks = violations.map(({ property, atMs, message }): Row => [
    atMs,
    '!',
    property,
    '',
    '',
    message,
  ]);
  const lines = [...rows, ...marks].toSorted((one, other) => one[0] - other[0]).map(lineOf);
  const { weather, expiry, timings, endMs } = plan;
  return [
    `seed ${seed}: ${weather}, expiry ${expiry}, leases ${timings.map((timing) => timing.leaseDurationMs).join('/')} ms, ${endMs} ms`,
    columns(['time', 'process', 'event', 'token', 'version', 'result']),
    ...lines,
  ].join('\n');
}

type Row = readonly [
  atMs: number,
  process: string,
  event: string,
  token: number | string,
  version: string,
  result: string,
];

const widths = [8, 7, 22, 5, 11, 0];

function lineOf([atMs, process, event, token, version, result]: Row): string {
  return columns([atMs.toFixed(1), process, event, String(token), version, result]);
}

function columns(cells: readonly string[]): string {
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join('  ')
    .trimEnd();
}

function rowOf(entry: HistoryEntry, versions: Map<string, string>): Row {
  const { atMs } = entry;
  switch (entry.type) {
    case 'sent':
    case 'answered': {
      const { process, operation, id } = entry.request;
      return [atMs, process, `${operation.kind} ${entry.type}`, tokenIn(operation), '', `#${id}`];
    }
    case 'commit':
      return commitRow(entry, versions);
    case 'guarded':
      return guardedRow(entry);
    case 'fault':
      return [atMs, entry.process, 'fault', '', '', entry.what];
    case 'report': {
      const { process, event, fencingToken, detail } = entry;
      return [atMs, process, `reports ${event}`, `${fencingToken ?? ''}`, '', detail];
    }
    case 'settled': {
      const { process, call, outcome } = entry;
      return [atMs, process, `${call} settled`, '', '', outcome];
    }
    case 'revived':
      return [atMs, entry.process, 'believes again', entry.fencingToken, '', ''];
    default:
      return entry satisfies never;
  }
}

function commitRow(commit: Commit, versions: Map<string, string>): Row {
  const { atMs, request, before, after, granted, delivery } = commit;
  const { process, operation, id } = request;
  const from = nameIn(versions, before);
  const to = isApplied(commit) ? `${from} > ${nameIn(versions, after)}` : from;
  const result = `#${id}.${delivery} ${granted ? 'granted' : 'refused'}; ${stateOf(after)}`;
  return [atMs, process, `${operation.kind} at store`, tokenIn(operation), to, result];
}

function guardedRow({ atMs, request, accepted, highestBefore }: GuardedWrite): Row {
  const { id, process, operation } = request;
  const result = `#${id} ${accepted ? 'accepted' : 'rejected'}; highest was ${highestBefore}`;
  return [atMs, process, 'guarded write', tokenIn(operation), '', result];
}

function tokenIn({ fencingToken }: Operation): number | string {
  return fencingToken ?? '';
}

/** Versions are random; in a history they are numbered as they appear. */
function nameIn(versions: Map<string, string>, look: Look): string {
  if (look.state === 'absent') {
    return '-';
  }
  const name = versions.get(look.version) ?? `v${versions.size + 1}`;
  versions.set(look.version, name);
  return name;
}

function stateOf(look: Look): string {
  return look.state === 'absent'
    ? 'absent'
    : `${look.state} by ${look.record.holder} with ${look.record.fencingToken}`;
}
