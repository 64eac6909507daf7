/**
 * Running a job in AWS Lambda, by a schedule.
 *
 * @module
 */
export type { LambdaHandlerOptions } from './options.ts';
export { lambdaHandler } from './lambda-handler.ts';
export type { LambdaContext } from './lambda-context.ts';
