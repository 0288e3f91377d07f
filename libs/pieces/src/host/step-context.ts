import { createHash } from 'node:crypto';
import {
  AS_SHOWN,
  Mailer,
  OutboundHttp,
  type CallingRun,
  type ChildRuns,
  type Clock,
  type Elsewhere,
  type ExecutionSlot,
  type FileRoom,
  type MailMessage,
  type MailReceipt,
  type MailServer,
  type NamedEvents,
  type OutboundAnswer,
  type OutboundRequest,
  type RunEffects,
  type StepFiles,
  type StoreEntries,
  type StoredTexts,
  type StoreScope,
} from '@millrace/domain';
import { jsonOf } from './json-of';
import { withBoth } from './piece-calls';
import { FileBudget, filesOfStep } from './step-files';
import { assertStorable, storeWrite } from './store-keys';
import type { ActionContext, ActionRun, StepStore } from '../framework/piece';
import { StepWaits, type RequestNames, type WaitingStep } from './step-waits';

/** The services by which pieces reach the store, other runs and other services. */
export interface PieceServices extends RequestNames {
  http: OutboundHttp;
  store: StoreEntries;
  mailer: Mailer;
  files: StepFiles;
  children: ChildRuns;
  events: NamedEvents;
  clock: Clock;
}

/** The step that calls an action, and the state of its run. */
export interface CallingStep {
  run: ActionRun;
  flowVersionId?: string;
  isTest?: boolean;
  propertySettings?: Readonly<Record<string, unknown>>;
  /** How many waits of the step have ended. Absent when the step begins. */
  waits?: number;
  openRequestId?: WaitingStep['openRequestId'];
  /** How many ancestors the run has: 0, or absent, for a run that no other run started. */
  depth?: number;
  /** How much the action may write to files. Without a bound when absent. */
  fileRoom?: FileRoom;
  /** Hides the values of connections in what the action stores. Absent outside of runs. */
  texts?: StoredTexts;
  /** The execution slot of the run. It is left while the action awaits an answer of another service. */
  slot?: ExecutionSlot;
}

const MAX_LOG_LINES = 500;
const MAX_LOG_CHARS = 2_000;

/** What an action has requested from its run so far: logs, tags, a response, an ending, waits, room for files. */
export class StepRequests {
  readonly logs: string[] = [];
  readonly waits: StepWaits;
  readonly files: FileBudget;
  private readonly tags: string[] = [];
  private stop: RunEffects['stop'];
  private response: RunEffects['response'];

  readonly actions: Pick<ActionContext<unknown>, 'log' | 'stop' | 'addTag' | 'respond'> = {
    log: (line) => {
      if (this.logs.length < MAX_LOG_LINES) this.logs.push(line.slice(0, MAX_LOG_CHARS));
    },
    addTag: (name) => void this.tags.push(name),
    stop: (ending) => void (this.stop = ending),
    respond: (response) => void (this.response ??= response),
  };

  constructor({ run, waits = 0, openRequestId = () => null, fileRoom }: CallingStep, names: RequestNames) {
    this.files = new FileBudget(fileRoom);
    this.waits = new StepWaits({ stepKey: run.stepKey, runId: run.id, waits, openRequestId }, names);
  }

  /** The effects that the action has requested. Undefined when it has requested none. */
  get effects(): RunEffects | undefined {
    const { opened } = this.waits;
    const effects: RunEffects = {
      ...(this.tags.length > 0 && { tags: [...this.tags] }),
      ...(this.response && { response: this.response }),
      ...(opened.length > 0 && { opens: [...opened] }),
      ...(this.files.bytes > 0 && { fileBytes: this.files.bytes }),
      ...(this.stop && { stop: this.stop }),
    };
    return Object.keys(effects).length > 0 ? effects : undefined;
  }
}

