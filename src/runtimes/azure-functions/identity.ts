import { placeIdentity } from '../shared/identity.ts';

/** Where a function app runs, as far as the app knows. */
export interface AzurePlace {
  /** Such as `REGION_NAME` in the environment says. */
  readonly region?: string | undefined;
  /** Name of the function app, such as `WEBSITE_SITE_NAME` in the environment says. */
  readonly app?: string | undefined;
  /** Version of what is deployed, such as that of a build. */
  readonly version?: string | undefined;
}

/** The identity of one function of one app: `azure:region:app:function:version`. */
export function azureIdentity({ region, app, version }: AzurePlace, functionName: string): string {
  return placeIdentity('azure', [region, app, functionName, version]);
}
