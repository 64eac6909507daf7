import { idempotencyKeyOf, type Ledger } from 'tenure/ledger';

/**
 * What schedulers do that keep nothing on record: each effect is asked for right away, and all that
 * may save a customer from a second charge is that the idempotency key is the same.
 */
export const withoutLedger: Pick<Ledger, 'once'> = {
  once: async ({ key }, effect) => {
    const { status, result } = await effect({ idempotencyKey: idempotencyKeyOf(key) });
    return { status, result };
  },
};