/** The context of an action, without its input and its connection. */
export function stepContext(
  step: CallingStep,
  services: PieceServices,
  requests: StepRequests,
  signal: AbortSignal,
): Omit<ActionContext<unknown>, 'input' | 'auth'> {
  const { run, texts = AS_SHOWN } = step;
  const slot = new SlotOfStep(step.slot);
  const http = new StepHttp(services.http, { run, slot }, signal);
  const keys = new StartKeys(step);
  return {
    ...requests.actions,
    ...requests.waits.actions,
    run,
    ...(step.flowVersionId !== undefined && { flowVersionId: step.flowVersionId }),
    ...(step.isTest && { isTest: true }),
    ...(step.propertySettings && { propertySettings: step.propertySettings }),
    signal,
    now: () => services.clock.now(),
    http,
    store: storeOfStep(services.store, step, texts),
    mail: new StepMailer(services.mailer, slot),
    files: filesOfStep(run, services.files, http, requests.files),
    isApart: step.slot === undefined,
    elsewhere: slot.whileElsewhere,
    connection: async (externalId) => texts.readConnection?.(externalId),
    startRun: ({ flow, payload, failParentOnFailure, content }) => {
      const start = { flow, payload: texts.hide(jsonOf(payload, 'payload')), failParentOnFailure };
      const named = content === undefined ? undefined : [flow, texts.hide(jsonOf(content, 'payload'))];
      return keys.during(named, (stepKey) => services.children.start({ ...start, stepKey }, callerOf(step)));
    },
    emit: ({ id, name, data }) =>
      services.events.publish(
        { id, name, data: jsonOf(data, 'data') },
        { projectId: run.projectId, triggeredBy: 'subflow', depth: (step.depth ?? 0) + 1 },
        step.texts,
      ),
  };
}

export const callerOf = ({ run, depth = 0 }: CallingStep): CallingRun => ({
  runId: run.id,
  projectId: run.projectId,
  depth,
});

/** The keys of the runs that a step starts, which are the same when it is repeated. A step's key has no slash. */
class StartKeys {
  /** How many starts of each content there were. */
  private readonly counts = new Map<string, number>();

  constructor(private readonly step: CallingStep) {}

  /** A start that failed may be on record all the same, so the next one of its content has its key again. */
  async during<T>(content: unknown, start: (key: string) => Promise<T>): Promise<T> {
    const { run, waits = 0 } = this.step;
    if (content === undefined) return start(run.stepKey);
    const hash = createHash('sha256').update(JSON.stringify(content)).digest('base64url');
    const number = (this.counts.get(hash) ?? 0) + 1;
    const id = await start(`${run.stepKey}/${waits}/${hash}/${number}`);
    this.counts.set(hash, number);
    return id;
  }
}

/** The slot of the run as one step uses it. What the step waits for while it works elsewhere leaves it alone. */
class SlotOfStep {
  private isElsewhere = false;

  constructor(private readonly slot?: ExecutionSlot) {}

  readonly whileElsewhere: Elsewhere = (work) => {
    if (!this.slot) return work(() => undefined);
    return this.slot.whileElsewhere((leave) => {
      const begun = (): void => {
        this.isElsewhere = true;
        leave();
      };
      return work(begun).finally(() => (this.isElsewhere = false));
    });
  };

  whileWaiting<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    return this.slot && !this.isElsewhere ? this.slot.whileWaiting(ask) : ask();
  }
}

class StepHttp extends OutboundHttp {
  constructor(
    private readonly http: OutboundHttp,
    private readonly step: { readonly run: ActionRun; readonly slot: SlotOfStep },
    private readonly stepSignal: AbortSignal,
  ) {
    super();
  }

  override send(request: OutboundRequest): Promise<OutboundAnswer> {
    const { run, slot } = this.step;
    return withBoth(this.stepSignal, request.signal, (signal) =>
      slot.whileWaiting(() =>
        this.http.send({ idempotencyKey: run.stepKey, ...request, projectId: run.projectId, signal }),
      ),
    );
  }
}

class StepMailer extends Mailer {
  constructor(
    private readonly mailer: Mailer,
    private readonly slot: SlotOfStep,
  ) {
    super();
  }

  override send(message: MailMessage, server: MailServer, signal: AbortSignal): Promise<MailReceipt> {
    return this.slot.whileWaiting(() => this.mailer.send(message, server, signal));
  }
}

function storeOfStep(
  entries: StoreEntries,
  { run: { id, flowId, projectId, stepKey }, waits = 0 }: CallingStep,
  texts: StoredTexts,
): StepStore {
  // What a step changes after a wait is another change than the one before it, of the same key too.
  const changeKey = waits === 0 ? stepKey : `${stepKey}/${waits}`;
  const scopeIds: Readonly<Record<StoreScope, string>> = { PROJECT: projectId, FLOW: flowId, RUN: id };
  const placeOf = (scope: StoreScope, key: string) => ({ projectId, scope, scopeId: scopeIds[scope], key });
  return {
    get: (scope, key) => entries.get(placeOf(scope, key), texts),
    change: (scope, key, change) => {
      const changed = (value: unknown): unknown => assertStorable(key, change(value), texts);
      return entries.change(placeOf(scope, key), changeKey, changed, texts);
    },
    write: (values) =>
      entries.write(
        { flowId, projectId },
        values.map(({ scope, key, value }) => {
          assertStorable(key, value, texts);
          return storeWrite({ scope, key }, JSON.stringify(value), texts);
        }),
      ),
  };
}
