import { rewriteSteps } from './rewrite-steps';
import { branchToRouter } from './branch-to-router';
import { connectionNames } from './connection-names';
import { httpResponseToWebhook } from './http-response';
import type { Migration } from './migration';
import { scheduleToPiece, webhookToPiece } from './piece-triggers';
import { propertySettings } from './property-settings';
import { publicInputs } from './public-inputs';

/** All migrations, in the order of the versions that they bring a definition to. */
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
 * Brings the steps of a definition to our schema version. The trigger may be any JSON value, and the function never
 * throws: values that are not steps are left for the parser to refuse. Notes and other members that older versions lack
 * need no migration, because the parser reads them as empty.
 */
export function migrateSteps(trigger: unknown, schemaVersion: number): unknown {
  const chain = MIGRATIONS.filter(({ to, anyVersion }) => anyVersion || to > schemaVersion);
  return rewriteSteps(trigger, (step) => chain.reduce((migrated, { migrate }) => migrate(migrated), step));
}
