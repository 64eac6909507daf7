/**
 * What the specification of CloudWatch's embedded metric format asks for, as a JSON Schema: the
 * constraints of the schema that it publishes, and three that it has in words only (100 metrics, two
 * resolutions, no members that it does not name).
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
const rates = ['Bytes', 'Kilobytes', 'Megabytes', 'Gigabytes', 'Terabytes'];
const bits = ['Bits', 'Kilobits', 'Megabits', 'Gigabits', 'Terabits'];
const perSecond = [...rates, ...bits, 'Count'].map((unit) => `${unit}/Second`);
const times = ['Seconds', 'Microseconds', 'Milliseconds'];

const metricDefinition = {
  type: 'object',
  required: ['Name'],
  additionalProperties: false,
  properties: {
    Name: { type: 'string', minLength: 1, maxLength: 1024 },
    Unit: { enum: [...times, ...rates, ...bits, ...perSecond, 'Percent', 'Count', 'None'] },
    StorageResolution: { enum: [1, 60] },
  },
};

const dimensionSet = {
  type: 'array',
  minItems: 0,
  maxItems: 30,
  items: { type: 'string', minLength: 1, maxLength: 250 },
};

const metricDirective = {
  type: 'object',
  required: ['Namespace', 'Dimensions', 'Metrics'],
  additionalProperties: false,
  properties: {
    Namespace: { type: 'string', minLength: 1, maxLength: 1024 },
    Dimensions: { type: 'array', minItems: 1, items: dimensionSet },
    Metrics: { type: 'array', maxItems: 100, items: metricDefinition },
  },
};

export const emfSchema = {
  type: 'object',
  required: ['_aws'],
  properties: {
    _aws: {
      type: 'object',
      required: ['Timestamp', 'CloudWatchMetrics'],
      additionalProperties: false,
      properties: {
        Timestamp: { type: 'integer' },
        CloudWatchMetrics: { type: 'array', items: metricDirective },
      },
    },
  },
};
