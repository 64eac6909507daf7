import type { ChargeRow, ChargeStore } from '../../../functions/billing/charge-store.ts';
import type { Customer } from '../../../functions/billing/customers.ts';
import type {
  ChargeAnswer,
  ChargeRequest,
  PaymentGateway,
} from '../../../functions/billing/payment-gateway.ts';

/** Customers with these ids. */
export function customersNamed(...ids: readonly string[]): readonly Customer[] {
  return ids.map((id, index) => ({
    id,
    name: `Customer ${id}`,
    plan: 'team',
    amountMinor: 100 + index,
    currency: 'EUR',
  }));
}

/** A gateway that answers as told and remembers whom it was asked to charge. */
export class ScriptedGateway implements PaymentGateway {
  readonly asked: (ChargeRequest & { readonly idempotencyKey: string })[] = [];
  readonly #answers: Readonly<Record<string, ChargeAnswer | Error>>;

  constructor(answers: Readonly<Record<string, ChargeAnswer | Error>> = {}) {
    this.#answers = answers;
  }

  async charge(request: ChargeRequest, idempotencyKey: string): Promise<ChargeAnswer> {
    this.asked.push({ ...request, idempotencyKey });
    const answer = this.#answers[request.customerId];
    if (answer instanceof Error) {
      throw answer;
    }
    return answer ?? { status: 'charged', chargeId: `ch-${request.customerId}` };
  }
}

/** A store that keeps rows with their tokens, and fails as told. */
export class ScriptedChargeStore implements ChargeStore {
  readonly rows: (ChargeRow & { readonly fencingToken: number })[] = [];
  readonly #failures: Readonly<Record<string, Error>>;

  constructor(failures: Readonly<Record<string, Error>> = {}) {
    this.#failures = failures;
  }

  async record(row: ChargeRow, fencingToken: number): Promise<void> {
    const failure = this.#failures[row.customerId];
    if (failure) {
      throw failure;
    }
    this.rows.push({ ...row, fencingToken });
  }
}
