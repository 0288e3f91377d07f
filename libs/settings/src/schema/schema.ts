import type { App, SettingGroup, Settings, ValueOf } from '../value-types/setting';
import { apiSettings, backlogSettings, webhookSettings } from './intake-settings';
import { consoleSettings, keySettings, queueBoardSettings, userSettings } from './identity-settings';
import { pieceSettings } from './piece-settings';
import { processSettings } from './process-settings';
import { executionSettings, retentionSettings, sandboxSettings } from './run-settings';
import { databaseSettings, fileSettings } from './store-settings';

/**
 * Every setting of the service. What the apps read, the reference in the documents, the errors of a start and the
 * warnings all come from here.
 */
export const SETTINGS = {
  ...processSettings,
  ...databaseSettings,
  ...fileSettings,
  ...keySettings,
  ...userSettings,
  ...consoleSettings,
  ...queueBoardSettings,
  ...apiSettings,
  ...webhookSettings,
  ...backlogSettings,
  ...executionSettings,
  ...sandboxSettings,
  ...pieceSettings,
  ...retentionSettings,
} as const satisfies Settings;

const SHARED_WITH_WORKERS =
  'The api reads some of these as the workers do, because it ends runs that are over their time, and removes what is old, while no worker lives ([0025](adr/0025-a-lease-for-the-periodic-duties.md)). A worker takes `SVC_FLOW_TIMEOUT_SECONDS`, the four of retention, `SVC_PIECE_PACKAGES` and `SVC_PUBLIC_URL` (what links of the api begin with, also when the api has it from its host and port) from the api when it registers, where its environment does not have them ([0063](adr/0063-workers-register-with-the-api.md)). Where you set them for workers, set the same values: otherwise what happens to a run depends on who leads.';

/** The settings by subject, in the order of the documents. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  { title: 'Processes and addresses', settings: processSettings },
  { title: 'Database and queue', settings: databaseSettings },
  { title: 'Files', settings: fileSettings },
  { title: 'Keys and tokens', settings: keySettings },
  { title: 'Users', settings: userSettings },
  { title: 'The web console', settings: consoleSettings },
  { title: 'The queue board', settings: queueBoardSettings },
  { title: 'The api', settings: apiSettings },
  { title: 'Webhooks', settings: webhookSettings },
  { title: 'The backlog', settings: backlogSettings },
  { title: 'Runs', about: SHARED_WITH_WORKERS, settings: executionSettings },
  { title: 'Code steps', settings: sandboxSettings },
  { title: 'Packages of pieces', settings: pieceSettings },
  { title: 'Retention', settings: retentionSettings },
];

type Schema = typeof SETTINGS;
export type KnownSetting = keyof Schema;

/** The settings that an app reads. */
export type SettingOf<A extends App> = {
  [Name in KnownSetting]: A extends Schema[Name]['readBy'][number] ? Name : never;
}[KnownSetting];

/** The values of some settings by their names. */
export type ValuesOf<Name extends KnownSetting> = { -readonly [N in Name]: ValueOf<Schema[N]> };

/** The values of the settings of an app. */
export type SettingsOf<A extends App> = ValuesOf<SettingOf<A>>;
