import type { Job } from 'tenure/jobs';
import { createLedger, memoryLedgerStore, type Ledger, type LedgerStore } from 'tenure/ledger';
import { billingJob, type BillingJobOptions } from '../../../functions/billing/billing-job.ts';
import type {
  ChargeAnswer,
  ChargeRequest,
  PaymentGateway,
} from '../../../functions/billing/payment-gateway.ts';
import { JobBench } from '../../jobs/bench.ts';
import { customersNamed, ScriptedChargeStore } from './support.ts';

/** How a gateway takes one request: its answer, or its failure. */
type Answering = (
  request: ChargeRequest,
  idempotencyKey: string,
) => ChargeAnswer | Promise<ChargeAnswer>;

/** A gateway, a ledger and a store of charges for billing jobs. It is 2026-04-10. */
export class BillingBench extends JobBench {
  /** Requests to the gateway, as `period customer`. */
  readonly asked: string[] = [];
  /** Keys of the requests, in the same order. */
  readonly keys: string[] = [];
  readonly charges = new ScriptedChargeStore();
  readonly ledger: Ledger;
  /** Calls of the ledger's store, by kind. */
  readonly ledgerCalls = { read: 0, write: 0 };
  /** How the gateway takes the next requests. Default: it charges at once. */
  answer: Answering = ({ customerId }) => ({ status: 'charged', chargeId: `ch-${customerId}` });

  constructor() {
    super();
    const { clock } = this;
    this.ledger = createLedger({ store: this.#counting(memoryLedgerStore()), clock });
  }

  /** A job for customers a to e from March on, in arrears, so that one month is due. */
  job(options: Partial<BillingJobOptions> = {}): Job<string> {
    return billingJob({
      customers: customersNamed('a', 'b', 'c', 'd', 'e'),
      ledger: this.ledger,
      gateway: this.#gateway(),
      charges: this.charges,
      startFrom: '2026-03',
      lease: 'orders',
      ...options,
    });
  }

  /** The customers whom the gateway was asked to charge since the last look, in order. */
  newlyAsked(): readonly string[] {
    return this.asked.splice(0).map((asked) => asked.split(' ')[1] ?? '');
  }

  /** Calls of the ledger's store since the last look. */
  newLedgerCalls(): { readonly read: number; readonly write: number } {
    const calls = { ...this.ledgerCalls };
    Object.assign(this.ledgerCalls, { read: 0, write: 0 });
    return calls;
  }

  #gateway(): PaymentGateway {
    return {
      charge: async (request, idempotencyKey) => {
        this.asked.push(`${request.period} ${request.customerId}`);
        this.keys.push(idempotencyKey);
        return this.answer(request, idempotencyKey);
      },
    };
  }

  #counting(store: LedgerStore): LedgerStore {
    return {
      name: store.name,
      read: (...args) => {
        this.ledgerCalls.read += 1;
        return store.read(...args);
      },
      write: (...args) => {
        this.ledgerCalls.write += 1;
        return store.write(...args);
      },
      listUnfinished: (...args) => store.listUnfinished(...args),
    };
  }
}
