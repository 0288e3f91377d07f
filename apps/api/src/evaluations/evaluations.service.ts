import {
  ConnectionRepository,
  connectionsNamedIn,
  FlowRepository,
  RateLimitedError,
  SampleDataReader,
  shortenValue,
  stepNamed,
  stepsOf,
  type FlowTrigger,
  type PopulatedFlow,
  type Principal,
} from '@millrace/domain';
import {
  evaluateFieldText,
  namesIn,
  readFieldText,
  type ExpressionCall,
  type ExpressionOutcome,
  type FieldEvaluation,
  type FieldSurroundings,
} from '@millrace/engine';
import type { SandboxOutcome } from '@millrace/sandbox';
import { Injectable } from '@nestjs/common';
import { knownConnections } from '../flows/known-connections';
import { FairBound } from '../live/fair-bound';
import { RequestLimits } from '../request-limits/request-limits';
import type { EvaluateDto, EvaluationDto, EvaluationsDto } from './evaluation.dto';
import { EvaluationSandbox } from './evaluation-sandbox';

/** Editors ask while a person types, some times a second. */
const MOST_PER_MINUTE = 600;
/** How many requests of all projects are evaluated at once. */
const MOST_AT_ONCE = 16;
/** How long the expressions of one request may take together. */
const PATIENCE_MS = 10_000;
/** How much sample data one request reads, and how much of it goes into the sandbox, in characters of JSON. */
const MOST_SAMPLES = 16 * 1024 * 1024;
const MOST_GIVEN = 32 * 1024 * 1024;
/** How much of a value is shown, in characters of JSON. */
const MOST_SHOWN = 20_000;
/** The run that expressions see. No run is made. */
const NO_RUN = '00000000-0000-7000-8000-000000000000';

/** Evaluates the expressions that a person writes, on the sample data of their flow. */
@Injectable()
export class EvaluationsService {
  private readonly room = new FairBound(MOST_AT_ONCE);

  constructor(
    private readonly flows: FlowRepository,
    private readonly samples: SampleDataReader,
    private readonly connections: ConnectionRepository,
    private readonly sandbox: EvaluationSandbox,
    private readonly limits: RequestLimits,
  ) {}

  async evaluate(principal: Principal, flowId: string, asked: EvaluateDto): Promise<EvaluationsDto> {
    this.limits.countKind('evaluate', principal, MOST_PER_MINUTE);
    const flow = await this.flows.get(flowId, principal.projectIds);
    stepNamed(flow.version.trigger, asked.stepName);
    if (!this.room.hasRoomFor(flow.projectId)) throw new RateLimitedError(1, 'Too many expressions at once');
    const giveBack = this.room.take(flow.projectId);
    try {
      return { results: await this.resultsOf(flow, asked) };
    } finally {
      giveBack();
    }
  }

  private async resultsOf(flow: PopulatedFlow, { stepName, expressions }: EvaluateDto): Promise<EvaluationDto[]> {
    const fields = expressions.map(readFieldText);
    const names = new Set(fields.flatMap((field) => [...namesIn(field)]));
    const around = await this.surroundings(flow, stepName, { names, connections: connectionsNamedIn(expressions) });
    const signal = AbortSignal.timeout(PATIENCE_MS);
    let given = 0;
    const run = async ({ program, input }: ExpressionCall): Promise<ExpressionOutcome> => {
      const { script, hash: scriptHash } = program;
      given += input.length;
      if (given > MOST_GIVEN) return TOO_MUCH_DATA;
      return outcomeOf(await this.sandbox.run({ tenant: flow.projectId, script, scriptHash, input }, signal));
    };
    const evaluations = await Promise.all(fields.map((field) => evaluateFieldText(field, around, run)));
    return evaluations.map(shown);
  }

  private async surroundings(
    { id: flowId, projectId, version: { trigger } }: PopulatedFlow,
    stepName: string,
    read: { names: ReadonlySet<string>; connections: ReadonlySet<string> },
  ): Promise<FieldSurroundings> {
    const earlier = namesBefore(trigger, stepName);
    const wanted = [...earlier].filter((name) => read.names.has(name));
    const known = await knownConnections(this.connections, projectId, [...read.connections]);
    return {
      stepNames: new Set(Array.from(stepsOf(trigger), ({ name }) => name)),
      earlier,
      samples: await this.samples.outputsOf(flowId, wanted, MOST_SAMPLES),
      run: { id: NO_RUN, flowId, projectId },
      hasConnection: (externalId) => known.has(externalId),
    };
  }
}

/** The steps that are written before the step. The settings of the trigger see the trigger itself. */
function namesBefore(trigger: FlowTrigger, stepName: string): Set<string> {
  const names = new Set([trigger.name]);
  for (const { name } of stepsOf(trigger)) {
    if (name === stepName) break;
    names.add(name);
  }
  return names;
}

const TOO_MUCH_DATA: ExpressionOutcome = {
  kind: 'failed',
  message: 'The sample data that the expressions read is too large to be evaluated together.',
};

function outcomeOf(outcome: SandboxOutcome): ExpressionOutcome {
  if (outcome.kind === 'value' && outcome.memoryWasRefused)
    return { kind: 'failed', message: 'The expression needed more than the memory limit.' };
  if (outcome.kind === 'value') return { kind: 'value', output: outcome.output };
  const { kind, message, line, column } = outcome.failure;
  if (kind === 'aborted')
    return { kind: 'failed', message: `The expressions took longer than ${PATIENCE_MS / 1_000} s together.` };
  // The sandbox ends its sentence with the place in the script, which is not that in the text.
  const suffix = ` (line ${line}, column ${column})`;
  return {
    kind: 'failed',
    message: message.endsWith(suffix) ? message.slice(0, -suffix.length) : message,
    line,
    column,
  };
}

function shown(evaluation: FieldEvaluation): EvaluationDto {
  if (evaluation.kind === 'problem') return { message: evaluation.message, position: evaluation.position };
  const { value, cuts } = shortenValue(JSON.parse(evaluation.value), MOST_SHOWN);
  return { value, isMissing: evaluation.isMissing, cuts: [...cuts] };
}
