import { FileLinks } from './file-links';

const KEY = Buffer.alloc(32, 7);
const ID = '01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c11';
const NOW = new Date('2026-03-01T12:00:00.900Z');
const linksWith = (key: Buffer) => new FileLinks('https://flows.example.com', async () => key);
const links = linksWith(KEY);
const later = (ms: number) => new Date(NOW.getTime() + ms);
const DAY_MS = 24 * 60 * 60 * 1_000;

const proofOf = (url: string) =>
  Object.fromEntries(new URL(url).searchParams) as { expires: string; signature: string };

describe('FileLinks', () => {
  it('makes a link to the file under the public address, for 7 days', async () => {
    const { url, expires } = await links.linkTo(ID, NOW);

    expect(url).toMatch(
      new RegExp(`^https://flows\\.example\\.com/api/v1/files/${ID}\\?expires=\\d+&signature=[\\w-]{43}$`),
    );
    expect(expires).toEqual(new Date('2026-03-08T12:00:00.000Z'));
    expect(proofOf(url).expires).toBe(String(expires.getTime() / 1_000));
  });

  it('takes a link to its last second and no longer', async () => {
    const proof = proofOf((await links.linkTo(ID, NOW)).url);

    await links.check(ID, proof, NOW);
    await links.check(ID.toUpperCase(), proof, later(7 * DAY_MS - 1_000));
    await expect(links.check(ID, proof, later(7 * DAY_MS))).rejects.toThrow('This link to a file has expired.');
  });

  it.each<
    [string, (proof: { expires: string; signature: string }) => [id: string, expires: unknown, signature: unknown]]
  >([
    ['another file', ({ expires, signature }) => ['01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c12', expires, signature]],
    ['a later end', ({ expires, signature }) => [ID, String(Number(expires) + 1), signature]],
    ['an end written otherwise', ({ expires, signature }) => [ID, ` ${expires}`, signature]],
    [
      'a changed signature',
      ({ expires, signature }) => [ID, expires, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`],
    ],
    ['a short signature', ({ expires, signature }) => [ID, expires, signature.slice(0, 20)]],
    ['no signature', ({ expires }) => [ID, expires, undefined]],
    ['no end', ({ signature }) => [ID, undefined, signature]],
    ['two signatures', ({ expires, signature }) => [ID, expires, [signature, signature]]],
    ['nothing', () => [ID, '', '']],
  ])('refuses a link with %s', async (_what, changed) => {
    const [id, expires, signature] = changed(proofOf((await links.linkTo(ID, NOW)).url));

    await expect(links.check(id, { expires, signature }, NOW)).rejects.toMatchObject({
      code: 'AUTHENTICATION',
      message: expect.stringMatching(/^This link to a file is not /) as string,
    });
  });

  it('knows by the link whether it shows the whole file', async () => {
    const [whole, masked] = [await links.linkTo(ID, NOW), await links.linkTo(ID, NOW, 'masked')];

    expect(await links.check(ID, proofOf(whole.url), NOW)).toBe('whole');
    expect(await links.check(ID, proofOf(masked.url), NOW)).toBe('masked');
    expect((await links.linker(NOW, 'masked'))(ID)).toEqual(masked);
  });

  it('refuses a link that was signed with another key', async () => {
    const proof = proofOf((await linksWith(Buffer.alloc(32, 8)).linkTo(ID, NOW)).url);

    await expect(links.check(ID, proof, NOW)).rejects.toThrow('is not one of ours');
  });
});
