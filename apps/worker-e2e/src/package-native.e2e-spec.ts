import { deflateSync } from 'node:zlib';
import { pieceStep } from '@millrace/domain/testing';
import { patience, registryHas, type RunAnswer } from '@millrace/e2e-support';
import { ServiceWithTargets } from './testing/service-with-targets';

const IMAGE_HELPER = { name: '@activepieces/piece-image-helper', version: '0.1.21' };
const whereItIs = registryHas(IMAGE_HELPER.name, IMAGE_HELPER.version) ? describe : describe.skip;

jest.setTimeout(300_000 * patience);

/** The check sum of a part of a PNG. */
function sumOf(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

function partOfPng(kind: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(kind), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(sumOf(named));
  return Buffer.concat([length, named, sum]);
}

/** A grey image of 16 × 16 points. */
function aPng(): Buffer {
  const size = 16;
  const header = Buffer.from([0, 0, 0, size, 0, 0, 0, size, 8, 0, 0, 0, 0]);
  const rows = Buffer.alloc(size * (size + 1), 128).map((value, at) => (at % (size + 1) === 0 ? 0 : value));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    partOfPng('IHDR', header),
    partOfPng('IDAT', deflateSync(rows)),
    partOfPng('IEND', Buffer.alloc(0)),
  ]);
}

whereItIs('a published package with native parts (left out where the registry does not have it)', () => {
  let targets: ServiceWithTargets;
  beforeAll(async () => {
    targets = await ServiceWithTargets.start();
  });
  afterAll(async () => expect(await targets.service.stop()).toBe(0));

  const run = (): Promise<RunAnswer> => {
    const step = pieceStep('act', {
      image: `data:image/png;base64,${aPng().toString('base64')}`,
      outputFormat: 'AVIF',
      resultFileName: 'grey',
    });
    const { name: pieceName, version: pieceVersion } = IMAGE_HELPER;
    const settings = { ...step.settings, pieceName, pieceVersion, actionName: 'convert_image_format' };
    return targets.run([{ ...step, settings }]);
  };

  it('runs behind walls that hold them, and elsewhere says why it does not', async () => {
    const { client } = targets.service;
    const { status, body } = await client.request<{ params?: { message: string } }>('POST', '/pieces', IMAGE_HELPER);
    if (status !== 201) {
      console.warn('This machine has no walls that hold native parts.');
      expect(body.params?.message).toContain('has native parts, which do not run on this worker');
      return;
    }

    const { steps } = await run();

    expect(steps?.['act']).toMatchObject({ status: 'SUCCEEDED', output: { sourceMimetype: 'image/png' } });
    const { file } = steps?.['act']?.output as { file: string };
    const image = await fetch(file);
    expect(Buffer.from(await image.arrayBuffer()).toString('latin1', 4, 12)).toBe('ftypavif');
  });
});
