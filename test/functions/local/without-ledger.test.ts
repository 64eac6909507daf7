import { idempotencyKeyOf } from 'tenure/ledger';
import { testLeadership } from 'tenure/testing';
import { expect, it } from 'vitest';
import { withoutLedger } from '../../../functions/local/without-ledger.ts';

it('makes an effect each time it is asked, under the key that a ledger would give it', async () => {
  const leadership = testLeadership({ fencingToken: 33 });
  const options = { key: ['a'], leadership, request: 1, keyHonouredForMs: 0 };
  const keys: string[] = [];
  const ask = () =>
    withoutLedger.once(options, async ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      return { status: 'done', result: keys.length };
    });
  expect(await ask()).toEqual({ status: 'done', result: 1 });
  expect(await ask()).toEqual({ status: 'done', result: 2 });
  expect(keys).toEqual([idempotencyKeyOf(['a']), idempotencyKeyOf(['a'])]);
  await expect(
    withoutLedger.once(options, () => Promise.reject(new Error('no answer'))),
  ).rejects.toThrow('no answer');
});
