import { buffer } from 'node:stream/consumers';
import type { FileStore } from '../files/file-store';
import type { NewFile } from '../files/stored-file';
import { aNewFile } from './a-file';
import { anId } from './an-id';

const MEGABYTE = 1024 * 1024;

/** Bytes that differ in every place, so that a test notices a piece in the wrong place. */
function someBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
  return bytes;
}

const inParts = (bytes: Buffer, length: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, i) => bytes.subarray(i * length, (i + 1) * length));

/** The promises of every FileStore. `store` returns the same store each time. */
export function describeFileStore(name: string, store: () => FileStore): void {
  const write = (file: NewFile, text = 'hello') => store().write(file, [Buffer.from(text)]);
  const read = async (id: string) => {
    const { file, content } = await store().open(id, 'any');
    return { file, content: await buffer(content) };
  };

  describe(name, () => {
    it('gives a file back as it came', async () => {
      const file = aNewFile({ name: 'Größe 日本.txt', contentType: 'text/plain; charset=utf-8', runId: anId() });

      const stored = await write(file);

      expect(stored).toEqual({ ...file, created: expect.any(Date) as Date });
      expect(await read(file.id)).toEqual({ file: stored, content: Buffer.from('hello') });
      expect(await store().find(file.id, [anId(), file.projectId])).toEqual(stored);
    });

    it.each([
      ['nothing', 0, 1],
      ['one byte', 1, 1],
      ['a piece and a byte', MEGABYTE + 1, MEGABYTE],
      ['exactly two pieces', 2 * MEGABYTE, 100_000],
      ['many pieces in one', 9 * MEGABYTE + 17, 20 * MEGABYTE],
      ['many pieces in small ones', 9 * MEGABYTE + 17, 65_521],
    ])('keeps %s to the last byte', async (_what, length, part) => {
      const file = aNewFile({ bytes: length });
      const bytes = someBytes(length);

      await store().write(file, inParts(bytes, part));

      const { content } = await read(file.id);
      expect(content.equals(bytes)).toBe(true);
    });

    it('keeps the first content of an id', async () => {
      const file = aNewFile();
      const first = await write(file, 'first');

      expect(await write({ ...file, name: 'other' }, 'other')).toEqual(first);

      expect((await read(file.id)).content.toString()).toBe('first');
    });

    it('gives all who write the same file at once the same file', async () => {
      const file = aNewFile({ bytes: 3 * MEGABYTE });
      const bytes = someBytes(file.bytes);

      const stored = await Promise.all([1, 2, 3].map(() => store().write(file, [bytes])));

      expect(new Set(stored.map(({ created }) => created.getTime())).size).toBe(1);
      expect((await read(file.id)).content.equals(bytes)).toBe(true);
    });

    it.each([
      ['less', 'hell'],
      ['more', 'hello!'],
    ])('keeps nothing when %s comes than was said', async (_what, text) => {
      const file = aNewFile({ bytes: 5 });

      await expect(write(file, text)).rejects.toThrow('5 bytes');

      expect(await store().find(file.id, 'any')).toBeNull();
      expect((await write(file)).bytes).toBe(5);
      expect((await read(file.id)).content.toString()).toBe('hello');
    });

    it.each([aNewFile({ bytes: 5 }), aNewFile({ bytes: 9 * MEGABYTE })])(
      'keeps nothing when the content breaks off',
      async (file) => {
        const content = (async function* () {
          yield Buffer.from('hel');
          await Promise.reject(new Error('The sender is gone.'));
        })();

        await expect(store().write(file, content)).rejects.toThrow('The sender is gone.');

        expect(await store().find(file.id, 'any')).toBeNull();
      },
    );

    it('knows no file of another project, and none by an id that is none', async () => {
      const file = aNewFile();
      await write(file);
      const unknown = { code: 'ENTITY_NOT_FOUND', params: { entityType: 'file' } };

      expect(await store().find(file.id, [anId()])).toBeNull();
      expect(await store().find('no-id', 'any')).toBeNull();
      await expect(store().open(file.id, [])).rejects.toMatchObject(unknown);
      await expect(store().open(anId(), 'any')).rejects.toMatchObject(unknown);
    });

    it('deletes what is named and belongs to the projects, and passes over the rest', async () => {
      const projectId = anId();
      const [kept, doomed, foreign] = [aNewFile({ projectId }), aNewFile({ projectId }), aNewFile()];
      for (const file of [kept, doomed, foreign]) await write(file);

      expect(await store().deleteFiles([doomed.id, foreign.id, anId(), 'no-id'], [projectId])).toBe(1);
      expect(await store().deleteFiles([doomed.id], 'any')).toBe(0);

      const found = await Promise.all([kept, doomed, foreign].map(({ id }) => store().find(id, 'any')));
      expect(found.map((file) => file !== null)).toEqual([true, false, true]);
      await expect(store().open(doomed.id, 'any')).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND' });
    });

    it('keeps the files of an old run that a newer one refers to', async () => {
      const [past, now] = [new Date('2020-01-01'), new Date()];
      const shared = aNewFile({ type: 'STEP_FILE', runId: anId(past) });
      const own = aNewFile({ type: 'STEP_FILE', runId: anId(past) });
      for (const file of [shared, own]) await write(file);

      await store().keepWithRun([shared.id], anId(now));
      await store().purgeFilesOfRuns(new Date('2020-01-02'));

      expect(await store().find(shared.id, 'any')).not.toBeNull();
      expect(await store().find(own.id, 'any')).toBeNull();
    });

    it('purges the files of a run that never came to exist, as late as those of a run of its time', async () => {
      const file = aNewFile({ runId: anId(new Date('2020-01-01')) });
      await write(file);

      await store().purgeFilesOfRuns(new Date('2019-12-31'));
      expect(await store().find(file.id, 'any')).not.toBeNull();
      await store().purgeFilesOfRuns(new Date('2020-01-02'));
      expect(await store().find(file.id, 'any')).toBeNull();
    });

    it('purges the files of old runs only', async () => {
      const [past, now] = [new Date('2020-01-01'), new Date()];
      const ofOld = aNewFile({ type: 'STEP_FILE', runId: anId(past) });
      const rest = [aNewFile({ type: 'STEP_FILE', runId: anId(now) }), aNewFile({ id: anId(past) })];
      for (const file of [ofOld, ...rest]) await write(file);

      await store().purgeFilesOfRuns(new Date('2020-01-02'));

      expect(await store().find(ofOld.id, 'any')).toBeNull();
      for (const { id } of rest) expect(await store().find(id, 'any')).not.toBeNull();
    });
  });
}
