import {
  PieceQuestions,
  ServiceUnavailableError,
  type AskedQuestion,
  type OutboundHttp,
  type PieceAnswer,
  type PiecePackage,
  type PieceQuestion,
} from '@millrace/domain';
import { BrokenConnection, ConnectionSource } from '@millrace/engine';
import { InstalledPieces, PackageCalls, UnansweredCall, type PackageAnswer, type PackageCall } from '@millrace/pieces';
import { PieceAnswers } from './piece-answers';

const REF = { name: '@scope/piece-notes', version: '1.2.0' };
const KEY = 's3cret-key-of-notes';
const DESCRIPTION = {
  displayName: 'Notes',
  auth: { type: 'SECRET_TEXT', displayName: 'Key', required: true },
  actions: { add: { displayName: 'Add', props: { folder: { type: 'DROPDOWN', displayName: 'Folder' } } } },
  triggers: {},
};
const never = new AbortController().signal;

/** One question, which is there as long as its test says. */
class OneQuestion extends PieceQuestions {
  answered: PieceAnswer | null = null;
  leftMs = 20_000;

  constructor(private readonly asked: Omit<AskedQuestion, 'leftMs'> | null) {
    super();
  }

  ask = () => Promise.reject(new Error('Workers ask nothing.'));
  find = async () => this.asked && { ...this.asked, leftMs: this.leftMs };
  answer = async (_asked: object, answer: PieceAnswer) => void (this.answered = answer);
  answerTo = async () => this.answered;
  remove = async () => undefined;
}

class ScriptedCalls extends PackageCalls {
  readonly calls: PackageCall[] = [];

  constructor(private readonly act: (call: PackageCall) => Promise<PackageAnswer>) {
    super();
  }

  override call(call: PackageCall): Promise<PackageAnswer> {
    this.calls.push(call);
    return this.act(call);
  }
}

class KeysOfProjects extends ConnectionSource {
  override async find(projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const of: Record<string, Record<string, unknown>> = {
      project_1: { notes: KEY, broken: new BrokenConnection('Its provider has refused it.') },
      project_2: { other: KEY },
    };
    return new Map(externalIds.flatMap((id) => (of[projectId]?.[id] === undefined ? [] : [[id, of[projectId][id]]])));
  }
}

const optionsFor = (input: object): PieceQuestion => ({
  kind: 'OPTIONS',
  piece: REF,
  name: 'add',
  propName: 'folder',
  input: { ...input },
});
const VALIDATE: PieceQuestion = { kind: 'VALIDATE', piece: REF, value: { type: 'SECRET_TEXT', secret_text: KEY } };
const EVENT: PieceQuestion = {
  kind: 'EVENT',
  piece: REF,
  request: {
    ...{ webhookSecret: KEY, webhookUrl: 'https://flows.test/app', publicUrl: 'https://flows.test/api/' },
    payload: { method: 'POST', headers: {}, queryParams: {}, body: {}, rawBody: '{}' },
  },
};

function setUp(question: PieceQuestion | null, act: (call: PackageCall) => Promise<PackageAnswer>) {
  const questions = new OneQuestion(question && { id: 'question_1', projectId: 'project_1', question });
  const calls = new ScriptedCalls(act);
  const found = { ...REF, id: 'package_1', description: DESCRIPTION } as PiecePackage;
  const pieces = new InstalledPieces({ find: async () => [found] }, calls);
  const answers = new PieceAnswers(questions, pieces, new KeysOfProjects(), {} as OutboundHttp);
  const answered = async (): Promise<PieceAnswer | null> => {
    await answers.answer('question_1', never);
    return questions.answered;
  };
  return { answered, calls, questions };
}

const value = (given: unknown) => async (): Promise<PackageAnswer> => ({ value: given, output: `printed ${KEY}` });
const failure = (sentence: string) => async (): Promise<PackageAnswer> => ({ failure: sentence, output: '' });

