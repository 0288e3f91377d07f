import {
  OutboundHttp,
  type Mailer,
  type OutboundAnswer,
  type OutboundRequest,
  type RunEffects,
  type StoreEntries,
  type StoreScope,
} from '@millrace/domain';
import type { ActionContext, ActionRun, StepStore } from './piece';

/** What pieces reach the outside by. */
export interface PieceServices {
  http: OutboundHttp;
  store: StoreEntries;
  mailer: Mailer;
}

const MAX_LOG_LINES = 500;
const MAX_LOG_CHARS = 2_000;

/** What an action has asked of its run so far. */
export class StepRequests {
  readonly logs: string[] = [];
  private readonly tags: string[] = [];
  private stop: RunEffects['stop'];
  private response: RunEffects['response'];

  readonly actions: Pick<ActionContext<unknown>, 'log' | 'stop' | 'addTag' | 'respond'> = {
    log: (line) => {
      if (this.logs.length < MAX_LOG_LINES) this.logs.push(line.slice(0, MAX_LOG_CHARS));
    },
    addTag: (name) => void this.tags.push(name),
    stop: (ending) => void (this.stop = ending),
    respond: (response) => void (this.response = response),
  };

  /** Undefined when it asked for nothing. */
  get effects(): RunEffects | undefined {
    const effects: RunEffects = {
      ...(this.tags.length > 0 && { tags: [...this.tags] }),
      ...(this.response && { response: this.response }),
      ...(this.stop && { stop: this.stop }),
    };
    return Object.keys(effects).length > 0 ? effects : undefined;
  }
}

/** Everything of an action's context but its input and its connection. */
export function stepContext(
  run: ActionRun,
  services: PieceServices,
  requests: StepRequests,
  signal: AbortSignal,
): Omit<ActionContext<unknown>, 'input' | 'auth'> {
  return {
    ...requests.actions,
    run,
    signal,
    http: new StepHttp(services.http, run.stepKey, signal),
    store: storeOfStep(services.store, run),
    mail: services.mailer,
  };
}

class StepHttp extends OutboundHttp {
  constructor(
    private readonly http: OutboundHttp,
    private readonly stepKey: string,
    private readonly stepSignal: AbortSignal,
  ) {
    super();
  }

  override send(request: OutboundRequest): Promise<OutboundAnswer> {
    const signal = request.signal ? AbortSignal.any([request.signal, this.stepSignal]) : this.stepSignal;
    return this.http.send({ idempotencyKey: this.stepKey, ...request, signal });
  }
}

function storeOfStep(entries: StoreEntries, { id, flowId, projectId, stepKey }: ActionRun): StepStore {
  const scopeIds: Readonly<Record<StoreScope, string>> = { PROJECT: projectId, FLOW: flowId, RUN: id };
  const placeOf = (scope: StoreScope, key: string) => ({ projectId, scope, scopeId: scopeIds[scope], key });
  return {
    get: (scope, key) => entries.get(placeOf(scope, key)),
    change: (scope, key, change) => entries.change(placeOf(scope, key), stepKey, change),
  };
}
