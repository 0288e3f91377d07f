import { exactTime, relativeTime } from './time-words';

/** When something was: relative to now, and exactly on hover. */
export const Moment = ({ at }: { at: string }) => (
  <time dateTime={at} title={exactTime(at)}>
    {relativeTime(at, Date.now())}
  </time>
);
