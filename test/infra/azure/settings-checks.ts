import type { Deployment } from './deployment.ts';
import { at, isObject, text, without, type Json } from './json.ts';
import {
  functionSettings,
  hostSettings,
  otherCloudSettings,
  settingsNotForFlex,
} from './settings.ts';

/** The settings of the function app by name. @throws `Error` if one is there twice. */
export function settingsOf({ resources }: Deployment): Readonly<Record<string, Json>> {
  const site = resources.find(({ resource }) => resource.type === 'Microsoft.Web/sites')?.resource;
  const given = at(site, 'properties.siteConfig.appSettings');
  const pairs = (Array.isArray(given) ? given : []).map((setting: Json) =>
    isObject(setting) ? [text(setting['name']), setting['value'] ?? null] : ['', null],
  );
  const settings = Object.fromEntries(pairs) as Readonly<Record<string, Json>>;
  if (Object.keys(settings).length !== pairs.length) {
    throw new Error('a setting is there twice');
  }
  return settings;
}

/** Settings that nobody reads, that are missing, or that have no value. */
export function settingProblems(deployment: Deployment): readonly string[] {
  const ownStore = deployment.outputs['ledgerAccountName'] !== '';
  const expected = [...functionSettings, ...hostSettings, ...(ownStore ? [] : otherCloudSettings)];
  const settings = settingsOf(deployment);
  const found = Object.keys(settings);
  return [
    ...without(found, expected).map((name) =>
      settingsNotForFlex.includes(name)
        ? `setting ${name} is not for Flex Consumption`
        : `setting ${name} is read by nobody`,
    ),
    ...without(expected, found).map((name) => `setting ${name} is missing`),
    ...Object.entries(settings)
      .filter(([, value]) => typeof value !== 'string' || value === '')
      .map(([name]) => `setting ${name} has no text`),
  ];
}
