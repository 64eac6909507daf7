import { parsePeriod } from '../billing/period.ts';
import type { AzureCredential } from '../stores/azure-blob-stores.ts';
import {
  dimension,
  functionTimeout,
  httpUrl,
  metricsNamespace,
  oneOf,
  secret,
  timerSchedule,
  timeZone,
  wholeNumber,
  words,
} from './setting-kinds.ts';
import {
  optional,
  readSettings,
  required,
  SettingsError,
  type Environment,
  type SettingsOf,
} from './settings.ts';
import { parseStoreUrl, type StorePlace } from './store-url.ts';

/** Longest delay of a timer, in milliseconds. */
const longestMs = 2_147_483_647;
const hourMs = 3_600_000;

const common = {
  STORE: required(
    'where lease, ledger and charges are kept, such as dynamodb://leases/charges?region=eu-central-1',
    parseStoreUrl,
  ),
  BILLING_START_FROM: required('the first month to bill, such as 2026-11', parsePeriod),
  GATEWAY_URL: required('the URL of the payment gateway', httpUrl),
  BILLING_TIME_ZONE: optional('UTC', timeZone),
  BILLING_CATCH_UP: optional('all', oneOf(['all', 'latest', 'none'])),
  BILLING_MAX_PERIODS_PER_RUN: optional('7', wholeNumber(1, 1_000)),
  LEASE_NAME: optional('billing', words(256)),
  LEASE_DURATION_MS: optional('15000', wholeNumber(1, longestMs)),
  CUSTOMERS_FILE: optional('customers.json', words(4_096)),
  GATEWAY_TIMEOUT_MS: optional('10000', wholeNumber(1, 120_000)),
  GATEWAY_KEY_HONOURED_MS: optional('86400000', keyHonoured),
} as const;
const aws = {
  ENVIRONMENT: optional('default', dimension),
  METRICS_NAMESPACE: optional('tenure', metricsNamespace),
} as const;
const azure = {
  ENVIRONMENT: optional('default', words(255)),
  // Read by the host, which leaves a function without it standing where nobody looks.
  BILLING_SCHEDULE: required(
    'when to look for months to bill, such as 0 */5 * * * *',
    timerSchedule,
  ),
  BUDGET_MS: optional('', ifGiven(wholeNumber(1, longestMs))),
  AzureFunctionsJobHost__functionTimeout: optional('', ifGiven(functionTimeout)),
} as const;
/** Credentials for the other cloud; those of the own one come from the platform. */
const credentials = {
  dynamodb: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  'azure-blob': ['AZURE_TENANT_ID', 'AZURE_CLIENT_ID', 'AZURE_CLIENT_SECRET'],
} as const;

/** What the function reads on AWS Lambda. */
export const awsVariables: readonly string[] = Object.keys({ ...common, ...aws });
/** What the function reads on Azure Functions. */
export const azureVariables: readonly string[] = Object.keys({ ...common, ...azure });

/** Settings that both clouds' functions have. */
export type BillingSettings = SettingsOf<typeof common> & {
  /**
   * What must be left of an invocation when it asks for another charge, in milliseconds: that charge,
   * and winding down.
   */
  readonly reserveMs: number;
};

/** Settings of the function on AWS Lambda. */
export type AwsBillingSettings = BillingSettings &
  SettingsOf<typeof aws> & {
    /** For a store in Azure. */
    readonly credential: AzureCredential;
  };

/** Settings of the function on Azure Functions. */
export type AzureBillingSettings = BillingSettings & {
  readonly ENVIRONMENT: string;
  /** Time that one invocation may take, in milliseconds. */
  readonly budgetMs: number;
  /** For a store in Azure. */
  readonly credential: AzureCredential;
  /** Where the function runs, as the platform says. */
  readonly where: { readonly region?: string; readonly app?: string };
};

