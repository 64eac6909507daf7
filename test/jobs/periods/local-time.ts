/** Writes an instant as a zone's clock and calendar show it: `2026-11-28 00:00:00`. */
export function localTimeIn(timeZone: string): (ms: number) => string {
  const formatter = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (ms) => formatter.format(ms);
}

/** Milliseconds since the Unix epoch of an instant written as in ISO 8601. */
export function at(text: string): number {
  return Date.parse(text);
}

/** The day, by the standard library's calendar, that lies so many days after 1970-01-01. */
export function dayAfterEpoch(days: number): string {
  return new Date(days * 86_400_000).toISOString().slice(0, 10);
}

/** Zones that have set their clocks since 1970, in unlike ways. */
export const changingZones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'America/Havana',
  'America/St_Johns',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Africa/Monrovia',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Atlantic/Azores',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Pacific/Kwajalein',
] as const;

/** {@link changingZones}, and some that have never set their clocks. */
export const zones = ['UTC', 'Asia/Kolkata', ...changingZones] as const;
