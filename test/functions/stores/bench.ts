import { createLedger } from 'tenure/ledger';
import { runJob, type Job, type JobOutcome } from 'tenure/jobs';
import { billingJob } from '../../../functions/billing/billing-job.ts';
import { httpPaymentGateway } from '../../../functions/billing/payment-gateway.ts';
import {
  startPaymentGateway,
  type RunningGateway,
} from '../../../functions/local/payment-gateway.ts';
import type { BillingStores } from '../../../functions/stores/billing-stores.ts';
import { customersNamed } from '../billing/support.ts';

/** The gateway, and runs of the billing job on stores as the deployed functions open them. */
export class StoresBench {
  readonly #gateway: RunningGateway;

  private constructor(gateway: RunningGateway) {
    this.#gateway = gateway;
  }

  static async start(): Promise<StoresBench> {
    return new StoresBench(await startPaymentGateway());
  }

  /** Requests to the gateway so far, and the customers whom it charged, in order. */
  get gateway(): { readonly requests: number; readonly charged: readonly string[] } {
    const { requests, charges } = this.#gateway.records();
    return {
      requests,
      charged: charges.map(({ customerId, period }) => `${period} ${customerId}`),
    };
  }

  /** Runs the job once, as a process that ends then; two months are due. */
  async run(stores: BillingStores, startFrom = '2026-01'): Promise<JobOutcome> {
    return runJob(this.job(stores, startFrom), {
      store: stores.leases,
      trigger: { nominalTime: new Date('2026-03-01T00:00:00Z') },
    });
  }

  job({ charges, ledger }: BillingStores, startFrom: string): Job<string> {
    return billingJob({
      customers: customersNamed('a', 'b', 'c'),
      ledger: createLedger({ store: ledger }),
      gateway: httpPaymentGateway({ endpoint: this.#gateway.endpoint, timeoutMs: 5_000 }),
      charges,
      startFrom,
    });
  }

  close(): Promise<void> {
    return this.#gateway.close();
  }
}

/** How long a call takes that must reject, with its error. */
export async function timedRejection(
  call: () => Promise<unknown>,
): Promise<{ readonly error: unknown; readonly ms: number }> {
  const startMs = performance.now();
  try {
    await call();
  } catch (error) {
    return { error, ms: performance.now() - startMs };
  }
  throw new Error('resolved instead of rejecting');
}

/** What the job has done when both months are complete. */
export const bothMonths: readonly string[] = ['2026-01', '2026-02'].flatMap((period) =>
  ['a', 'b', 'c'].map((id) => `${period} ${id}`),
);

/** A port of 127.0.0.1 on which nobody listens. */
export const deadEndpoint = 'http://127.0.0.1:1';
