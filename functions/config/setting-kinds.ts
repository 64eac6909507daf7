/**
 * How the text of a setting is read. Each throws what is wrong, for the list of problems.
 *
 * @module
 */
import { monthly } from 'tenure/jobs';

/** A whole number of a range, both ends included. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      throw new RangeError(
        `it must be a whole number from ${least} to ${most}, got ${shown(text)}`,
      );
    }
    return value;
  };
}

/** An `https:` URL, to which a path can be added; `http:` on this machine, for emulators. */
export function httpUrl(text: string): string {
  if (!isPlainHttpUrl(text)) {
    // Not shown: it may have a password or a key in it.
    throw new RangeError(
      'it must be an https URL without a user name, a password, a query, a fragment or spaces',
    );
  }
  const { protocol, hostname } = new URL(text);
  if (protocol === 'http:' && !['127.0.0.1', '[::1]', 'localhost'].includes(hostname)) {
    throw new RangeError(
      `it must be an https URL, since payments must not travel in clear text, got ${shown(text)}`,
    );
  }
  return text;
}

/** Whether this is an `http:` or `https:` URL that can hold no secret. */
export function isPlainHttpUrl(text: string): boolean {
  const { protocol, username, password, search, hash } = new URL(
    URL.canParse(text) ? text : 'none:',
  );
  // An empty query or fragment does not show in its parts.
  const isPlain = username + password + search + hash === '' && /^[^\s?#]+$/.test(text);
  return /^https?:$/.test(protocol) && isPlain;
}

/** One of some words. */
export function oneOf<const Word extends string>(choices: readonly Word[]): (text: string) => Word {
  return (text) => {
    const choice = choices.find((word) => word === text);
    if (choice === undefined) {
      throw new RangeError(`it must be one of ${choices.join(', ')}, got ${shown(text)}`);
    }
    return choice;
  };
}

/** Text without spaces around it, of up to so many bytes of UTF-8. */
export function words(longest: number): (text: string) => string {
  return (text) => {
    const { length } = new TextEncoder().encode(text);
    if (text.trim() !== text || length === 0 || length > longest) {
      throw new RangeError(
        `it must have 1 to ${longest} bytes and no spaces around it, got ${shown(text)}`,
      );
    }
    return text;
  };
}

/** What CloudWatch takes as the value of a dimension. */
export function dimension(text: string): string {
  if (!/^(?!:)[!-~](?:[ -~]{0,253}[!-~])?$/.test(text)) {
    throw new RangeError(
      `it must be 1 to 255 printable ASCII characters, without spaces around them or a colon in front, got ${shown(text)}`,
    );
  }
  return text;
}

/** What CloudWatch takes as the namespace of somebody's own metrics. */
export function metricsNamespace(text: string): string {
  if (!/^(?!AWS\/|:)[\w.\-/#:](?:[\w.\-/#: ]{0,253}[\w.\-/#:])?$/.test(text)) {
    throw new RangeError(
      `it must be 1 to 255 letters, digits, inner spaces and .-_/#: and not begin with AWS/ or a colon, got ${shown(text)}`,
    );
  }
  return text;
}

/** A secret, which nobody shows. */
export function secret(text: string): string {
  if (text.trim() !== text) {
    throw new RangeError('it must not begin or end with a space or a line feed');
  }
  return text;
}

/** The name of an IANA time zone, as the job takes it. */
export function timeZone(text: string): string {
  monthly({ timeZone: text });
  return text;
}

/** When a timer of Azure Functions ticks: an NCRONTAB expression of six fields, seconds first. */
export function timerSchedule(text: string): string {
  if (!/^\S+(?: \S+){5}$/.test(text)) {
    throw new RangeError(
      `it must be an NCRONTAB expression of six fields, seconds first, such as 0 */5 * * * *, got ${shown(text)}`,
    );
  }
  return text;
}

/**
 * How long the Functions host lets an invocation run, as milliseconds; `undefined` for without end.
 *
 * @param text - `hh:mm:ss`, or `-1` for without end.
 */
export function functionTimeout(text: string): number | undefined {
  if (text === '-1') {
    return undefined;
  }
  const [, days = '0', hours, minutes, seconds] =
    /^(?:(\d+)\.)?(\d{1,2}):([0-5]\d):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) {
    throw new RangeError(`it must be a time span hh:mm:ss, or -1, got ${shown(text)}`);
  }
  const wholeHours = Number(days) * 24 + Number(hours);
  return (wholeHours * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
}

/** A received value. What was pasted by mistake may be long, and the message is a line in a log. */
function shown(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}...` : text);
}
