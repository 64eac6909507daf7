import type { Readable } from 'node:stream';
import type { RuntimeLine } from '../runtime-process.ts';

/** Descriptor on which the runtime sends what the function logs, as `_LAMBDA_TELEMETRY_LOG_FD` names it. */
export const telemetryDescriptor = 3;

/** Type and length of four bytes each, then the time of eight. */
const headerBytes = 16;

/**
 * Reads the frames in which the managed runtime sends each entry of `console` to the platform. They are
 * written at once and whole, so that none is missing when the invocation ends; a pipe would keep some back.
 *
 * @see The README of `aws-lambda-ric`, and `TelemetryLogger` in its code.
 */
export function readTelemetry(stream: Readable, take: (line: RuntimeLine) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= headerBytes) {
      const end = headerBytes + rest.readUInt32BE(4);
      if (rest.length < end) {
        return;
      }
      take(lineOf(rest.toString('utf8', headerBytes, end)));
      rest = rest.subarray(end);
    }
  });
}

/** Reads an entry in the text format: time, request id, level and message. */
function lineOf(entry: string): RuntimeLine {
  const raw = entry.replace(/\n$/, '');
  const [, invocationId, level, text] =
    /^\d{4}-\d\d-\d\dT[\d:.]+Z\t([^\t]*)\t([A-Z]+)\t(.*)$/s.exec(raw) ?? [];
  if (invocationId === undefined || level === undefined || text === undefined) {
    return { source: 'log', text: raw, raw };
  }
  // Before the first invocation there is no request.
  return { source: 'log', text, raw, level, ...(invocationId === '-' ? {} : { invocationId }) };
}
