import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditActor } from './audit-event';

// Who acts now. The audit log is written in the transactions of changes, far below the request; passing the actor down
// through every port would change all of them for the sake of the log alone.

const SERVICE: AuditActor = { actor: 'service', address: null };
const actors = new AsyncLocalStorage<AuditActor>();

/** Does the work on behalf of the actor, with everything that the work waits for. */
export const actingAs = <T>(actor: AuditActor, work: () => T): T => actors.run(actor, work);

/** The actor of the work that calls this; the service itself when nobody asked for it. */
export const currentActor = (): AuditActor => actors.getStore() ?? SERVICE;
