// Time zones as Node knows them: the IANA names, with the data of the Node that runs.

const MOST_FORMATS = 64;
const formats = new Map<string, Intl.DateTimeFormat>();

const NAME = /^[A-Za-z][\w+/-]{0,63}$/;

/** Whether the name is one of a time zone. An offset such as `+02:00` is none. */
export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** How far the clocks of the zone are ahead of UTC at an instant, in milliseconds. Throws for an unknown zone. */
export function offsetAt(zone: string, instant: number): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(formatOf(zone).format(instant)) ?? [];
  const ahead = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -ahead : ahead;
}

/** A format is slow to make and large, so that the last few are kept. */
function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    const [oldest] = formats.keys();
    if (oldest !== undefined && formats.size >= MOST_FORMATS) formats.delete(oldest);
    formats.set(zone, format);
  }
  return format;
}
