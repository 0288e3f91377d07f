import { isJsonObject, type AskedWait, type WaitEnding } from '@millrace/domain';
import { HandDrivenClock, InMemoryStoreEntries } from '@millrace/domain/testing';
import { BuiltInPieces } from '../built-in-pieces';
import type { ActionDefinition, OutputDescription, PieceDefinition } from '../framework/piece';
import { PieceHost, type ActionCall, type ActionResult } from '../host/piece-host';
import type { PieceServices } from '../host/step-context';
import { RecordingChildren } from './recording-children';
import { RecordingEvents } from './recording-events';
import { RecordingFiles } from './recording-files';
import { RecordingHttp } from './recording-http';
import { RecordingMailer } from './recording-mailer';

export const RUN = { id: 'run_1', flowId: 'flow_1', projectId: 'project_1', stepKey: 'run_1:step_1' };

type CallOptions = Partial<Omit<ActionCall, 'pieceName' | 'pieceVersion' | 'actionName' | 'input'>> & {
  signal?: AbortSignal;
};

/** A PieceHost with services in memory. A test gives only the parts of a call that matter to it. */
export class HostUnderTest {
  readonly http = new RecordingHttp();
  readonly store = new InMemoryStoreEntries();
  readonly mailer = new RecordingMailer();
  readonly children = new RecordingChildren();
  readonly files = new RecordingFiles();
  readonly events = new RecordingEvents();
  readonly clock = new HandDrivenClock();
  /** The requests that were opened while an action ran, as `run request`. */
  readonly opened: string[] = [];
  readonly waits: PieceServices['waits'] = {
    open: async (runId, { requestId }) => void this.opened.push(`${runId} ${requestId}`),
  };
  readonly publicUrl = 'https://millrace.test';
  readonly host: PieceHost;
  private readonly pieces: BuiltInPieces;

  constructor(pieces?: readonly PieceDefinition[]) {
    this.pieces = new BuiltInPieces(pieces);
    this.host = new PieceHost(this.pieces, this);
  }

  requestId(stepKey: string, number: number): string {
    return `${stepKey}#${number}`;
  }

  /** Runs an action. Rejects when the output has a member that its description does not name. */
  async run(
    action: string,
    input: unknown,
    { signal = new AbortController().signal, ...call }: CallOptions = {},
  ): Promise<ActionResult> {
    const [pieceName = '', actionName = ''] = action.split('.');
    const result = await this.host.run({ pieceName, pieceVersion: '', actionName, input, run: RUN, ...call }, signal);
    const described = this.pieces.definitionOf(pieceName, actionName)?.action.output;
    if (result.kind === 'value' && described !== undefined) assertDescribed(action, described, result.output);
    return result;
  }

  /** Runs an action that must succeed, and resolves with its output. */
  async output(action: string, input: unknown, options?: CallOptions): Promise<unknown> {
    const result = await this.run(action, input, options);
    if (result.kind === 'value') return result.output;
    throw new Error(result.kind === 'failed' ? result.message : 'The action waits.');
  }

  /** Runs an action that must wait, and resolves with its wait. */
  async wait(action: string, input: unknown, options?: CallOptions): Promise<AskedWait> {
    const result = await this.run(action, input, options);
    if (result.kind === 'waiting') return result.wait;
    throw new Error(result.kind === 'failed' ? result.message : 'The action does not wait.');
  }

  /** Runs an action whose first wait has ended with `resumed`. */
  resume(action: string, input: unknown, resumed: WaitEnding): Promise<ActionResult> {
    return this.run(action, input, { resumed, waits: 1 });
  }
}

function assertDescribed(action: string, described: OutputDescription, output: unknown): void {
  if (typeof described === 'string' || !isJsonObject(output)) return;
  const unknown = Object.keys(output).filter((name) => !Object.hasOwn(described, name));
  if (unknown.length > 0) throw new Error(`The output of ${action} does not describe ${unknown.join(', ')}.`);
}

/** A piece called `test` with these actions. */
export const aPiece = (
  actions: Readonly<Record<string, ActionDefinition>>,
  piece: Partial<PieceDefinition> = {},
): PieceDefinition => ({
  name: 'test',
  displayName: 'Test',
  description: '',
  category: 'DATA',
  keywords: [],
  version: '1.0.0',
  auth: { kind: 'none' },
  triggers: {},
  actions,
  ...piece,
});
