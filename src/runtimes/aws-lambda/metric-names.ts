import { describeValue } from '../../core/describe-value.ts';

/** Printable ASCII with something in it that is no space, and no colon in front. */
const dimensionValue = /^(?!:)(?=.*[!-~])[ -~]{1,255}$/;
/** Names that begin so are Amazon's own. */
const namespace = /^(?!AWS\/|:)(?=.*[!-~])[\w.\-/#: ]{1,255}$/;

/**
 * Checks the value of a dimension: CloudWatch drops metrics with another.
 *
 * @throws `TypeError` if it is no text, `RangeError` if CloudWatch does not take it.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Dimension.html
 */
export function requireDimension(name: string, value: unknown): string {
  return requireText(name, value, dimensionValue, '1 to 255 printable ASCII characters');
}

/**
 * Checks a namespace of metrics.
 *
 * @throws `TypeError` if it is neither text nor `false`, `RangeError` if CloudWatch does not take it.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricData.html
 */
export function requireNamespace(name: string, value: unknown): string | false {
  return value === false
    ? false
    : requireText(
        name,
        value,
        namespace,
        'false, or 1 to 255 letters, digits, spaces and .-_/#: that do not begin with AWS/',
      );
}

function requireText(name: string, value: unknown, allowed: RegExp, kind: string): string {
  if (typeof value !== 'string') {
    throw new TypeError(`${name} must be text (${kind}), got ${describeValue(value)}`);
  }
  if (!allowed.test(value)) {
    throw new RangeError(`${name} must be ${kind}, got ${describeValue(value)}`);
  }
  return value;
}