describe('answers to questions about packages', () => {
  it('are what the package gives for a connection of the project', async () => {
    const { answered, calls } = setUp(
      optionsFor({ auth: '{{connections.notes}}' }),
      value({ options: [{ label: 'Inbox', value: 7 }] }),
    );

    expect(await answered()).toEqual({ value: { kind: 'options', options: [{ label: 'Inbox', value: 7 }] } });
    expect(calls.calls).toMatchObject([
      { projectId: 'project_1', request: { auth: { type: 'SECRET_TEXT', secret_text: KEY } } },
    ]);
  });

  it.each(['{{connections.other}}', `{{ connections['other'] }}`])(
    'never come from a connection of another project (%s)',
    async (auth) => {
      const { answered, calls } = setUp(optionsFor({ auth }), value({ options: [] }));

      expect(await answered()).toEqual({ problem: 'The project has no connection "other".' });
      expect(calls.calls).toEqual([]);
    },
  );

  it('say why a connection cannot be used', async () => {
    const { answered } = setUp(optionsFor({ auth: '{{connections.broken}}' }), value({ options: [] }));

    expect(await answered()).toEqual({ problem: expect.stringContaining('Its provider has refused it.') });
  });

  it('may use other connections of the project alone', async () => {
    const { answered } = setUp(optionsFor({}), async ({ services }) => {
      const read = await Promise.all(['notes', 'other'].map(async (id) => services['connection']?.(id)));
      return { value: { options: read.map((value) => ({ label: JSON.stringify(value), value: 1 })) }, output: '' };
    });

    expect(await answered()).toEqual({
      value: {
        kind: 'options',
        options: [
          { label: '{"type":"SECRET_TEXT","secret_text":"**REDACTED**"}', value: 1 },
          { label: 'null', value: 1 },
        ],
      },
    });
  });

  it.each<[string, PieceQuestion, () => Promise<PackageAnswer>, PieceAnswer]>([
    [
      'an option',
      optionsFor({ auth: '{{connections.notes}}' }),
      value({ options: [{ label: `of ${KEY}`, value: KEY }] }),
      { value: { kind: 'options', options: [{ label: 'of **REDACTED**', value: '**REDACTED**' }] } },
    ],
    [
      'a failure',
      optionsFor({ auth: '{{connections.notes}}' }),
      failure(`401 for ${KEY}`),
      { problem: '401 for **REDACTED**' },
    ],
    [
      'the reason against a connection',
      VALIDATE,
      value({ valid: false, error: `${KEY} is wrong` }),
      { value: '**REDACTED** is wrong' },
    ],
    ['a failed check', VALIDATE, failure(`What is ${KEY}?`), { problem: 'What is **REDACTED**?' }],
  ])('have no value of a connection in %s', async (_what, question, act, expected) => {
    const { answered } = setUp(question, act);

    expect(await answered()).toEqual(expected);
  });

  it('to a connection that works are null', async () => {
    const { answered } = setUp(VALIDATE, value({ valid: true }));

    expect(await answered()).toEqual({ value: null });
  });

  it('about an event of an app are what the package reads in a genuine request, and never show the secret', async () => {
    const { answered } = setUp(EVENT, async ({ request: { kind } }) => ({
      value: kind === 'verifyEvent' ? { isGenuine: true } : { reply: { headers: {}, body: `of ${KEY}` } },
      output: '',
    }));
    const forged = setUp(EVENT, value({ isGenuine: false }));

    expect(await answered()).toEqual({ value: { event: null, reply: { headers: {}, body: 'of **REDACTED**' } } });
    expect(await forged.answered()).toEqual({ value: null });
  });

  it.each<[string, () => Promise<PackageAnswer>]>([
    ['has reached a limit', async () => ({ failure: 'Why.', output: '', isUnanswered: true })],
    ['may not run here', () => Promise.reject(new UnansweredCall('Why.'))],
    ['cannot be unpacked', () => Promise.reject(new Error('Why.'))],
  ])('about events of apps and connections tell our own trouble apart, when the package %s', async (_what, act) => {
    expect(await setUp(EVENT, act).answered()).toEqual({ problem: 'Why.', isOurs: true });
    expect(await setUp(VALIDATE, act).answered()).toEqual({ problem: 'Why.', isOurs: true });
  });

  it('about an event of an app tell what the package throws at a genuine one', async () => {
    const { answered } = setUp(EVENT, async ({ request: { kind } }) =>
      kind === 'verifyEvent' ? { value: { isGenuine: true }, output: '' } : { failure: 'It is broken.', output: '' },
    );

    expect(await answered()).toEqual({ problem: 'It is broken.' });
  });

  it('are not sought when nobody waits', async () => {
    const { answered, calls } = setUp(null, value(null));

    expect(await answered()).toBeNull();
    expect(calls.calls).toEqual([]);
  });

  it('end when their asker leaves', async () => {
    const { answered, questions } = setUp(VALIDATE, ({ signal }) => {
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    });
    questions.leftMs = 1;

    expect(await answered()).toBeNull();
  });

  it('are tried again when this service has failed', async () => {
    const { answered, questions } = setUp(VALIDATE, () => Promise.reject(new ServiceUnavailableError('No files.')));

    await expect(answered()).rejects.toThrow('No files.');
    expect(questions.answered).toBeNull();
  });
});
