import type { Queue } from 'bullmq';
import { queueAnswers } from './queue-answers';

describe('queueAnswers, in PostgreSQL', () => {
  it('does not blame Redis when PostgreSQL is away', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
    const queue = { getBackend: () => ({}), isPaused: () => Promise.reject(refused) } as unknown as Queue;

    await expect(queueAnswers(queue)).rejects.toBe(refused);
  });
});
