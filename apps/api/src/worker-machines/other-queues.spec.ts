import { OtherQueues } from './other-queues';

describe('OtherQueues', () => {
  it('warns once of a worker whose queue is not that of the api', () => {
    const warn = jest.fn();
    const queues = new OtherQueues({ warn });

    for (const id of ['w1', 'w1', 'w2']) queues.look({ id, hostname: 'host', queue: 'POSTGRESQL' }, 'REDIS');
    queues.look({ id: 'w3', hostname: 'host', queue: 'REDIS' }, 'REDIS');

    expect(warn).toHaveBeenCalledTimes(2);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('SVC_REDIS_URL'));
  });
});
