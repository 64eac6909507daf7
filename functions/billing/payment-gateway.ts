/**
 * The payment gateway, as the billing run sees it: a service that cannot check fencing tokens, so
 * what keeps it from charging twice is the idempotency key.
 *
 * @module
 */

/** One charge to be made. */
export interface ChargeRequest {
  readonly customerId: string;
  /** `YYYY-MM`. */
  readonly period: string;
  /** In minor units of the currency. */
  readonly amountMinor: number;
  readonly currency: string;
}

/** What the gateway decided. Both are final for this customer and period. */
export type ChargeAnswer =
  | { readonly status: 'charged'; readonly chargeId: string }
  | { readonly status: 'declined' };

/** Something that can take a customer's money. */
export interface PaymentGateway {
  /**
   * Charges one customer for one period; the same request again has the same effect and answer.
   *
   * Takes no signal on purpose: once sent, only the answer says what happened.
   *
   * @throws {@link PaymentGatewayError} if there was no usable answer; the customer may or may not
   *   have been charged.
   */
  charge(request: ChargeRequest): Promise<ChargeAnswer>;
}

/** The gateway gave no usable answer. */
export class PaymentGatewayError extends Error {
  override readonly name = 'PaymentGatewayError';
  /** HTTP status; `undefined` if no answer came at all. */
  readonly status: number | undefined;

  constructor(message: string, details: { readonly status?: number; readonly cause?: unknown }) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.status = details.status;
  }
}

/**
 * The key under which the gateway remembers a charge. It names customer and period and nothing that
 * changes from one attempt to the next, least of all the fencing token: a successor repeats an
 * unanswered request under the very same key.
 */
export function idempotencyKeyOf(charge: Pick<ChargeRequest, 'customerId' | 'period'>): string {
  return `billing/${encodeURIComponent(charge.customerId)}/${charge.period}`;
}

/** Options of {@link httpPaymentGateway}. */
export interface HttpPaymentGatewayOptions {
  /** Base URL of the gateway. */
  readonly endpoint: string;
  /**
   * How long to wait for an answer, in milliseconds. Must exceed any pause that the process should
   * survive, or a frozen process throws away an answer that is waiting for it. Default 60 000.
   */
  readonly timeoutMs?: number;
}

/** A {@link PaymentGateway} that posts to `/charges` with an `Idempotency-Key` header. */
export function httpPaymentGateway(options: HttpPaymentGatewayOptions): PaymentGateway {
  const { endpoint, timeoutMs = 60_000 } = options;
  return {
    charge: async (request) => {
      const response = await post(new URL('/charges', endpoint), request, timeoutMs);
      if (response.status === 402) {
        return { status: 'declined' };
      }
      const chargeId = response.status === 200 || response.status === 201 ? response.chargeId : '';
      if (chargeId === '') {
        throw new PaymentGatewayError(`the payment gateway answered ${response.status}`, response);
      }
      return { status: 'charged', chargeId };
    },
  };
}

async function post(
  url: URL,
  request: ChargeRequest,
  timeoutMs: number,
): Promise<{ readonly status: number; readonly chargeId: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': idempotencyKeyOf(request),
      },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, chargeId: chargeIdOf(await response.text()) };
  } catch (cause) {
    throw new PaymentGatewayError('the payment gateway gave no answer', { cause });
  }
}

function chargeIdOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' &&
      body !== null &&
      'chargeId' in body &&
      typeof body.chargeId === 'string'
      ? body.chargeId
      : '';
  } catch {
    return '';
  }
}
