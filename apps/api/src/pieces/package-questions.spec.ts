import {
  NO_PROJECT,
  PieceQuestions,
  RateLimitedError,
  ServiceUnavailableError,
  type PieceAnswer,
  type PieceQuestion,
} from '@millrace/domain';
import { InMemoryMaintenanceQueue } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import { PackageQuestions } from './package-questions';

const QUESTION: PieceQuestion = {
  kind: 'VALIDATE',
  piece: { name: '@scope/piece-notes', version: '1.2.0' },
  value: { type: 'SECRET_TEXT', secret_text: 's3cret-key' },
};

function setUp(answer: PieceAnswer | null, answered: Promise<unknown> = Promise.resolve()) {
  const removed: string[] = [];
  const asked: string[] = [];
  const questions = {
    ask: async (projectId: string) => (asked.push(projectId), 'question_1'),
    answerTo: () => answered.then(() => answer),
    remove: async (id: string) => void removed.push(id),
  } as unknown as PieceQuestions;
  const queue = new InMemoryMaintenanceQueue();
  return { asked, removed, queue, packages: new PackageQuestions(questions, queue, { ms: answer ? 60_000 : 20 }) };
}

beforeAll(() => Logger.overrideLogger(false));

describe('PackageQuestions', () => {
  it('have a worker answer, and leave nothing behind', async () => {
    const { asked, removed, queue, packages } = setUp({ value: null });

    expect(await packages.ask('project_1', QUESTION)).toEqual({ value: null });

    expect(asked).toEqual(['project_1']);
    expect(queue.waiting()).toEqual([
      { kind: 'PieceQuestionJob', rowId: 'question_1', epoch: 1, data: { projectId: 'project_1' } },
    ]);
    expect(removed).toEqual(['question_1']);
  });

  it('wait while eight of their project are open, are refused beyond sixteen that wait, and hold up no other project', async () => {
    let answerAll: (done: null) => void = () => undefined;
    const { asked, packages } = setUp({ value: 1 }, new Promise((done) => (answerAll = done)));
    const open = [
      ...Array.from({ length: 24 }, () => packages.ask('project_1', QUESTION)),
      ...Array.from({ length: 9 }, () => packages.ask(NO_PROJECT, QUESTION)),
      packages.ask('project_2', QUESTION),
    ];

    await expect(packages.ask('project_1', QUESTION)).rejects.toBeInstanceOf(RateLimitedError);
    expect(asked.filter((projectId) => projectId === 'project_1')).toHaveLength(8);
    expect(asked).toHaveLength(18);

    answerAll(null);
    await Promise.all(open);
    expect(await packages.ask('project_1', QUESTION)).toEqual({ value: 1 });
  });

  it('are refused for now when no worker answers in time', async () => {
    const { removed, packages } = setUp(null);

    await expect(packages.ask('project_1', QUESTION)).rejects.toBeInstanceOf(ServiceUnavailableError);
    expect(removed).toEqual(['question_1']);
  });

  it('are refused for now when the queue is out of reach', async () => {
    const { removed, queue, packages } = setUp(null);
    queue.fail(new Error('No Redis.'));

    await expect(packages.ask('project_1', QUESTION)).rejects.toThrow('the job queue is out of reach');
    expect(removed).toEqual(['question_1']);
  });
});
