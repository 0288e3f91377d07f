import { MAX_PAGE_LIMIT, type WorkerMachine, type WorkerMachineRepository } from '@millrace/domain';

/** A worker in the form in which Bull Board shows workers. */
export interface ShownWorker {
  id: string;
  name: string;
  /** The board shows an address here. A worker registers with its host name. */
  addr: string;
  /** For how many seconds the worker has been there. */
  age: number;
}

/** Returns the workers that live and take their jobs from this store. */
export async function shownWorkers(
  machines: WorkerMachineRepository,
  store: WorkerMachine['queue'],
): Promise<ShownWorker[]> {
  const shown: ShownWorker[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof machines.list>> = await machines.list({ limit: MAX_PAGE_LIMIT, cursor });
    shown.push(...page.data.filter(({ status, queue }) => status === 'ONLINE' && queue === store).map(shownWorker));
    cursor = page.next;
  } while (cursor !== null);
  return shown;
}

/** Both times are those of the database's clock. The clock of this machine may differ. */
const shownWorker = ({ id, hostname, version, concurrency, created, lastHeartbeat }: WorkerMachine): ShownWorker => ({
  id,
  name: `version ${version}, ${concurrency} runs at once`,
  addr: hostname,
  age: Math.floor((lastHeartbeat.getTime() - created.getTime()) / 1_000),
});
