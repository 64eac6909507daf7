import { CelEngine, type Engine } from '@aws/cloudformation-validate';

/** AWS's validator, to be freed when done. */
export interface Validator {
  /** Findings that are warnings or worse, each as one line. */
  problemsOf(text: string): readonly string[];
  free(): void;
}

const failing: ReadonlySet<string> = new Set(['WARN', 'ERROR', 'FATAL']);

/** Starts the validator. Takes seconds, so do it once for many templates. */
export function startValidator(): Validator {
  const engine: Engine = new CelEngine();
  return {
    problemsOf: (text) => {
      const bytes = new TextEncoder().encode(text);
      const file = { path: 'template.yaml', readBytes: () => bytes };
      return engine
        .validateStandard(file)
        .diagnostics.filter(({ severity }) => failing.has(severity))
        .map(
          ({ severity, ruleId, entity, propertyPath = '', message }) =>
            `${severity} ${ruleId} ${entity?.logicalId ?? ''} ${propertyPath}: ${message}`,
        );
    },
    free: () => engine.free(),
  };
}
