import type { TriggerKind } from '../trigger-kind';

/** The instants at which a schedule fires. */
export interface Schedule {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: string;
  /** An IANA time zone. */
  timezone: string;
  /** A run starts at most this long after its instant, so that many schedules do not start at once. */
  jitterSeconds: number;
}

/** When a trigger polls, as it has asked itself. */
export type AskedSchedule = { intervalMs: number } | { cron: string; timezone: string };

/** When a trigger is renewed: every so many hours, or at the instants of a cron expression in UTC. */
export type RenewalTimes = { everyHours: number } | { cron: string };

/** How often a trigger asks another service for new items. */
export interface Poll {
  /** Null means the setting of the installation. */
  everyMinutes: number | null;
}

/** The named events that start a flow. */
export interface EventSubscription {
  name: string;
  /** A condition on the event as the author wrote it; null when every event of this name starts the flow. */
  filter: unknown;
}

/** What an enabled trigger waits for, read from its input. A trigger that is only looked up has nothing but its kind. */
export interface TriggerPlan {
  kind: TriggerKind;
  schedule?: Schedule;
  poll?: Poll;
  event?: EventSubscription;
}
