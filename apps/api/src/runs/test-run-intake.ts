import {
  EntityNotFoundError,
  PieceCatalogue,
  pieceOf,
  principalName,
  RunIntake,
  SampleDataReader,
  storableJson,
  type FlowTrigger,
  type JsonText,
  type PopulatedFlow,
  type Principal,
  type TriggerKind,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';

export interface TestedPart {
  /** The output of the trigger. Default: its sample data, or an empty output when there is none. */
  payload?: unknown;
  /** The name of the only step to run. Default: all steps. */
  testStep?: string;
}

/** Starts runs of the latest version of a flow, whether the flow is enabled or not. */
@Injectable()
export class TestRunIntake {
  constructor(
    private readonly intake: RunIntake,
    private readonly sampleData: SampleDataReader,
    private readonly pieces: PieceCatalogue,
  ) {}

  /** Starts a run and returns its id. The run is on the disk then. */
  async start(principal: Principal, flow: PopulatedFlow, { testStep, ...given }: TestedPart): Promise<string> {
    const { version } = flow;
    await this.pieces.know(pieceOf(version));
    const { runId } = await this.intake.accept({
      id: newId(),
      projectId: flow.projectId,
      flowId: flow.id,
      flowVersionId: version.id,
      environment: 'TESTING',
      triggeredBy: principalName(principal),
      triggerType: this.typeOf(version.trigger),
      idempotencyKey: null,
      payload: 'payload' in given ? textOf(given.payload) : await this.sampleOf(flow),
      ...(testStep === undefined ? {} : { testStep }),
    });
    return runId;
  }

  private typeOf(trigger: FlowTrigger): TriggerKind {
    if (trigger.type === 'EMPTY') return 'MANUAL';
    const { pieceName, pieceVersion, triggerName } = trigger.settings;
    return this.pieces.findTrigger(pieceName, pieceVersion, triggerName)?.resultType ?? 'MANUAL';
  }

  private async sampleOf({ id, projectId, version }: PopulatedFlow): Promise<JsonText> {
    try {
      const { payload } = await this.sampleData.get(id, [projectId], version.trigger.name, 'OUTPUT');
      return textOf(payload);
    } catch (error) {
      if (error instanceof EntityNotFoundError) return '{}';
      throw error;
    }
  }
}

const textOf = (value: unknown): JsonText => storableJson(JSON.stringify(value));
