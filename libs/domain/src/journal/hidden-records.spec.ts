import { ReferringTexts } from '../connections/referring-texts';
import { hasReferences, hiddenRecord, revealedRecord, connectionsOfRecord } from './hidden-records';
import { hiddenResponse, revealedResponse } from './hidden-response';
import type { RecordedStep, StepRecord } from './step-record';

const TOKEN = 'sesame-open';
const REDACTED = '**REDACTED**';

async function knowing(crm: string) {
  const texts = new ReferringTexts(async () => new Map([['crm', crm]]));
  await texts.know(['crm']);
  return texts.hidden;
}

const step = (more: Partial<StepRecord>): StepRecord => ({
  path: 'a',
  type: 'CODE',
  status: 'SUCCEEDED',
  duration: 1,
  ...more,
});

const recorded = ({ input, output, ...rest }: StepRecord): RecordedStep => ({
  ...rest,
  ...(input !== undefined && { input: JSON.parse(input) as unknown }),
  ...(output !== undefined && { output: JSON.parse(output) as unknown }),
});

describe('the record of a step', () => {
  it('is the same when it has no value of a connection', async () => {
    const plain = step({ input: '{"a":1}', output: '"x"' });
    expect(hiddenRecord(plain, new ReferringTexts(async () => new Map()).hidden)).toBe(plain);
    const hidden = hiddenRecord(plain, await knowing(TOKEN));
    expect(hidden).toEqual(plain);
    expect(hasReferences(hidden)).toBe(false);
    expect(connectionsOfRecord(recorded(hidden))).toEqual([]);
  });

  it('has a mark wherever a value stood', async () => {
    const request = { kind: 'form', fields: [{ name: 'a', label: TOKEN, type: 'text', required: true }] } as const;
    const wait = { requestId: 'r', kind: 'human', since: '', request, number: 1 } as const;
    const hidden = hiddenRecord(
      step({
        input: `{"a":"${TOKEN}"}`,
        output: `["x ${TOKEN}"]`,
        errorMessage: `bad ${TOKEN}`,
        logs: [TOKEN, 'fine'],
        wait,
        effects: {
          tags: [TOKEN, 'tag'],
          response: { status: 200, headers: { x: TOKEN }, body: { t: TOKEN } },
          opens: [{ requestId: 'r', request }],
          stop: { status: 'FAILED', message: TOKEN },
        },
      }),
      await knowing(TOKEN),
    );

    expect(JSON.stringify(hidden)).not.toContain(TOKEN);
    expect(hidden).toMatchObject({
      input: `{"a":"${REDACTED}"}`,
      output: `["x ${REDACTED}"]`,
      logs: [REDACTED, 'fine'],
    });
    expect(hidden.effects?.tags).toEqual([REDACTED, 'tag']);
    expect(hasReferences(hidden)).toBe(true);
    expect(connectionsOfRecord(recorded(hidden))).toEqual(['crm']);
  });

  it("is read again with today's values in its output, but not in its input", async () => {
    const hidden = hiddenRecord(step({ input: `{"a":"${TOKEN}"}`, output: `["x ${TOKEN}"]` }), await knowing(TOKEN));

    const revealed = revealedRecord(recorded(hidden), await knowing('sesame-shut'));

    expect(revealed).toEqual({ ...recorded(step({})), input: { a: REDACTED }, output: ['x sesame-shut'] });
  });

  it('of a loop is read again with its items', async () => {
    const loop = step({
      type: 'LOOP_ON_ITEMS',
      status: 'RUNNING',
      input: `{"items":["${TOKEN}",1]}`,
      output: `{"item":"${TOKEN}","index":1}`,
    });

    const { references, ...hidden } = recorded(hiddenRecord(loop, await knowing(TOKEN)));
    const begun = { ...hidden, output: undefined, references };

    expect(hidden.input).toEqual({ items: [REDACTED, 1] });
    expect(revealedRecord({ ...hidden, references }, await knowing(TOKEN))).toEqual(recorded(loop));
    expect(revealedRecord({ ...begun, references: { input: references?.input } }, await knowing(TOKEN)).input).toEqual({
      items: [TOKEN, 1],
    });
  });
});

describe('the response of a run', () => {
  it('is stored with references, and sent with the values', async () => {
    const response = { status: 201, headers: { authorization: `Bearer ${TOKEN}` }, body: { [TOKEN]: [TOKEN] } };
    const stored = hiddenResponse(response, await knowing(TOKEN));

    expect(JSON.stringify(stored)).not.toContain(TOKEN);
    expect(hiddenResponse(stored, await knowing(TOKEN))).toBe(stored);
    const known = await knowing(TOKEN);
    expect(revealedResponse(stored, (text) => known.revealFound(text))).toEqual(response);
    expect(revealedResponse(response, (text) => known.revealFound(text))).toBe(response);
  });
});
