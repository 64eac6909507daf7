import type { Deployment } from './deployment.ts';
import { at, text, type Json } from './json.ts';
import { alertedFigures, eventName, figures } from './settings.ts';
import type { Resource } from './template.ts';

const minutesOf: Readonly<Record<string, number>> = {
  PT5M: 5,
  PT15M: 15,
  PT30M: 30,
  PT1H: 60,
  PT2H: 120,
  PT6H: 360,
  P1D: 1440,
};

/** An alert that asks for what no event has, that cannot fire, or that is missing. */
export function alertProblems({ resources }: Deployment): readonly string[] {
  const alerts = resources
    .map(({ resource }) => resource)
    .filter(({ type }) => type === 'Microsoft.Insights/scheduledQueryRules');
  const [insights] = resources.filter(
    ({ resource }) => resource.type === 'Microsoft.Insights/components',
  );
  const asked = alerts.flatMap((alert) => askedFigures(alert));
  return [
    ...alerts.flatMap((alert) => [
      ...queryProblems(alert),
      ...timeProblems(alert),
      ...(text(at(alert, 'properties.scopes')) === JSON.stringify([insights?.id])
        ? []
        : [`${alert.name} looks elsewhere than at the function's logs`]),
    ]),
    ...alertedFigures
      .filter((figure) => !asked.includes(figure))
      .map((figure) => `no alert asks for ${figure}`),
    ...(alerts.some((alert) => firesOnSilence(alert)) ? [] : ['no alert fires on silence']),
  ];
}

function queryProblems(alert: Resource): readonly string[] {
  const query = queryOf(alert);
  return [
    ...askedFigures(alert)
      .filter((figure) => !figures.includes(figure))
      .map((figure) => `${alert.name} asks for ${figure}, which no outcome has`),
    ...(askedFigures(alert).length === 1 ? [] : [`${alert.name} does not ask for one figure`]),
    // Rules that start otherwise, or count by themselves, see rows where there are none.
    ...(query.startsWith(`traces | where message has "${eventName}" | extend `)
      ? []
      : [`${alert.name} does not start with the lines of the log`]),
    ...(/\b(?:union|search|summarize|count|datatable|print)\b/u.test(query)
      ? [`${alert.name} counts or joins by itself`]
      : []),
    ...(query.includes("'") || (query.match(/"/gu) ?? []).length % 2 === 1
      ? [`${alert.name} has quotes that do not match`]
      : []),
  ];
}

function timeProblems(alert: Resource): readonly string[] {
  const frequency = minutesOf[text(at(alert, 'properties.evaluationFrequency'))];
  const window = minutesOf[text(at(alert, 'properties.windowSize'))];
  if (frequency === undefined || window === undefined) {
    return [`${alert.name} has a time that Azure Monitor does not offer`];
  }
  return frequency > window ? [`${alert.name} leaves gaps between its looks`] : [];
}

/** Whether no row at all makes an alert fire, and so does no row that is healthy. */
function firesOnSilence(alert: Resource): boolean {
  const { timeAggregation, operator, threshold } = conditionOf(alert) as Record<string, Json>;
  return (
    timeAggregation === 'Count' &&
    operator === 'LessThan' &&
    threshold === 1 &&
    / \| where todouble\(figures\.periodLagSeconds\) < [1-9]\d*$/u.test(queryOf(alert))
  );
}

function askedFigures(alert: Resource): readonly string[] {
  return [...queryOf(alert).matchAll(/\bfigures\.(\w+)/gu)].map(([, name = '']) => name);
}

function queryOf(alert: Resource): string {
  return text(at(conditionOf(alert), 'query'));
}

function conditionOf(alert: Resource): Json {
  const conditions = at(alert, 'properties.criteria.allOf');
  return (Array.isArray(conditions) ? (conditions[0] as Json | undefined) : undefined) ?? {};
}
