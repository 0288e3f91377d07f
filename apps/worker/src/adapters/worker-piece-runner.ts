import { PieceRunner, type PieceCall, type PieceOutcome } from '@millrace/engine';
import { BuiltInPieces, PieceHost } from '@millrace/pieces';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { TracedRuns } from '../tracing/traced-runs';

/**
 * Runs actions of the built-in pieces in this process. Pieces are our own code, and reach the outside only through
 * their host.
 */
@Injectable()
export class WorkerPieceRunner extends PieceRunner {
  constructor(
    private readonly host: PieceHost,
    private readonly pieces: BuiltInPieces,
    @Optional() @Inject(TracedRuns) private readonly traced: TracedRuns | null = null,
  ) {
    super();
  }

  override isPure(pieceName: string, actionName: string): boolean {
    return this.pieces.isPureAction(pieceName, actionName);
  }

  override async run({ input, ...call }: PieceCall, signal: AbortSignal): Promise<PieceOutcome> {
    const act = () => this.host.run({ ...call, input: JSON.parse(input) as unknown }, signal);
    const result = await (this.traced ? this.traced.withinStep(call.run.stepKey, act) : act());
    if (result.kind !== 'value') return result;
    const { outputText: output, logs, effects } = result;
    return { kind: 'value', output, logs, ...(effects && { effects }) };
  }
}
