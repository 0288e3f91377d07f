import { RecordingSlot } from '@millrace/domain/testing';
import { anAnswer } from '../testing/recording-http';
import { aPiece, HostUnderTest } from '../testing/a-piece-host';

const SERVER = { host: 'mail.test', port: 25, secure: false };

describe('an action', () => {
  it('leaves the slot of its run while it awaits an answer from outside', async () => {
    const slot = new RecordingSlot();
    const { events } = slot;
    const actions = aPiece({
      act: {
        displayName: '',
        description: '',
        props: {},
        run: async ({ http, mail, store, signal }) => {
          await store.get('RUN', 'key');
          await http.send({ method: 'GET', url: 'http://a.test' });
          events.push('works');
          await mail.send({ to: ['bob@mail.test'], subject: '', text: '' }, SERVER, signal);
        },
      },
    });
    const host = new HostUnderTest([actions]);
    host.http.answer = async () => {
      events.push('http');
      return anAnswer();
    };

    await host.run('test.act', {}, { slot });

    expect(events).toEqual(['left', 'http', 'came back', 'works', 'left', 'came back']);
  });

  it('has it back when there is no answer', async () => {
    const slot = new RecordingSlot();
    const host = new HostUnderTest();
    host.http.answer = () => Promise.reject(new Error('Away.'));

    expect(await host.run('http.send_request', { method: 'GET', url: 'http://a.test' }, { slot })).toMatchObject({
      kind: 'failed',
    });
    expect(slot.events).toEqual(['left', 'came back']);
  });
});
