import {
  MaintenanceQueue,
  OPERATION_PATIENCE_MS,
  ServiceUnavailableError,
  TriggerOperations,
  TriggerRegistrationError,
  TriggerTestFailedError,
  type LiveTrigger,
  type TriggerOperation,
} from '@millrace/domain';
import { Injectable, Logger, Optional } from '@nestjs/common';
import { untilAnswered } from '../rest/until-answered';

/** How often the outcome is asked for: often at first, because most hooks take less than a second. */
const FIRST_ASKED_AFTER_MS = 25;
const ASKED_EVERY_MS = 250;
const RETRY_AFTER_SECONDS = 10;

/** How long a request waits for an operation. The class is also the token of this setting. */
export abstract class OperationPatience {
  abstract readonly ms: number;
}

/** Has workers perform the operations of triggers, and waits for their outcomes. */
@Injectable()
export class AwaitedOperations {
  private readonly logger = new Logger(AwaitedOperations.name);
  private readonly patienceMs: number;

  constructor(
    private readonly operations: TriggerOperations,
    private readonly queue: MaintenanceQueue,
    @Optional() patience?: OperationPatience,
  ) {
    this.patienceMs = patience?.ms ?? OPERATION_PATIENCE_MS;
  }

  /**
   * Performs the operation and resolves with the result of its hook. Otherwise nothing has changed, but that a flow is
   * disabled whose former trigger could not be enabled again: throws TriggerRegistrationError when the hook fails,
   * TriggerTestFailedError when that was a test, and ServiceUnavailableError when no worker answers in time.
   */
  async perform(operation: TriggerOperation): Promise<unknown> {
    await this.operations.begin(operation);
    try {
      await this.enqueue(operation);
      return await this.outcomeOf(operation);
    } catch (error) {
      await this.undo(operation.id);
      throw error;
    }
  }

  /** Has a worker perform an operation for which nobody waits. When the queue is away, a duty enqueues it later. */
  async start(operation: TriggerOperation): Promise<void> {
    await this.enqueue(operation).catch((error: unknown) => this.logger.warn(String(error)));
  }

  /** Undoes an operation. A failure is only logged, because a duty undoes operations for which nobody waits. */
  async undo(operationId: string): Promise<void> {
    await this.operations.undo(operationId).catch((error: unknown) => this.logger.warn(String(error)));
  }

  private async enqueue({ id, projectId, on, off }: TriggerOperation): Promise<void> {
    const flowVersionId = (on ?? off[0])?.flowVersionId ?? '';
    try {
      const data = { flowVersionId, projectId };
      await this.queue.enqueue([{ kind: 'TriggerHookJob', rowId: id, epoch: 1, data }]);
    } catch (cause) {
      const message = 'The trigger was not called, because the job queue is out of reach. Nothing has changed.';
      throw new ServiceUnavailableError(message, RETRY_AFTER_SECONDS, { cause });
    }
  }

  private async outcomeOf({ id, kind, on }: TriggerOperation): Promise<unknown> {
    const patience = { forMs: this.patienceMs, firstAfterMs: FIRST_ASKED_AFTER_MS, everyMs: ASKED_EVERY_MS };
    const outcome = await untilAnswered(async () => {
      const found = await this.operations.outcome(id);
      return found.status === 'pending' ? null : found;
    }, patience);
    if (outcome?.status === 'succeeded') return outcome.value;
    if (outcome?.status === 'failed') throw refusal(kind, on, outcome.problem);
    throw new ServiceUnavailableError(
      `No worker has finished with the trigger within ${this.patienceMs / 1_000} s. Nothing has changed.`,
      RETRY_AFTER_SECONDS,
    );
  }
}

function refusal(kind: TriggerOperation['kind'], live: LiveTrigger | null, problem: string): Error {
  const Refusal = kind === 'TESTING' ? TriggerTestFailedError : TriggerRegistrationError;
  return new Refusal(live?.flowVersionId ?? '', live?.trigger.name ?? '', problem);
}
