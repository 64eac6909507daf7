import { describe, expect, it } from 'vitest';
import { idempotencyKeyOf } from 'tenure/ledger';
import { chargeKey, periodOf } from '../../../functions/billing/charge-key.ts';

describe('chargeKey', () => {
  it('leads to one idempotency key per customer and period, whatever the ids look like', () => {
    const keys = [
      chargeKey('a', '2026-10'),
      chargeKey('a', '2026-11'),
      chargeKey('a/2026-10', '2026-10'),
      chargeKey('é\n', '2026-10'),
    ];
    expect(new Set(keys.map(idempotencyKeyOf)).size).toBe(4);
    expect(idempotencyKeyOf(chargeKey('a', '2026-10'))).toBe(idempotencyKeyOf(keys[0] ?? []));
  });

  it('names its period, which a key of another purpose does not', () => {
    expect(periodOf(chargeKey('2026-09', '2026-10'))).toBe('2026-10');
    expect(periodOf(['refunds', 'a', '2026-10'])).toBeUndefined();
  });
});
