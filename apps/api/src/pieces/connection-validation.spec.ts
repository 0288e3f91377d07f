import {
  InvalidRequestError,
  ServiceUnavailableError,
  type ConnectionValue,
  type PieceAnswer,
  type PiecePackage,
  type PieceQuestion,
} from '@millrace/domain';
import { InstalledPieces, NoPackageCalls } from '@millrace/pieces';
import { ConnectionValidation } from './connection-validation';
import type { PackageQuestions } from './package-questions';
import type { PiecesService } from './pieces.service';

const NOTES = { name: '@acme/piece-notes', version: '1.2.0' };
const KEY: ConnectionValue = { type: 'SECRET_TEXT', secret_text: 's3cret-key' };

async function setUp(answer: PieceAnswer, checkedAuths?: string[]) {
  const auth = { type: 'SECRET_TEXT', displayName: 'Key' };
  const installed = { ...NOTES, id: 'package_1', description: { auth, checkedAuths } } as PiecePackage;
  const pieces = new InstalledPieces({ find: async () => [installed] }, new NoPackageCalls());
  await pieces.load([NOTES]);
  const asked: PieceQuestion[] = [];
  const ask = async (_project: string, question: PieceQuestion) => (asked.push(question), answer);
  const validation = new ConnectionValidation({} as PiecesService, pieces, { ask } as unknown as PackageQuestions);
  const check = (value = KEY) => validation.assertWorks({ projectId: 'project_1', piece: NOTES, value });
  return { asked, check };
}

describe('whether a connection works', () => {
  it('is asked of its package', async () => {
    const { asked, check } = await setUp({ value: null });

    await check();

    expect(asked).toEqual([{ kind: 'VALIDATE', piece: NOTES, value: KEY }]);
  });

  it.each<[string, PieceAnswer, new (...args: never[]) => Error]>([
    ['is refused', { value: 'The key is wrong.' }, InvalidRequestError],
    ['cannot be checked by the package', { problem: 'No such server.' }, InvalidRequestError],
    ['gets no answer', { problem: 'The piece reached its memory limit.', isOurs: true }, ServiceUnavailableError],
  ])('is told by the kind of error when it %s', async (_what, answer, error) => {
    await expect((await setUp(answer)).check()).rejects.toBeInstanceOf(error);
  });

  it('is asked of nobody where the package checks no connection of this kind, or takes none', async () => {
    const { asked, check } = await setUp({ value: 'Never.' }, []);

    await check();
    await expect(check({ type: 'NO_AUTH' })).rejects.toBeInstanceOf(InvalidRequestError);

    expect(asked).toEqual([]);
  });
});
