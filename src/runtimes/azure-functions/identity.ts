/** Where a function app runs, as far as the app knows. */
export interface AzurePlace {
  /** Such as `REGION_NAME` in the environment says. */
  readonly region?: string | undefined;
  /** Name of the function app, such as `WEBSITE_SITE_NAME` in the environment says. */
  readonly app?: string | undefined;
  /** Version of what is deployed, such as that of a build. */
  readonly version?: string | undefined;
}

/**
 * Longest part, in bytes of UTF-8: with four of them, the invocation id that follows the identity
 * stays within the 256 bytes that a holder may have.
 */
const maxPartBytes = 48;

/**
 * The identity of one function of one app: `azure:region:app:function:version`, at most 201 bytes.
 * What is longer than 48 bytes is cut, and what is not known is `-`.
 */
export function azureIdentity(place: AzurePlace, functionName: string): string {
  const parts = [place.region, place.app, functionName, place.version];
  return ['azure', ...parts.map(shownPart)].join(':');
}

function shownPart(part: string = ''): string {
  const text = part.toWellFormed();
  // Writes whole characters only.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxPartBytes));
  return text.slice(0, read) || '-';
}