/** @throws `SettingsError` listing every problem. */
export function awsBillingSettings(environment: Environment): AwsBillingSettings {
  const settings = readSettings(
    { ...credentialsFor(environment, 'dynamodb'), ...common, ...aws },
    environment,
  );
  const {
    AZURE_TENANT_ID: tenantId = '',
    AZURE_CLIENT_ID: clientId = '',
    AZURE_CLIENT_SECRET: clientSecret = '',
  } = environment;
  const application = { kind: 'client-secret', tenantId, clientId, clientSecret } as const;
  const credential = accountKeyIn(environment) ?? application;
  return { ...settings, reserveMs: reserveFor(settings.GATEWAY_TIMEOUT_MS), credential };
}

/** @throws `SettingsError` listing every problem. */
export function azureBillingSettings(environment: Environment): AzureBillingSettings {
  const settings = readSettings(
    { ...credentialsFor(environment, 'azure-blob'), ...common, ...azure },
    environment,
  );
  const reserveMs = reserveFor(settings.GATEWAY_TIMEOUT_MS);
  const { BUDGET_MS: ownMs, AzureFunctionsJobHost__functionTimeout: limitMs } = settings;
  const budgetMs = ownMs ?? budgetIn(limitMs);
  if (limitMs !== undefined && budgetMs >= limitMs) {
    throw new SettingsError([
      `BUDGET_MS: it is ${budgetMs} ms, and the host stops an invocation after ${limitMs} ms (AzureFunctionsJobHost__functionTimeout); set it lower, or leave it out`,
    ]);
  }
  if (budgetMs <= reserveMs) {
    throw new SettingsError([
      `BUDGET_MS: an invocation may take ${budgetMs} ms, which leaves no time to work in, since one charge and winding down take up to ${reserveMs}; set it higher, or raise functionTimeout, or lower GATEWAY_TIMEOUT_MS`,
    ]);
  }
  const { AZURE_CLIENT_ID: clientId, REGION_NAME: region, WEBSITE_SITE_NAME: app } = environment;
  const identity = { kind: 'managed-identity', clientId: clientId || undefined } as const;
  return {
    ...settings,
    reserveMs,
    budgetMs,
    credential: accountKeyIn(environment) ?? identity,
    where: { ...(region !== undefined && { region }), ...(app !== undefined && { app }) },
  };
}

/** A charge that was begun is waited for; then come its row, its entry and the release. */
function reserveFor(gatewayTimeoutMs: number): number {
  return gatewayTimeoutMs + 5_000;
}

/** Share of the host's time limit that an invocation may take: the host kills what exceeds it. */
const budgetShare = 0.8;
const defaultBudgetMs = 240_000;

function budgetIn(limitMs: number | undefined): number {
  return limitMs === undefined ? defaultBudgetMs : limitMs * budgetShare;
}

/** What the ledger takes: it leaves the last hour of that time alone. */
function keyHonoured(text: string): number {
  const ms = wholeNumber(0, 10 * longestMs)(text);
  if (ms > 0 && ms <= hourMs) {
    throw new RangeError(
      `it must be 0 for never, or more than one hour (${hourMs}), got "${text}"`,
    );
  }
  return ms;
}

function ifGiven<T>(parse: (text: string) => T): (text: string) => T | undefined {
  return (text) => (text === '' ? undefined : parse(text));
}

function accountKeyIn({ AZURE_STORAGE_KEY: key }: Environment): AzureCredential | undefined {
  return key ? { kind: 'account-key', key } : undefined;
}

/** The other cloud must be told who comes: credentials are required where `STORE` names it. */
function credentialsFor(environment: Environment, own: StorePlace['kind']): CredentialEntries {
  const kind = storeKindIn(environment);
  const isEmulator = kind === 'azure-blob' && accountKeyIn(environment) !== undefined;
  const names = kind === undefined || kind === own || isEmulator ? [] : credentials[kind];
  const what = 'a credential that the cloud of STORE accepts, since that is the other cloud';
  return Object.fromEntries(names.map((name) => [name, required(what, secret)]));
}

type CredentialEntries = Record<string, ReturnType<typeof required<string>>>;

/** `undefined` if `STORE` is not right; that is a problem of its own. */
function storeKindIn({ STORE = '' }: Environment): StorePlace['kind'] | undefined {
  try {
    return parseStoreUrl(STORE).kind;
  } catch {
    return undefined;
  }
}
