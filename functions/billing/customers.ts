import { CsvError, parse } from 'csv-parse/sync';

/** One paying customer. */
export interface Customer {
  /** Unique in the file; 1 to 100 characters. */
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  /** Price of one month in minor units of the currency, such as cents; at least 1. */
  readonly amountMinor: number;
  /** ISO 4217 code, such as `EUR`. */
  readonly currency: string;
}

/** The list of customers cannot be used; nobody is charged from a part of it. */
export class CustomerListError extends Error {
  /** Line of the text, from 1. */
  readonly line: number;

  constructor(line: number, problem: string, cause?: unknown) {
    super(`line ${line}: ${problem}`, cause === undefined ? undefined : { cause });
    this.name = 'CustomerListError';
    this.line = line;
  }
}

const columns = ['id', 'name', 'plan', 'amount', 'currency'] as const;
type Column = (typeof columns)[number];

interface Line {
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * Reads customers from CSV text (RFC 4180) with the columns `id`, `name`, `plan`, `amount` (minor
 * units) and `currency`, in any order; other columns are ignored, and so are empty lines.
 *
 * @throws {@link CustomerListError} with the line number, for the first thing that is wrong.
 */
export function parseCustomers(text: string): readonly Customer[] {
  requireReadable(text);
  const [header, ...rows] = linesOf(text);
  if (header === undefined) {
    throw new CustomerListError(1, `the file is empty; it must begin with ${columns.join(',')}`);
  }
  if (rows.length === 0) {
    throw new CustomerListError(header.line, 'the file has a header and no customers');
  }
  const positions = positionsOf(header);
  const lineOfId = new Map<string, number>();
  return rows.map((row) => {
    const customer = customerOf(row, positions);
    const earlier = lineOfId.get(customer.id);
    if (earlier !== undefined) {
      throw new CustomerListError(
        row.line,
        `the id ${JSON.stringify(customer.id)} is already on line ${earlier}; each customer may appear once`,
      );
    }
    lineOfId.set(customer.id, row.line);
    return customer;
  });
}

/** Text of another encoding, read as UTF-8, has replacement characters, or a NUL in each character. */
function requireReadable(text: string): void {
  const at = text.search(/[\uFFFD\0]/);
  if (at !== -1) {
    const line = text.slice(0, at).split(/\r\n|\r|\n/).length;
    throw new CustomerListError(
      line,
      'the file must be UTF-8 text, and has a character that is not',
    );
  }
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  try {
    parse(text, {
      bom: true,
      skip_empty_lines: true,
      trim: true,
      on_record: (fields: string[], { lines: line }) => {
        lines.push({ line, fields });
        return null;
      },
    });
  } catch (error) {
    if (error instanceof CsvError) {
      // The parser stops where an open quote ends, at the end of the text; what helps is where it began.
      const after = (lines.at(-1)?.line ?? 0) + 1;
      const at = error.code === 'CSV_QUOTE_NOT_CLOSED' ? after : error['lines'];
      throw new CustomerListError(typeof at === 'number' ? at : after, explain(error), error);
    }
    throw error;
  }
  return lines;
}

/** The parser's own messages quote the record, which does not belong into a log. */
function explain(error: CsvError): string {
  switch (error.code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      return 'malformed CSV: the number of fields differs from that of the header';
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'malformed CSV: a quoted field begins here and is not closed';
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
      return 'malformed CSV: a quote stands where none may be; double it inside a quoted field';
    default:
      return `malformed CSV: ${error.code}`;
  }
}

type Positions = Readonly<Record<Column, number>>;

function positionsOf(header: Line): Positions {
  return {
    id: positionOf('id', header),
    name: positionOf('name', header),
    plan: positionOf('plan', header),
    amount: positionOf('amount', header),
    currency: positionOf('currency', header),
  };
}

function positionOf(column: Column, { line, fields }: Line): number {
  const position = fields.indexOf(column);
  if (position === -1) {
    throw new CustomerListError(
      line,
      `the column "${column}" is missing; the header must name ${columns.join(', ')}`,
    );
  }
  if (fields.lastIndexOf(column) !== position) {
    throw new CustomerListError(line, `the column "${column}" appears twice`);
  }
  return position;
}

function customerOf(row: Line, positions: Positions): Customer {
  const field = (column: Column): string => row.fields[positions[column]] ?? '';
  const id = field('id');
  if (id === '' || id.length > 100) {
    throw new CustomerListError(row.line, `id must have 1 to 100 characters, got ${id.length}`);
  }
  return {
    id,
    name: field('name'),
    plan: field('plan'),
    amountMinor: parseAmount(field('amount'), row.line),
    currency: parseCurrency(field('currency'), row.line),
  };
}

function parseAmount(text: string, line: number): number {
  const amountMinor = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 1) {
    throw new CustomerListError(
      line,
      `amount must be a whole number of minor units, at least 1, got ${JSON.stringify(text)}`,
    );
  }
  return amountMinor;
}

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

function parseCurrency(text: string, line: number): string {
  if (!currencies.has(text)) {
    throw new CustomerListError(
      line,
      `currency must be an ISO 4217 code such as EUR, got ${JSON.stringify(text)}`,
    );
  }
  return text;
}
