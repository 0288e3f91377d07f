import {
  hiddenResponse,
  ReferringTexts,
  RunAnswers,
  ServiceUnavailableError,
  SharedConnections,
  type RunAnswer,
} from '@millrace/domain';
import { SentAnswers } from './sent-answers';

const TOKEN = 'sesame-open';
const RESPONSE = { status: 200, headers: { authorization: `Bearer ${TOKEN}` }, body: { token: TOKEN } };

class OneConnection extends SharedConnections {
  readonly asked: (readonly [string, readonly string[]])[] = [];

  /** Null when the connection cannot be used, undefined when it is not shared. */
  constructor(private readonly secret: string | null | undefined) {
    super();
  }

  override async find(projectId: string, externalIds: readonly string[]) {
    this.asked.push([projectId, externalIds]);
    const { secret } = this;
    if (secret === undefined) throw new ServiceUnavailableError('Not shared.', 7);
    return new Map(secret === null ? [] : [['crm', secret]]);
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

function setUp(secret: string | null | undefined) {
  const values = new OneConnection(secret);
  return { values, sent: new SentAnswers(new OneRun(), values) };
}

describe('the answer of a flow', () => {
  it('is sent with the values of connections that its stored response refers to', async () => {
    const { sent, values } = setUp(TOKEN);
    const answer = await answerOf(RESPONSE);
    expect(JSON.stringify(answer)).not.toContain(TOKEN);

    expect(await sent.of('r', answer)).toEqual({ status: 'SUCCEEDED', response: RESPONSE });
    expect(values.asked).toEqual([['p', ['crm']]]);
  });

  it('reads as redacted where the connection cannot be used', async () => {
    const answer = await answerOf(RESPONSE);
    const redacted = { headers: { authorization: 'Bearer **REDACTED**' }, body: { token: '**REDACTED**' } };

    expect(await setUp(null).sent.of('r', answer)).toMatchObject({ response: redacted });
    expect(await setUp(TOKEN).sent.of('unknown', answer)).toMatchObject({ response: redacted });
  });

  it('is refused, and names the run, while a connection is not shared', async () => {
    const refused = setUp(undefined).sent.of('r', await answerOf(RESPONSE));

    await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', params: { flowRunId: 'r' } });
    await expect(refused).rejects.toMatchObject({ retryAfterSeconds: 7 });
  });

  it('asks for nothing when it refers to nothing', async () => {
    const { sent, values } = setUp(TOKEN);
    const answer: RunAnswer = { status: 'SUCCEEDED', response: RESPONSE };

    expect(await sent.of('r', answer)).toBe(answer);
    expect(await sent.of('r', null)).toBeNull();
    expect(values.asked).toEqual([]);
  });
});
