import { RecordingFiles } from '../testing/recording-files';
import { RecordingHttp } from '../testing/recording-http';
import { FilesOfTriggerCall } from './trigger-files';

const FILE = { name: 'a.txt', content: Buffer.from('A picture') };
const TOO_MANY = 'A call of a trigger writes at most 100 files, and 50 MB of them.';

function setUp() {
  const [stored, stop] = [new RecordingFiles(), new AbortController()];
  const call = { flow: { id: 'flow_1', projectId: 'project_1' }, http: new RecordingHttp(), signal: stop.signal };
  return { stored, stop, files: new FilesOfTriggerCall(call, stored, 'id_1') };
}

describe('the files of a call of a trigger', () => {
  it('are 100 at most', async () => {
    const { files, stored } = setUp();
    for (let file = 0; file < 100; file++) await files.write(FILE);

    await expect(files.write(FILE)).rejects.toThrow(TOO_MANY);
    expect(stored.written).toHaveLength(100);
  });

  it('have 50 MB at most', async () => {
    const { files, stored } = setUp();
    const large = { name: 'a', content: Buffer.alloc(25 * 1024 * 1024) };
    for (let file = 0; file < 2; file++) await files.write(large);

    await expect(files.write(FILE)).rejects.toThrow(TOO_MANY);
    expect(stored.written).toHaveLength(2);
  });

  it('are deleted when the call fails, with those that are being written then', async () => {
    const { files, stored } = setUp();
    const link = await files.write(FILE);
    let written: (link: string) => void = () => undefined;
    jest.spyOn(stored, 'write').mockReturnValueOnce(new Promise((resolve) => (written = resolve)));

    const failed = files.during(async () => {
      void files.write(FILE);
      throw new Error('No.');
    });
    written('https://millrace.test/files/late');

    await expect(failed).rejects.toThrow('No.');
    expect(stored.deleted).toEqual([link, 'https://millrace.test/files/late']);
    await expect(files.write(FILE)).rejects.toThrow('The call of the trigger has ended.');
  });

  it('are deleted when nobody waits for the call any more', async () => {
    const { files, stored, stop } = setUp();
    const call = files.during(async () => {
      await files.write(FILE);
      stop.abort(new Error('It takes too long.'));
    });

    await expect(call).rejects.toThrow('It takes too long.');
    expect(stored.deleted).toHaveLength(1);
  });

  it('are kept as long as a text has a link to them, whatever follows its address', async () => {
    const { files, stored } = setUp();
    const links = ['https://millrace.test/files/a?expires=1', 'https://millrace.test/files/b?expires=1'];
    for (const link of links) {
      jest.spyOn(stored, 'write').mockResolvedValueOnce(link);
      await files.write(FILE);
    }

    await files.deleteUnless(['{"text":"See https://millrace.test/files/a?expires=2."}']);

    expect(stored.deleted).toEqual([links[1]]);
  });

  it('are compared by their content and their name', async () => {
    const { files } = setUp();
    const links = [
      await files.write(FILE),
      await files.write(FILE),
      await files.write({ ...FILE, name: 'b.txt' }),
      await files.write({ ...FILE, content: Buffer.from('Another picture') }),
    ];

    const items = files.comparable([...links, 'none'].map((link) => ({ value: { text: `See ${link}.` } })));

    const [first, second, named, other, none] = items.map(({ comparedAs }) => comparedAs);
    expect(second).toEqual(first);
    expect(new Set([first, named, other].map((each) => JSON.stringify(each))).size).toBe(3);
    expect(none).toBeUndefined();
    expect(items[0]?.value).toEqual({ text: `See ${links[0]}.` });
  });
});
