import { PieceRunner, type PieceCall, type PieceOutcome } from '@millrace/engine';
import { InstalledPieces, PieceHost, type ActionResult } from '@millrace/pieces';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { TracedRuns } from '../tracing/traced-runs';

/**
 * Runs actions of pieces. Those that come with the service are our own code, and run in this process. Those of packages
 * run in processes of their own.
 */
@Injectable()
export class WorkerPieceRunner extends PieceRunner {
  constructor(
    private readonly host: PieceHost,
    private readonly pieces: InstalledPieces,
    @Optional() @Inject(TracedRuns) private readonly traced: TracedRuns | null = null,
  ) {
    super();
  }

  override isPure(pieceName: string, actionName: string): boolean {
    return this.pieces.isPureAction(pieceName, actionName);
  }

  override async run({ input, ...call }: PieceCall, signal: AbortSignal): Promise<PieceOutcome> {
    const run = () => this.host.run({ ...call, input: JSON.parse(input) as unknown }, signal);
    const act = () => (this.pieces.isBuiltIn(call.pieceName) ? run() : this.inPackage(call, run));
    const result = await (this.traced ? this.traced.withinStep(call.run.stepKey, act) : act());
    if (result.kind !== 'value') return result;
    const { outputText: output, logs, effects } = result;
    return { kind: 'value', output, logs, ...(effects && { effects }) };
  }

  private async inPackage(
    { pieceName: name, pieceVersion: version }: Omit<PieceCall, 'input'>,
    run: () => Promise<ActionResult>,
  ): Promise<ActionResult> {
    const ref = { name, version };
    if (!this.pieces.isKnown(ref)) await this.pieces.load([ref]);
    if (this.pieces.isKnown(ref)) return run();
    return { kind: 'failed', message: `The package ${name} ${version} is not installed.`, logs: [] };
  }
}
