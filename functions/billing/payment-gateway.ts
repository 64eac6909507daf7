/**
 * The payment gateway, as the billing run sees it: a service that cannot check fencing tokens, so
 * what keeps it from charging twice is the idempotency key.
 *
 * @module
 */
import { NotSentError } from 'tenure/ledger';

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
   * Charges one customer for one period; the same request under the same key has the same effect
   * and answer. Sends it at once, before any `await`.
   *
   * Takes no signal on purpose: once sent, only the answer says what happened.
   *
   * @throws `NotSentError` if no request was sent: the customer has not been charged by this.
   * @throws an error named `PaymentGatewayError` if there was no usable answer; the customer may or may not
   *   have been charged.
   */
  charge(request: ChargeRequest, idempotencyKey: string): Promise<ChargeAnswer>;
}

/** The gateway gave no usable answer. */
class PaymentGatewayError extends Error {
  override readonly name = 'PaymentGatewayError';
  /** HTTP status; `undefined` if no answer came at all. */
  readonly status: number | undefined;

  constructor(message: string, details: { readonly status?: number; readonly cause?: unknown }) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.status = details.status;
  }
}

/** Options of {@link httpPaymentGateway}. */
export interface HttpPaymentGatewayOptions {
  /** Base URL of the gateway, with or without a path. */
  readonly endpoint: string;
  /**
   * How long to wait for an answer, in milliseconds. Must exceed any pause that the process should
   * survive, or a frozen process throws away an answer that is waiting for it. Default 60 000.
   */
  readonly timeoutMs?: number;
}

/** A {@link PaymentGateway} that posts to `charges` with an `Idempotency-Key` header. */
export function httpPaymentGateway(options: HttpPaymentGatewayOptions): PaymentGateway {
  const { endpoint, timeoutMs = 60_000 } = options;
  // Without the slash, the last part of a path would be replaced.
  const url = new URL('charges', endpoint.endsWith('/') ? endpoint : `${endpoint}/`);
  return {
    charge: async (request, idempotencyKey) => {
      const response = await post(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify(request),
        // Followed, it could fail at an address that never saw the request, after one that did.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
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
  request: RequestInit,
): Promise<{ readonly status: number; readonly chargeId: string }> {
  try {
    const response = await fetch(url, request);
    return { status: response.status, chargeId: chargeIdOf(await response.text()) };
  } catch (cause) {
    throw wasNeverSent(cause)
      ? new NotSentError('no connection to the payment gateway came about', { cause })
      : new PaymentGatewayError('the payment gateway gave no answer', { cause });
  }
}

/** Failures of the kind that leave no connection on which a request could have been sent. */
const withoutConnection: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function wasNeverSent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && withoutConnection.has(cause.code);
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
