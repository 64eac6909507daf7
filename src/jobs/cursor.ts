import { requireJson } from '../core/json.ts';
import { maxCursorBytes } from './job-state-text.ts';

/**
 * Checks a cursor, and copies it: the run may go on changing the object that it gave.
 *
 * @throws `TypeError` if it is not JSON, `RangeError` if it is longer than 200 bytes of JSON.
 */
export function requireCursor(cursor: unknown): unknown {
  requireJson(cursor, 'cursor');
  const text = JSON.stringify(cursor);
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > maxCursorBytes) {
    throw new RangeError(`cursor must be at most ${maxCursorBytes} bytes of JSON, got ${bytes}`);
  }
  return JSON.parse(text);
}
