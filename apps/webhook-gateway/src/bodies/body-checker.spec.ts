import { ServiceUnavailableError } from '@millrace/domain';
import { EventEmitter } from 'node:events';
import { BodyChecker, type BodyOnThread } from './body-checker';

class HandDrivenThread extends EventEmitter {
  static readonly all: HandDrivenThread[] = [];
  readonly asked: BodyOnThread[] = [];
  readonly unref = () => undefined;

  constructor() {
    super();
    HandDrivenThread.all.push(this);
  }

  postMessage(body: BodyOnThread): void {
    this.asked.push(body);
  }
}

jest.mock('node:worker_threads', () => ({
  get Worker() {
    return HandDrivenThread;
  },
}));

describe('BodyChecker', () => {
  it('waits for the new thread when the one that failed exits late', async () => {
    const checker = new BodyChecker({ script: '' });
    const read = () => checker.multipartOf({ rawBody: Buffer.from('x'), contentType: '' });
    const first = read();
    HandDrivenThread.all[0]?.emit('error', new Error('The thread failed.'));
    await expect(first).rejects.toThrow(ServiceUnavailableError);

    const second = read();
    HandDrivenThread.all[0]?.emit('exit', 1);
    const multipart = { members: new Map(), files: [] };
    const [failed, successor] = HandDrivenThread.all;
    successor?.emit('message', { id: successor.asked[0]?.id, multipart });

    expect(await second).toBe(multipart);
    expect(failed?.asked).toHaveLength(1);
  });
});
