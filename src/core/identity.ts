import { hostname } from 'node:os';
import { newUuid } from './uuid.ts';

/** An identity for this process: unique, and readable enough to find the process. */
export function defaultIdentity(): string {
  return `${hostname().slice(0, 64)}:${process.pid}:${newUuid().slice(0, 8)}`;
}
