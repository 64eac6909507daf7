import { app } from '@azure/functions';
import type { Job } from '../../jobs/job.ts';
import { Drain } from './drain.ts';
import { manualRun } from './manual-run.ts';
import { isPastDue, nominalTimeOf } from './nominal-time.ts';
import { requireSettings, type RegisterTimerOptions } from './options.ts';
import { TimerJob } from './timer-job.ts';

/** One for the process, which ends as a whole. */
const drain = new Drain();
let isHooked = false;

/**
 * Registers a job as a timer-triggered function. Called when the app starts, once for each job; what it
 * has seen of other holders adds up over the invocations of the process, and nothing else does.
 *
 * Each tick works for what is due at its nominal time, and logs one line of JSON, the outcome event, unless
 * the process is stopped in its course: at the time limit, out of memory, or when the app failed to start.
 * The invocation succeeds if this process worked, if another leads or took over, and if nothing was due. It
 * fails if the work or the store failed, and if the lease ran out over the work.
 *
 * When the app is stopped, no time is left in any budget: the work pauses at its next checkpoint, its
 * progress is saved and the lease released; the next tick goes on, wherever it runs.
 *
 * @throws `TypeError` or `RangeError` that names the wrong option, its value and what is allowed, so that
 *   an app that is configured wrong does not start.
 */
export function registerTimer<Cursor>(job: Job<Cursor>, options: RegisterTimerOptions): void {
  const settings = requireSettings(job, options);
  const { clock, functionName, manual, retry, schedule, budgetMs } = settings;
  const timerJob = new TimerJob(job, settings, drain);
  app.timer(functionName, {
    schedule,
    ...(retry && { retry }),
    handler: (timer, context) => {
      const { nominalTime, source, warning } = nominalTimeOf(timer, clock.wallMs());
      return timerJob.run(context, {
        trigger: { nominalTime },
        budgetMs,
        functionName,
        nominalTimeSource: source,
        isPastDue: isPastDue(timer),
        warnings: warning === undefined ? [] : [warning],
      });
    },
  });
  if (manual) {
    app.http(`${functionName}-manual`, {
      methods: ['POST'],
      authLevel: manual.authLevel,
      handler: manualRun(job, timerJob, manual.budgetMs),
    });
  }
  if (!isHooked) {
    isHooked = true;
    app.hook.appTerminate(() => drain.drain());
  }
}
