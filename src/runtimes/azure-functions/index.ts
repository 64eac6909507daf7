/**
 * Running a job in Azure Functions, by a timer.
 *
 * @module
 */
export { registerTimer } from './register-timer.ts';
export type { ManualRunOptions, RegisterTimerOptions } from './options.ts';
export type { AzurePlace } from './identity.ts';
