import { FileLinks, type NewFile } from '@millrace/domain';
import { HandDrivenClock, InMemoryFileStore } from '@millrace/domain/testing';
import { LinkedStepFiles } from './linked-step-files';

const PUBLIC_URL = 'https://millrace.test';
const STEP = { id: '01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c18', projectId: 'project_1', stepKey: 'run:step' };
const FILE = { name: 'a/b.txt', content: Buffer.from('kept') };

function setUp() {
  const [store, clock] = [new InMemoryFileStore(), new HandDrivenClock()];
  const links = new FileLinks(PUBLIC_URL, async () => Buffer.alloc(32, 7));
  const link = (id: string, view?: 'masked') => links.linkTo(id, clock.now(), view).then(({ url }) => url);
  return { store, clock, link, files: new LinkedStepFiles(store, links, clock, PUBLIC_URL) };
}

describe('LinkedStepFiles', () => {
  it('store a file of the run, and read it by its link', async () => {
    const { files, store } = setUp();

    const url = await files.write(STEP, FILE);

    const id = /files\/([\w-]+)\?/.exec(url)?.[1] ?? '';
    expect(await store.find(id, ['project_1'])).toMatchObject({
      type: 'FILE',
      name: 'a_b.txt',
      runId: STEP.id,
      bytes: 4,
    });
    expect(await files.read(url)).toEqual({ name: 'a_b.txt', content: FILE.content });
  });

  it('store the same file of a repeated step once', async () => {
    const { files } = setUp();

    expect(await files.write(STEP, FILE)).toBe(await files.write(STEP, FILE));
    expect(await files.write({ ...STEP, stepKey: 'run:other' }, FILE)).not.toBe(await files.write(STEP, FILE));
  });

  it('delete the files behind links, of the project alone', async () => {
    const { files } = setUp();
    const [kept, gone] = [await files.write(STEP, FILE), await files.write({ ...STEP, stepKey: 'run:other' }, FILE)];

    await files.delete([kept], 'project_2');
    await files.delete([gone, 'https://elsewhere.test/api/v1/files/1'], 'project_1');

    expect(await files.read(kept)).toMatchObject({ content: FILE.content });
    await expect(files.read(gone)).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND' });
  });

  it.each([
    'https://elsewhere.test/api/v1/files/1',
    `${PUBLIC_URL}.evil.test/api/v1/files/1`,
    `${PUBLIC_URL}/api/v1/flows`,
  ])('leave other URLs alone (%s)', async (url) => {
    expect(await setUp().files.read(url)).toBeNull();
  });

  it('read nothing by a link that is wrong, over, or to another kind of file', async () => {
    const { files, store, clock, link } = setUp();
    const id = '01935f2e-8d1c-8c3a-9a52-3f1f0e6f4c18';
    const archive: NewFile = {
      id,
      projectId: 'p',
      type: 'PACKAGE_ARCHIVE',
      name: 'a',
      contentType: '',
      bytes: 4,
      runId: null,
    };
    await store.write(archive, [FILE.content]);
    const url = await files.write(STEP, FILE);

    await expect(files.read(`${PUBLIC_URL}/api/v1/files/${id}`)).rejects.toThrow('not complete');
    await expect(files.read(`${url}x`)).rejects.toThrow('not one of ours');
    await expect(files.read(await link(id))).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND' });
    await expect(files.read(await link(/files\/([\w-]+)\?/.exec(url)?.[1] ?? '', 'masked'))).rejects.toMatchObject({
      code: 'ENTITY_NOT_FOUND',
    });
    clock.advance(8 * 24 * 3_600_000);
    await expect(files.read(url)).rejects.toThrow('has expired');
  });
});
