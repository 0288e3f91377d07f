import type { WebhookPayload } from '../journal/run-payload';
import type { TriggerPayload } from '../triggers/trigger-payload';

// Some providers send the events of all users of an app to one URL. The package of the provider verifies and reads a
// request, and each flow that listens to its event gets a run.
//
// A1. A request whose sender is not the provider starts nothing.
// A2. All runs of an event are on the disk before it is answered with 200.
// A3. Providers send an event again when they got no answer. The same event within 24 h starts no second run of a flow.

/** A request at the URL of an app, for its package. */
export interface AppRequest {
  payload: TriggerPayload;
  /** The secret of the app, by which the package verifies the request. */
  webhookSecret: string;
  /** The URL of the app. */
  webhookUrl: string;
  /** The base URL of this service's API, with a slash at its end. */
  publicUrl: string;
}

/** What a package has read in a genuine request. */
export interface ReadEvent {
  /** Null when the request is no event for flows, such as a question whether the URL is right. */
  event: { name: string; identifierValue: string } | null;
  /** What the provider wants to be answered. */
  reply: { headers: Readonly<Record<string, string>>; body: unknown } | null;
}

export interface AppEvent {
  pieceName: string;
  event: string;
  /** Whose event it is, such as a workspace. */
  identifierValue: string;
  /** The same for a repetition of the event. */
  key: string;
  payload: WebhookPayload;
}

/** Starts the runs of the events of apps. */
export abstract class AppEvents {
  /**
   * Starts a run of each enabled flow that listens. Resolves with the number of new runs. Throws the errors of intake when
   * a project has no room; the runs of the other projects are on the disk then, and a repetition starts only the rest.
   */
  abstract publish(event: AppEvent): Promise<number>;
}
