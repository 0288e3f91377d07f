import { isJsonObject, stepNameOf, type PieceRef, type StepPath, type WaitEnding } from '@millrace/domain';
import { ActionFailure, type ActionContext, type ActionDefinition, type ActionRun } from '../framework/piece';
import type { PackageAuth } from './package-auth';
import type { PackageCalls } from './package-calls';
import { connectionServices } from './call-connections';
import { CallFiles, type FileInput } from './call-files';
import { CallProgress } from './call-progress';
import { CallStore } from './call-store';
import { CallWaits, OPENING } from './call-waits';
import { withNotedMembers } from './noted-members';
import { responseOf } from '../webhook/response-fields';

type Context = ActionContext<Readonly<Record<string, unknown>>, unknown>;

export interface PackageActionOf {
  readonly piece: PieceRef;
  readonly action: string;
  /** The connection that the action takes. Null when it takes none. */
  readonly connection: PackageAuth | null;
  readonly fileInputs: readonly FileInput[];
  /** The inputs that stand for further ones. */
  readonly dynamicInputs: readonly string[];
}

/** What an action of a package told of its run, beside its output. */
interface ActionAnswer {
  readonly output: unknown;
  readonly ending: unknown;
  readonly waitId: unknown;
  readonly response: unknown;
  readonly tags: readonly unknown[];
}

const MOST_TAGS = 50;

/** The code of an action that a package has: it runs in the package, and its marks become those of the step. */
export function packageAction(action: PackageActionOf, calls: PackageCalls): Pick<ActionDefinition, 'run' | 'resume'> {
  return {
    run: (context) => act(action, calls, context),
    resume: (context, ending) => act(action, calls, context, ending),
  };
}

async function act(
  { piece, action, connection, fileInputs, dynamicInputs }: PackageActionOf,
  calls: PackageCalls,
  context: Context,
  ending?: WaitEnding,
): Promise<unknown> {
  const { run, auth, signal, propertySettings = {} } = context;
  const { input, files: noted } = withNotedMembers(context.input, dynamicInputs, propertySettings);
  const waits = new CallWaits(context);
  const store = new CallStore(context);
  const files = new CallFiles(context.files);
  const progress = new CallProgress();
  const request = {
    ...{ kind: 'action', action, input },
    ...scopeOf(context),
    ...files.announced(input, [...fileInputs, ...noted]),
    ...(connection && { auth: connection.valueOf(auth) }),
    ...(ending && { resumedBy: resumptionOf(ending) }),
    ...waits.names,
  };
  const services = {
    ...store.services,
    ...waits.services,
    ...files.services,
    ...progress.services,
    ...connectionServices(context.connection),
  };
  const way = { startFlow: context.startRun, committing: [OPENING], signal, isFirst: context.isApart };
  const call = { piece, projectId: run.projectId, request, services, ...way };
  const answer = await context.elsewhere((begun) =>
    files.during(() => calls.call({ ...call, begun, ended: () => files.end() })),
  );
  for (const line of [...answer.output.split('\n'), progress.line]) if (line) context.log(line);
  await waits.opened();
  if ('failure' in answer) throw new ActionFailure(answer.failure);
  await store.write();
  return settle(answerOf(answer.value), waits, context);
}

/** Where the action runs. */
const scopeOf = ({ run, flowVersionId, isTest }: Context) => ({
  runId: run.id,
  projectId: run.projectId,
  flowId: run.flowId,
  flowVersionId,
  ...(isTest && { isTest }),
  stepName: stepNameOf(pathOf(run)),
});

/** Does what the action asked of its run, and returns its output, or the wait that it asked for. */
function settle(answer: ActionAnswer, waits: CallWaits, context: Context): unknown {
  for (const tag of answer.tags) context.addTag(String(tag).slice(0, 200));
  if (answer.response !== undefined) context.respond(answerToCaller(answer.response));
  if (answer.ending === 'waits') return waits.waitFor(answer.waitId);
  if (answer.ending === 'stops') context.stop({ status: 'SUCCEEDED' });
  return answer.output;
}

function answerOf(value: unknown): ActionAnswer {
  if (!isJsonObject(value)) throw new ActionFailure('The package answered in a form that is not known.');
  const { output = null, ending, waitId, response, tags } = value;
  return { output, ending, waitId, response, tags: Array.isArray(tags) ? (tags as unknown[]).slice(0, MOST_TAGS) : [] };
}

/** What an action gets that goes on after its wait. */
function resumptionOf(ending: WaitEnding): unknown {
  if (ending.kind === 'human') return ending.answer;
  return { body: {}, headers: {}, queryParams: {} };
}

/** The answer for the caller of the webhook, as the package wrote it. */
function answerToCaller(given: unknown): ReturnType<typeof responseOf> {
  const { status = 200, headers = {}, body = null } = isJsonObject(given) ? given : {};
  return responseOf(typeof body === 'string' ? 'raw' : 'json', {
    status: Number(status),
    headers: isJsonObject(headers) ? headers : {},
    body,
  });
}

/** The path of the step, which its key has after the id of the run. */
const pathOf = ({ id, stepKey }: Pick<ActionRun, 'id' | 'stepKey'>): StepPath => stepKey.slice(id.length + 1);
