import {
  answerOf,
  EntityNotFoundError,
  FlowDisabledError,
  FlowVersionReader,
  isId,
  InvalidRequestError,
  RunIntake,
  startsByForm,
  type HumanRequest,
  type TriggeredFlow,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { submittedFields } from '@millrace/pieces';
import { Injectable } from '@nestjs/common';

type Form = Extract<HumanRequest, { kind: 'form' }>;

/** A flow that takes forms now. */
interface OpenForm {
  flow: TriggeredFlow & { publishedVersionId: string };
  form: Form;
}

/**
 * The forms that start runs. Nobody signs in: whoever knows the id of an enabled flow may see its form and send it, as
 * with its webhook. The bounds of intake hold for the runs.
 */
@Injectable()
export class FormsService {
  constructor(
    private readonly flows: FlowVersionReader,
    private readonly runs: RunIntake,
  ) {}

  /** The form, and the name of its flow. Throws EntityNotFoundError, and FlowDisabledError. */
  async open(flowId: string): Promise<{ flowName: string; request: Form; startsRun: true }> {
    const { flow, form } = await this.find(flowId);
    const { displayName } = await this.flows.getVersion(flow.publishedVersionId);
    return { flowName: displayName, request: form, startsRun: true };
  }

  /**
   * Starts a run with what was given for each field, and returns its id. The run is on the disk when this resolves.
   * Throws the errors of `open` and of RunIntake.accept, and InvalidRequestError when the values do not fit the fields.
   */
  async submit(flowId: string, body: unknown): Promise<{ id: string }> {
    const { flow, form } = await this.find(flowId);
    const read = answerOf(form, { body, query: {}, headers: {} });
    if ('problems' in read) throw new InvalidRequestError(read.problems);
    const { runId } = await this.runs.accept({
      id: newId(),
      projectId: flow.projectId,
      flowId: flow.flowId,
      flowVersionId: flow.publishedVersionId,
      environment: 'PRODUCTION',
      triggeredBy: 'webhook',
      triggerType: 'WEBHOOK',
      idempotencyKey: null,
      payload: JSON.stringify(read.answer),
    });
    return { id: runId };
  }

  private async find(flowId: string): Promise<OpenForm> {
    const flow = isId(flowId) ? await this.flows.findPublished(flowId.toLowerCase()) : null;
    // A stranger may ask, so the sentence is the same whether the flow does not exist or has another trigger.
    if (!flow || (flow.publishedVersionId && !startsByForm(flow)))
      throw new EntityNotFoundError('flow', flowId, 'that a form starts');
    const { status, publishedVersionId, triggerInput } = flow;
    const fields = publishedVersionId === null ? null : submittedFields(triggerInput);
    if (status !== 'ENABLED' || publishedVersionId === null || fields === null) throw new FlowDisabledError(flowId);
    return { flow: { ...flow, publishedVersionId }, form: { kind: 'form', fields } };
  }
}
