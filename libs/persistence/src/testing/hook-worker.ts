// A worker process that performs the operations of triggers, for tests that kill it. Its hooks call a server.

import {
  PieceCatalogue,
  TriggerHooks,
  TriggerOperationRunner,
  type CatalogueTrigger,
  type TriggerHookCall,
  type TriggerHookResult,
} from '@millrace/domain';
import { Pool } from 'pg';
import { MaintenanceWorker } from '../queue/maintenance-worker';
import { PostgresTriggerOperations } from '../triggers/postgres-trigger-operations';

const [, , databaseUrl = '', serverUrl = ''] = process.argv;

class CallingHooks extends TriggerHooks {
  override async call(
    { hook, live }: TriggerHookCall,
    _pending: unknown,
    signal: AbortSignal,
  ): Promise<TriggerHookResult> {
    const answer = await fetch(`${serverUrl}/${hook}/${live.flowVersionId}`, { method: 'POST', signal });
    const value = hook === 'onEnable' ? await answer.text() : null;
    return { kind: 'done', value: null, effects: { writes: [{ scope: 'FLOW', key: 'webhook', value }] } };
  }
}

class AllHooks extends PieceCatalogue {
  findTrigger = () => ({ hooks: ['onEnable', 'onDisable'] }) as unknown as CatalogueTrigger;
  findAction = () => null;
  hasPiece = () => true;
}

const operations = new PostgresTriggerOperations(new Pool({ connectionString: databaseUrl }));
const runner = new TriggerOperationRunner(operations, new CallingHooks(), new AllHooks());
const settings = { databaseUrl, failedJobRetentionDays: 7, failedJobRetentionMaxCount: 100 };
new MaintenanceWorker(settings, ({ rowId, epoch }) => runner.perform(rowId, epoch, new AbortController().signal), 4);
