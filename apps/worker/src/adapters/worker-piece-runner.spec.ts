import type { PieceCall } from '@millrace/engine';
import { InstalledPieces, NoPackageCalls, type ActionResult, type PieceHost } from '@millrace/pieces';
import { WorkerPieceRunner } from './worker-piece-runner';

const call: PieceCall = {
  pieceName: 'http',
  pieceVersion: '0.1.0',
  actionName: 'send_request',
  input: '{"url":"https://example.com"}',
  run: { id: 'run', flowId: 'flow', projectId: 'project', stepKey: 'run:step_1' },
};

function setUp(result: ActionResult) {
  const run = jest.fn((..._call: Parameters<PieceHost['run']>) => Promise.resolve(result));
  const { signal } = new AbortController();
  const runner = new WorkerPieceRunner(
    { run } as unknown as PieceHost,
    new InstalledPieces({ find: async () => [] }, new NoPackageCalls()),
  );
  return { run, runner, signal, outcome: () => runner.run(call, signal) };
}

describe('WorkerPieceRunner', () => {
  it('gives the action its input as a value, and who runs it', async () => {
    const { run, signal, outcome } = setUp({ kind: 'value', output: 1, outputText: '1', logs: [] });

    await outcome();

    expect(run).toHaveBeenCalledWith({ ...call, input: { url: 'https://example.com' } }, signal);
  });

  it('takes the output as the text that the host wrote', async () => {
    const { outcome } = setUp({ kind: 'value', output: { a: 1 }, outputText: '{"a":1}', logs: ['sent'] });

    expect(await outcome()).toEqual({ kind: 'value', output: '{"a":1}', logs: ['sent'] });
  });

  it('passes on what the action asked of its run', async () => {
    const effects = { tags: ['vip'], stop: { status: 'SUCCEEDED' } as const };
    const { outcome } = setUp({ kind: 'value', output: null, outputText: 'null', logs: [], effects });

    expect(await outcome()).toEqual({ kind: 'value', output: 'null', logs: [], effects });
  });

  it('passes on what the action waits for, and with it what has ended and was opened', async () => {
    const wait = { requestId: 'r', kind: 'timer', until: new Date(), request: null, child: null } as const;
    const waiting = { kind: 'waiting', wait, logs: ['waits'], effects: { tags: ['slow'] } } as const;
    const resumed = { kind: 'timer', resumedAt: '2026-01-01T00:00:00.000Z' } as const;
    const resumption = { resumed, waits: 1, openRequestId: () => 'opened', depth: 2 };
    const { run, runner, signal } = setUp(waiting);

    expect(await runner.run({ ...call, ...resumption }, signal)).toEqual(waiting);
    expect(run).toHaveBeenCalledWith(expect.objectContaining(resumption), signal);
  });

  it('passes on a failure, with the wait that the other side asked for', async () => {
    const failed = { kind: 'failed', message: 'The server answered 429.', logs: [], retryAfterMs: 1_000 } as const;

    expect(await setUp(failed).outcome()).toEqual(failed);
  });

  it('says of a package that it is not installed, as after its removal', async () => {
    const { run, runner, signal } = setUp({ kind: 'value', output: 1, outputText: '1', logs: [] });
    const ofPackage = { ...call, pieceName: '@acme/piece-notes', pieceVersion: '1.2.0' };

    const outcome = await runner.run(ofPackage, signal);

    const message = 'The package @acme/piece-notes 1.2.0 is not installed.';
    expect(outcome).toEqual({ kind: 'failed', message, logs: [] });
    expect(run).not.toHaveBeenCalled();
  });

  it.each([
    ['data_mapper', 'advanced_mapping', true],
    ['flow_control', 'stop', true],
    ['http', 'send_request', false],
    ['store', 'put', false],
    ['nothing', 'known', false],
  ])('knows whether %s %s is pure', (pieceName, actionName, isPure) => {
    const runner = new WorkerPieceRunner(
      {} as PieceHost,
      new InstalledPieces({ find: async () => [] }, new NoPackageCalls()),
    );
    expect(runner.isPure(pieceName, actionName)).toBe(isPure);
  });
});
