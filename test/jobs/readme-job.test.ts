import { describe, expect, it } from 'vitest';
import { isLeadershipOver } from 'tenure';
import { memoryLeaseStore } from 'tenure/memory';
import { defineJob, monthly, runJob, type JobLeadership } from 'tenure/jobs';

/** What an application has. */
class Shop {
  readonly customers: readonly string[] = ['alice', 'bob', 'carol'];
  readonly charged: string[] = [];
  gatewayIsDownFor = 'bob';

  customersAfter(last: string | undefined): readonly string[] {
    return this.customers.filter((customer) => last === undefined || customer > last);
  }

  async charge(customer: string, period: string, leadership: JobLeadership): Promise<void> {
    leadership.assertLeader();
    if (customer === this.gatewayIsDownFor) {
      throw new Error('no answer');
    }
    const charge = `${customer} ${period}`;
    if (!this.charged.includes(charge)) {
      this.charged.push(charge);
    }
  }
}

describe('a job as an application writes it', () => {
  it('charges everybody for each month, one customer who fails aside until the next tick', async () => {
    const shop = new Shop();
    const store = memoryLeaseStore();

    const billing = defineJob<string>({
      name: 'billing',
      periods: monthly({ timeZone: 'Europe/Berlin' }),
      startFrom: '2026-10',
      run: async ({ period, cursor, leadership, checkpoint, count }) => {
        let unfinished = 0;
        let settled = cursor;
        for (const customer of shop.customersAfter(cursor)) {
          await checkpoint(settled);
          try {
            await shop.charge(customer, period, leadership);
            count('charged');
            settled = unfinished === 0 ? customer : settled;
          } catch (error) {
            if (isLeadershipOver(error)) throw error;
            unfinished += 1;
          }
        }
        return { unfinished, unknown: 0 };
      },
    });

    const trigger = { nominalTime: new Date('2026-11-30T23:00:00Z') };
    const first = await runJob(billing, { store, trigger });
    expect(first).toMatchObject({ reason: 'unfinished', incomplete: ['2026-10', '2026-11'] });
    expect(shop.charged).toEqual([
      'alice 2026-10',
      'carol 2026-10',
      'alice 2026-11',
      'carol 2026-11',
    ]);
    shop.gatewayIsDownFor = '';
    const second = await runJob(billing, { store, trigger });
    expect(second).toMatchObject({ reason: 'completed', completedThrough: '2026-11' });
    expect(shop.charged.slice(4)).toEqual(['bob 2026-10', 'bob 2026-11']);
    expect(await runJob(billing, { store, trigger })).toMatchObject({ status: 'idle' });
    expect(shop.charged).toHaveLength(6);
  });
});
