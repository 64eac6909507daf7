import type { AttributeValue, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { RecordWrite } from '../../core/record-store.ts';
import { attributes, keyOf, type LeaseTable } from './attributes.ts';
import { encodePastTerms } from './past-terms.ts';

/**
 * The one `UpdateItem` that makes `write` on a lease's item, if its condition holds.
 *
 * An update and not a put: attributes of others stay. Each name stands behind a placeholder, since
 * the key may be called like one of DynamoDB's reserved words, and `data` is one.
 */
export function leaseUpdate(
  table: LeaseTable,
  lease: string,
  write: RecordWrite,
): UpdateItemCommandInput {
  const placeholders = new Placeholders();
  const condition = conditionOf(table, write, placeholders);
  const update = updateOf(write, placeholders);
  return {
    TableName: table.tableName,
    Key: keyOf(table, lease),
    ConditionExpression: condition,
    UpdateExpression: update,
    ExpressionAttributeNames: placeholders.names,
    ExpressionAttributeValues: placeholders.values,
    // Proof that it was DynamoDB that answered, and what.
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

function conditionOf(table: LeaseTable, write: RecordWrite, use: Placeholders): string {
  const version = use.name(attributes.version);
  const written = use.value({ S: write.version });
  if (write.replaces === 'absent') {
    return `attribute_not_exists(${use.name(table.partitionKey)}) OR ${version} = ${written}`;
  }
  const seen = write.replaces.map((replaced) => use.value({ S: replaced }));
  const clauses = [`${version} IN (${[written, ...seen].join(', ')})`];
  if (write.within) {
    const { holder, fencingToken } = write.within;
    clauses.push(
      `${use.name(attributes.holder)} = ${use.value({ S: holder })}`,
      `${use.name(attributes.fencingToken)} = ${use.value({ N: String(fencingToken) })}`,
    );
    if (!write.released) {
      clauses.push(`attribute_not_exists(${use.name(attributes.released)})`);
    }
  }
  return clauses.join(' AND ');
}

function updateOf(write: RecordWrite, use: Placeholders): string {
  const { history, jobState, progress, released } = write;
  const set: readonly (readonly [string, AttributeValue | undefined])[] = [
    [attributes.holder, { S: write.holder }],
    [attributes.leaseDuration, { S: String(write.leaseDurationMs) }],
    [attributes.version, { S: write.version }],
    [attributes.fencingToken, { N: String(write.fencingToken) }],
    [attributes.history, history && { S: encodePastTerms(history) }],
    [attributes.progress, bytesOf(progress)],
    [attributes.jobState, typeof jobState === 'string' ? { S: jobState } : undefined],
    [attributes.released, released ? { S: '1' } : undefined],
  ];
  const assignments = set.flatMap(([name, value]) =>
    value ? [`${use.name(name)} = ${use.value(value)}`] : [],
  );
  const removals = [
    ...(progress === null ? [use.name(attributes.progress)] : []),
    ...(jobState === null ? [use.name(attributes.jobState)] : []),
    ...(released ? [] : [use.name(attributes.released)]),
  ];
  const remove = removals.length > 0 ? ` REMOVE ${removals.join(', ')}` : '';
  return `SET ${assignments.join(', ')}${remove}`;
}

function bytesOf(progress: RecordWrite['progress']): AttributeValue | undefined {
  return typeof progress === 'string' ? { B: new TextEncoder().encode(progress) } : undefined;
}

/** Numbers names and values; DynamoDB refuses a placeholder that is defined and not used. */
class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, AttributeValue> = {};

  name(attribute: string): string {
    const known = Object.keys(this.names).find((key) => this.names[key] === attribute);
    const placeholder = known ?? `#n${Object.keys(this.names).length}`;
    this.names[placeholder] = attribute;
    return placeholder;
  }

  value(value: AttributeValue): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }
}
