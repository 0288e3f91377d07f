import { rewriteSteps } from './rewrite-steps';
import { branchToRouter } from './branch-to-router';
import { connectionNames } from './connection-names';
import { httpResponseToWebhook } from './http-response';
import type { Migration } from './migration';
import { scheduleToPiece, webhookToPiece } from './piece-triggers';
import { propertySettings } from './property-settings';
import { publicInputs } from './public-inputs';

/** In the order of the versions they bring a definition to. A new one is a new file and a line here. */
export const MIGRATIONS: readonly Migration[] = [
  webhookToPiece,
  scheduleToPiece,
  branchToRouter,
  connectionNames,
  httpResponseToWebhook,
  propertySettings,
  publicInputs,
];

/**
 * The steps of a definition of an older schema version as they are in ours. Takes any JSON and never throws: what is
 * no step, or not known, is left for the parser to refuse. Notes and other members that older versions do not have need
 * no migration: the parser reads them as empty.
 */
export function migrateSteps(trigger: unknown, schemaVersion: number): unknown {
  const chain = MIGRATIONS.filter(({ to, anyVersion }) => anyVersion || to > schemaVersion);
  return rewriteSteps(trigger, (step) => chain.reduce((migrated, { migrate }) => migrate(migrated), step));
}
