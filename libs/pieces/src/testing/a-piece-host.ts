import { InMemoryStoreEntries } from '@millrace/domain/testing';
import { BuiltInPieces } from '../built-in-pieces';
import type { ActionDefinition, PieceDefinition } from '../piece';
import { PieceHost, type ActionCall, type ActionResult } from '../piece-host';
import { RecordingHttp } from './recording-http';
import { RecordingMailer } from './recording-mailer';

export const RUN = { id: 'run_1', flowId: 'flow_1', projectId: 'project_1', stepKey: 'run_1:step_1' };

/** A host over services in memory, and calls of its actions that say only what matters. */
export class HostUnderTest {
  readonly http = new RecordingHttp();
  readonly store = new InMemoryStoreEntries();
  readonly mailer = new RecordingMailer();
  readonly host: PieceHost;

  constructor(pieces?: readonly PieceDefinition[]) {
    this.host = new PieceHost(new BuiltInPieces(pieces), this);
  }

  run(
    action: string,
    input: unknown,
    { run = RUN, signal = new AbortController().signal }: { run?: ActionCall['run']; signal?: AbortSignal } = {},
  ): Promise<ActionResult> {
    const [pieceName = '', actionName = ''] = action.split('.');
    return this.host.run({ pieceName, pieceVersion: '', actionName, input, run }, signal);
  }

  /** The output of an action that must succeed. */
  async output(action: string, input: unknown, options?: { run?: ActionCall['run'] }): Promise<unknown> {
    const result = await this.run(action, input, options);
    if (result.kind === 'failed') throw new Error(result.message);
    return result.output;
  }
}

/** A piece `test` of the actions given. */
export const aPiece = (
  actions: Readonly<Record<string, ActionDefinition>>,
  piece: Partial<PieceDefinition> = {},
): PieceDefinition => ({
  name: 'test',
  displayName: 'Test',
  description: '',
  version: '1.0.0',
  auth: { kind: 'none' },
  triggers: {},
  actions,
  ...piece,
});
