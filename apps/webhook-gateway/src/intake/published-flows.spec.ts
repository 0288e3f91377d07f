import { FlowChanges, FlowVersionReader, type TriggeredFlow } from '@millrace/domain';
import { checksWith } from '../testing/a-verification';
import { PublishedFlows } from './published-flows';

class HandDrivenChanges extends FlowChanges {
  announce: (flowId: string | null) => void = () => undefined;
  subscribe(listener: (flowId: string | null) => void): void {
    this.announce = listener;
  }
}

const SECRET_ID = '0198c0de-0000-7000-8000-000000000001';

const flow = (status: 'ENABLED' | 'DISABLED'): TriggeredFlow => ({
  flowId: 'f',
  projectId: 'p',
  status,
  publishedVersionId: null,
  triggerPiece: 'webhook',
  triggerInput: {},
});

function setUp(answers: (TriggeredFlow | null)[]) {
  const changes = new HandDrivenChanges();
  const findPublished = jest.fn(() => Promise.resolve(answers.length > 1 ? answers.shift() : answers[0]));
  const published = new PublishedFlows(
    { findPublished } as unknown as FlowVersionReader,
    checksWith({ secrets: { [SECRET_ID]: 'clear' } }),
    changes,
  );
  return { changes, findPublished, published };
}

describe('PublishedFlows', () => {
  it('asks the database once for an enabled flow', async () => {
    const { published, findPublished } = setUp([flow('ENABLED')]);

    await published.find('f');
    await published.find('f');

    expect(findPublished).toHaveBeenCalledTimes(1);
  });

  it('asks again once the flow has changed, or when changes may have been missed', async () => {
    const { published, findPublished, changes } = setUp([flow('ENABLED')]);

    await published.find('f');
    changes.announce('f');
    await published.find('f');
    changes.announce(null);
    await published.find('f');

    expect(findPublished).toHaveBeenCalledTimes(3);
  });

  it('does not remember that a flow was disabled or unknown', async () => {
    const { published } = setUp([null, flow('DISABLED'), flow('ENABLED')]);

    expect(await published.find('f')).toBeNull();
    expect((await published.find('f'))?.status).toBe('DISABLED');
    expect((await published.find('f'))?.status).toBe('ENABLED');
  });

  it('keeps what a webhook must prove, with the secrets in clear', async () => {
    const authFields = { secrets: [`**REDACTED**:${SECRET_ID}`] };
    const signed = { ...flow('ENABLED'), triggerInput: { authType: 'github', authFields } };
    const { published, findPublished } = setUp([signed]);

    for (const found of [await published.find('f'), await published.find('f')])
      expect(found?.check).toEqual({ sender: { authType: 'github', secrets: ['clear'] }, challenge: null });
    expect(findPublished).toHaveBeenCalledTimes(1);
  });

  it('does not keep an answer that was under way when the flow changed', async () => {
    const { published, findPublished, changes } = setUp([flow('ENABLED')]);

    const underWay = published.find('f');
    changes.announce('f');
    await underWay;
    await published.find('f');

    expect(findPublished).toHaveBeenCalledTimes(2);
  });
});
