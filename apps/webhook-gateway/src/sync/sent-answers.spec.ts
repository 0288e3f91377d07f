import {
  ConnectionValues,
  hiddenResponse,
  ReferringTexts,
  RunAnswers,
  type FoundConnection,
  type RunAnswer,
} from '@millrace/domain';
import { SentAnswers } from './sent-answers';

const TOKEN = 'sesame-open';
const RESPONSE = { status: 200, headers: { authorization: `Bearer ${TOKEN}` }, body: { token: TOKEN } };

class OneConnection extends ConnectionValues {
  readonly asked: (readonly [string, readonly string[]])[] = [];

  constructor(private readonly secret_text: string | null) {
    super();
  }

  override async find(projectId: string, externalIds: readonly string[]) {
    this.asked.push([projectId, externalIds]);
    const { secret_text } = this;
    const problem = 'It was revoked.';
    const found: FoundConnection =
      secret_text === null ? { id: 'c', problem } : { id: 'c', value: { type: 'SECRET_TEXT', secret_text } };
    return new Map([['crm', found]]);
  }
}

class OneRun extends RunAnswers {
  override read = async () => new Map<string, RunAnswer>();
  override ended = async () => [];
  override projectOf = async (runId: string) => (runId === 'r' ? 'p' : null);
}

async function answerOf(response: typeof RESPONSE): Promise<RunAnswer> {
  const texts = new ReferringTexts(async () => new Map([['crm', TOKEN]]));
  await texts.know(['crm']);
  return { status: 'SUCCEEDED', response: hiddenResponse(response, texts.hidden) };
}

function setUp(secret: string | null = TOKEN) {
  const values = new OneConnection(secret);
  return { values, sent: new SentAnswers(new OneRun(), values) };
}

describe('the answer of a flow', () => {
  it('is sent with the values of connections that its stored response refers to', async () => {
    const { sent, values } = setUp();
    const answer = await answerOf(RESPONSE);
    expect(JSON.stringify(answer)).not.toContain(TOKEN);

    expect(await sent.of('r', answer)).toEqual({ status: 'SUCCEEDED', response: RESPONSE });
    expect(values.asked).toEqual([['p', ['crm']]]);
  });

  it('reads as redacted where the connection cannot be used', async () => {
    const answer = await answerOf(RESPONSE);
    const redacted = { headers: { authorization: 'Bearer **REDACTED**' }, body: { token: '**REDACTED**' } };

    expect(await setUp(null).sent.of('r', answer)).toMatchObject({ response: redacted });
    expect(await setUp().sent.of('unknown', answer)).toMatchObject({ response: redacted });
  });

  it('asks for nothing when it refers to nothing', async () => {
    const { sent, values } = setUp();
    const answer: RunAnswer = { status: 'SUCCEEDED', response: RESPONSE };

    expect(await sent.of('r', answer)).toBe(answer);
    expect(await sent.of('r', null)).toBeNull();
    expect(values.asked).toEqual([]);
  });
});
