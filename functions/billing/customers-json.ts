import * as v from 'valibot';
import type { Customer } from './customers.ts';

const customer = v.object({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
  name: v.string(),
  plan: v.string(),
  amountMinor: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  currency: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
});
const customers = v.pipe(
  v.array(customer),
  v.minLength(1, 'there is no customer'),
  v.check(
    (list) => new Set(list.map(({ id }) => id)).size === list.length,
    'an id is there twice; each customer may appear once',
  ),
);

/**
 * Reads the list of customers of a package, which `npm run bundle` makes of the CSV: so that a slip in
 * the CSV stops the deployment, and the function needs no parser.
 *
 * @throws `RangeError` naming the first thing that is wrong.
 */
export function customersFromJson(text: string): readonly Customer[] {
  const result = v.safeParse(customers, JSON.parse(text));
  if (!result.success) {
    const [issue] = result.issues;
    const place = v.getDotPath(issue);
    throw new RangeError(place === null ? issue.message : `${place}: ${issue.message}`);
  }
  return result.output;
}
