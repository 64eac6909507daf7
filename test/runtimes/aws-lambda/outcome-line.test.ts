import { Ajv } from 'ajv';
import { describe, expect, it, vi } from 'vitest';
import { outcomeLine } from '../../../src/runtimes/aws-lambda/outcome-line.ts';
import { outcome as completed } from '../../jobs/outcome.ts';
import { emfSchema } from './emf-schema.ts';
import { bench, scheduled, tick } from './lambda-bench.ts';

const isEmf = new Ajv({ strict: true }).compile(emfSchema);
const maxLineBytes = 256 * 1_024;

interface Document {
  readonly [name: string]: unknown;
  readonly _aws: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
}

/** What the format asks for in words: each reference has a target at the top, of its kind. */
function expectEmf(line: string): Document {
  const document: Document = JSON.parse(line);
  isEmf(document);
  expect(isEmf.errors ?? []).toEqual([]);
  expect(line).not.toContain('\n');
  expect(Buffer.byteLength(line)).toBeLessThan(maxLineBytes);
  for (const { Dimensions, Metrics } of directivesIn(document)) {
    for (const name of Dimensions.flat()) {
      expect(document[name]).toEqual(expect.stringMatching(/^[ -~]{1,1024}$/));
    }
    for (const { Name } of Metrics) {
      expect({ [Name]: document[Name] }).toEqual({ [Name]: expect.any(Number) });
    }
  }
  return document;
}

function directivesIn({ _aws: metadata }: Document): Document['_aws']['CloudWatchMetrics'] {
  return metadata.CloudWatchMetrics;
}

function metricsIn(document: Document): readonly string[] {
  return directivesIn(document).flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));
}

const everyFigure = [
  'periodLagSeconds',
  'failures',
  'unknownItems',
  'unfinishedItems',
  'periodsCompleted',
  'flapping',
  'leaseHeadroomMs',
  'durationMs',
];

const details = {
  environment: 'prod',
  metricsNamespace: 'tenure',
  wallMs: Date.parse(tick) + 0.4,
  coldStart: false,
  warnings: [],
} as const;

const outcome = completed({
  identity: 'aws:eu-central-1:billing-prod:7/8476a536',
  attempt: { awsRequestId: '8476a536' },
  trigger: { nominalTime: '2026-11-01T00:05:00.000Z' },
  fencingToken: 34,
  periodLagSeconds: 0,
  leaseHeadroomMs: 9_000,
});

