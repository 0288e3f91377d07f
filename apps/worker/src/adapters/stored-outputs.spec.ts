import { isId } from '@millrace/domain';
import { anId, InMemoryFileStore } from '@millrace/domain/testing';
import type { RunningStep } from '@millrace/engine';
import { StoredOutputs } from './stored-outputs';

describe('StoredOutputs', () => {
  const files = new InMemoryFileStore();
  const outputs = new StoredOutputs(files);

  const aStep = (path = 'loop[3].step_1'): RunningStep => {
    const id = anId();
    return { id, flowId: anId(), projectId: anId(), stepKey: `${id}:${path}` };
  };

  it('keeps an output as a file of its run', async () => {
    const step = aStep();

    const { fileId, bytes } = await outputs.keep(step, '{"a":"ü"}');

    expect(bytes).toBe(10);
    expect(await files.find(fileId, [step.projectId])).toMatchObject({
      type: 'STEP_FILE',
      runId: step.id,
      name: 'loop[3].step_1.json',
      contentType: 'application/json',
      bytes: 10,
    });
  });

  it.each([
    ['of one piece', '"short"'],
    ['of many pieces', JSON.stringify('0123456789'.repeat(200_000))],
    ['where pieces would cut characters in two', JSON.stringify('😀'.repeat(700_000))],
    ['where pieces would cut others', JSON.stringify(`x${'😀ü'.repeat(500_000)}`)],
  ])('reads an output %s as it was', async (_what, text) => {
    const file = await outputs.keep(aStep(), text);

    expect((await outputs.read(file)) === text).toBe(true);
    expect(file.bytes).toBe(Buffer.byteLength(text));
  });

  it('keeps what cannot be stored as the journal does', async () => {
    const file = await outputs.keep(aStep(), '"nul \\u0000, lone \\ud800"');

    expect(await outputs.read(file)).toBe('"nul \ufffd, lone \ufffd"');
  });

  it('keeps an output of a step once, and never touches what was kept for another', async () => {
    const step = aStep();

    const first = await outputs.keep(step, '"one"');

    expect(isId(first.fileId)).toBe(true);
    expect(await outputs.keep(step, '"one"')).toEqual(first);
    expect((await outputs.keep(step, '"two"')).fileId).not.toBe(first.fileId);
    expect((await outputs.keep(aStep(), '"one"')).fileId).not.toBe(first.fileId);
    expect(await outputs.read(first)).toBe('"one"');
  });

  it('rejects when the file was deleted', async () => {
    const file = await outputs.keep(aStep(), '"gone"');

    await files.deleteFiles([file.fileId], 'any');

    await expect(outputs.read(file)).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND' });
  });
});
