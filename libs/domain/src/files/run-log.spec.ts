import type { RecordedStep } from '../journal/step-record';
import { runLogLines, type LoggedRun } from './run-log';

const run: LoggedRun = {
  id: 'r',
  projectId: 'p',
  flowId: 'f',
  flowVersionId: 'v',
  status: 'FAILED',
  startTime: new Date('2026-01-01T00:00:00.000Z'),
  finishTime: null,
  statusReason: null,
};
const step = (path: string, more: Partial<RecordedStep> = {}): RecordedStep => ({
  path,
  type: 'CODE',
  status: 'SUCCEEDED',
  duration: 3,
  ...more,
});

async function linesOf(...segments: (RecordedStep[] | 'unreadable')[]): Promise<unknown[]> {
  const records = (async function* () {
    for (const segment of segments) yield await Promise.resolve(segment);
  })();
  let text = '';
  for await (const piece of runLogLines({ run, records })) text += piece;
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

describe('runLogLines', () => {
  it('tells of the run, then of every record in order', async () => {
    const lines = await linesOf(
      [step('a', { input: { x: 1 }, output: null, logs: ['one', 'two\nlines'] }), step('loop[0].b')],
      [],
      [step('c', { status: 'FAILED', attempts: 2, errorMessage: 'It broke.' })],
    );

    expect(lines).toEqual([
      { run: { ...run, startTime: '2026-01-01T00:00:00.000Z' } },
      {
        step: 'a',
        type: 'CODE',
        status: 'SUCCEEDED',
        duration: 3,
        logs: ['one', 'two\nlines'],
        input: { x: 1 },
        output: null,
      },
      { step: 'loop[0].b', type: 'CODE', status: 'SUCCEEDED', duration: 3 },
      { step: 'c', type: 'CODE', status: 'FAILED', duration: 3, attempts: 2, errorMessage: 'It broke.' },
    ]);
  });

  it('says where there are records that cannot be read', async () => {
    const lines = await linesOf([step('a')], 'unreadable', [step('b')]);

    expect(lines.slice(1)).toEqual([
      expect.objectContaining({ step: 'a' }),
      { unreadable: 'Some of the steps are here and cannot be read: they are damaged, or a later version wrote them.' },
      expect.objectContaining({ step: 'b' }),
    ]);
  });

  it('hides links that somebody could act by, wherever a step shows them', async () => {
    const opens = [{ requestId: 'R1-secret', request: { kind: 'approval' } as const }];
    const lines = await linesOf(
      [step('links', { output: { approvalLink: 'https://x/requests/R1-secret?action=approve' }, effects: { opens } })],
      [step('mail', { input: { text: 'Please click https://x/requests/R1-secret' } })],
    );

    expect(JSON.stringify(lines)).not.toContain('R1-secret');
    expect(lines[2]).toMatchObject({ input: { text: 'Please click https://x/requests/**REDACTED**' } });
  });

  it('hides the links of other runs, which a parent has passed on', async () => {
    const [, line] = await linesOf([
      step('mail', { input: { approve: 'https://x/requests/of-parent?action=approve' } }),
    ]);

    expect(line).toMatchObject({ input: { approve: 'https://x/requests/**REDACTED**?action=approve' } });
  });

  it('says since when a step waits, and until when, but not by which request it is answered', async () => {
    const wait = { requestId: 'secret', kind: 'human', since: 'then', until: 'later', number: 1 } as const;
    const opens = [{ requestId: 'secret', request: { kind: 'approval' } as const }];

    const [, line] = await linesOf([step('a', { status: 'PAUSED', wait, effects: { opens } })]);

    expect(line).toEqual({
      step: 'a',
      type: 'CODE',
      status: 'PAUSED',
      duration: 3,
      waitsSince: 'then',
      waitsUntil: 'later',
    });
  });

  it('names the file of a large output', async () => {
    const outputFile = { fileId: 'i', bytes: 2_000_000 };
    expect((await linesOf([step('a', { outputFile })]))[1]).toMatchObject({ outputFile });
  });
});
