/** The input of EventBridge Scheduler, as the template of the schedule has it. */
export function scheduled(scheduledTime: string): object {
  return {
    scheduledTime,
    executionId: 'd32c5kddcf5bb8c3',
    attemptNumber: '1',
    scheduleArn: 'arn:aws:scheduler:eu-central-1:123456789012:schedule/default/billing',
  };
}
