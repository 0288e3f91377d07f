/** A trigger of a published package whose app gets the events of all its users at one URL. */
export interface AppEventCase {
  readonly piece: string;
  readonly version: string;
  readonly trigger: string;
}

export const SLACK_MESSAGE = {
  piece: 'slack',
  version: '0.17.9',
  trigger: 'new-message-in-channel',
} as const satisfies AppEventCase;