describe('the line of an invocation', () => {
  it('is a document in the embedded metric format', async () => {
    const { handler, context, lines, clock } = bench({
      environment: 'prod',
      metricsNamespace: 'acme/billing',
      run: async (run) => {
        run.count('charged', 3);
        await clock.advance(6_000);
        await run.checkpoint();
        return { unfinished: 2, unknown: 1 };
      },
    });
    await handler(scheduled, context());
    expect(lines).toHaveLength(1);
    const document = expectEmf(lines.join());
    expect(document).toMatchObject({
      Job: 'billing',
      Environment: 'prod',
      periodLagSeconds: 300,
      failures: 0,
      unknownItems: 1,
      unfinishedItems: 2,
      periodsCompleted: 0,
      flapping: 0,
      leaseHeadroomMs: 4_000,
      durationMs: 6_000,
      _aws: {
        Timestamp: Date.parse(tick) + 46_000,
        CloudWatchMetrics: [{ Namespace: 'acme/billing', Dimensions: [['Job', 'Environment']] }],
      },
    });
    expect(metricsIn(document)).toEqual(everyFigure);
    expect(directivesIn(document)[0]?.Metrics.map(({ Unit }) => Unit)).toEqual([
      'Seconds',
      ...Array(5).fill('Count'),
      'Milliseconds',
      'Milliseconds',
    ]);
  });

  it('is the structured event at the same time', async () => {
    const { handler, context, line } = bench({
      run: async (run) => {
        run.count('charged', 3);
        await run.checkpoint('after customer 3');
        return { unfinished: 2, unknown: 1 };
      },
    });
    await handler(scheduled, context());
    expect(line()).toMatchObject({
      event: 'tenure.job.outcome',
      level: 'warn',
      job: 'billing',
      lease: 'billing',
      identity: 'aws:eu-central-1:billing-prod:7/8476a536-e9f4-11e8-9739-2dfe598c3fcd',
      environment: 'default',
      coldStart: true,
      status: 'led',
      reason: 'unfinished',
      fencingToken: expect.any(Number),
      attempt: { executionId: 'd32c5kddcf5bb8c3', attemptNumber: '1' },
      trigger: { nominalTime: '2026-11-01T00:05:00.000Z' },
      periods: [{ period: '2026-10', end: 'unfinished', counts: { charged: 3 } }],
      incomplete: ['2026-10'],
    });
    expect(JSON.stringify(line())).not.toContain('customer 3');
  });

  it('is one for an event that is none, too, without a lag that nobody knows', async () => {
    const { handler, context, lines } = bench();
    await expect(handler({}, context())).rejects.toThrow(TypeError);
    const document = expectEmf(lines.join('\n'));
    expect(document).toMatchObject({ failures: 1, status: 'failed' });
    expect(document).not.toHaveProperty('periodLagSeconds');
    expect(metricsIn(document)).not.toContain('periodLagSeconds');
  });

  it.each([
    [20_000, 'warn'],
    [20_001, 'info'],
  ])('of a first invocation of %d ms with a lease of 15 s is at level %s', async (ms, level) => {
    const { handler, context, line } = bench();
    await handler(scheduled, context({ getRemainingTimeInMillis: () => ms }));
    expect(line()).toMatchObject({ level });
    expect('warnings' in line()).toBe(level === 'warn');
  });

  it('warns once for a process when the lease outlasts what an invocation has', async () => {
    const { handler, context, lines } = bench();
    const brief = context({ getRemainingTimeInMillis: () => 15_000 });
    await expect(handler({}, brief)).rejects.toThrow(TypeError);
    await handler(scheduled, brief);
    const [first = '', second = ''] = lines;
    expect(expectEmf(first)).toMatchObject({
      level: 'error',
      warnings: [
        expect.stringContaining(
          'the lease (15000 ms) is not shorter than what an invocation may use (15000 ms less reserveMs, 10000 ms)',
        ),
      ],
    });
    expect(expectEmf(second)).toMatchObject({ level: 'info' });
    expect(expectEmf(second)).not.toHaveProperty('warnings');
  });

  it('has no metrics without a namespace, and the same figures', async () => {
    const { handler, context, line } = bench({ metricsNamespace: false });
    await handler(scheduled, context());
    expect(line()).toMatchObject({ periodLagSeconds: 0, periodsCompleted: 1, failures: 0 });
    expect(line()).not.toHaveProperty('_aws');
    expect(line()).not.toHaveProperty('Job');
  });

  it('shows flapping as a figure, and what it stands for beside it', () => {
    const flapping = { terms: 6, withinMs: 3_600_000 };
    const document = expectEmf(outcomeLine({ ...outcome, flapping }, details));
    expect(document).toMatchObject({ flapping: 1, flappingTerms: flapping, level: 'warn' });
  });

  it('never has a metric that is no number', () => {
    const odd = { ...outcome, durationMs: Number.NaN, leaseHeadroomMs: Number.POSITIVE_INFINITY };
    const document = expectEmf(outcomeLine(odd, details));
    expect(metricsIn(document)).toEqual(everyFigure.slice(0, -2));
  });

  it('stays a log event of a size that CloudWatch takes', () => {
    const names = Array.from('abcdef', (name) => name.repeat(12));
    const counts = Object.fromEntries(names.map((name) => [name, 1e9]));
    const period = { end: 'unfinished', unfinished: 1, unknown: 0, counts, durationMs: 1 } as const;
    const long = '\u0000é'.repeat(500_000);
    const document = expectEmf(
      outcomeLine(
        {
          ...outcome,
          status: 'failed',
          reason: 'work',
          periods: Array.from({ length: 5_000 }, () => ({ period: '2026-10', ...period })),
          error: { name: long, message: long, code: long, cause: long },
        },
        details,
      ),
    );
    expect(document).toMatchObject({ unfinishedItems: 5_000, error: { message: /^(.é)+$/s } });
  });

  it('goes to standard output in one write, with its line feed', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      const { handler, context } = bench({ write: undefined as never });
      await handler(scheduled, context());
      const written = write.mock.calls.map(([text]) => String(text));
      expect(written).toEqual([expect.stringMatching(/^\{[^\n]+\}\n$/)]);
      expectEmf(written.join('').trimEnd());
    } finally {
      write.mockRestore();
    }
  });
});
