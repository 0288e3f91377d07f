import { InvalidRequestError } from '@millrace/domain';
import { leastCpuMs } from '@millrace/domain/testing';
import { aMultipartBody } from '../testing/a-multipart-body';
import { MOST_FILES, MOST_PARTS, multipartBody, textOfMultipart } from './multipart-body';

const TYPE = 'multipart/form-data; boundary=b';
const part = (header: string, content: string): string => `--b\r\n${header}\r\n\r\n${content}\r\n`;
const field = (name: string, content: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, content);
const read = (body: string | Buffer, type = TYPE) => multipartBody(Buffer.from(body as string), type);
const urls = (file: number) => `url:${file}`;
const bodyOf = async (body: string, type = TYPE): Promise<unknown> =>
  JSON.parse(textOfMultipart(await read(body, type), urls));

describe('multipartBody', () => {
  it('reads what a browser sends', async () => {
    const { rawBody, contentType } = await aMultipartBody([
      ['größe', 'schön 😀'],
      ['several', '1'],
      ['several', '2'],
      ['photo', new File([Buffer.from([0, 255, 13, 10, 45, 45])], 'фото "1".png', { type: 'image/png' })],
      ['several', new File(['x'], 'x.txt', { type: 'text/plain' })],
      ['nothing', new File([], '')],
      ['empty', new File([], 'empty.txt')],
    ]);

    const body = await multipartBody(rawBody, contentType);

    expect(JSON.parse(textOfMultipart(body, urls))).toEqual({
      größe: 'schön 😀',
      several: ['1', '2', 'url:1'],
      photo: 'url:0',
      nothing: '',
      empty: 'url:2',
    });
    expect(body.files.map(({ contentType: type, content }) => [type, [...content]])).toEqual([
      ['image/png', [0, 255, 13, 10, 45, 45]],
      ['text/plain', [120]],
      ['application/octet-stream', []],
    ]);
    expect(body.files[0]?.name).toContain('фото');
  });

  it('reads text by the character set of its part, whatever stands around the parts', async () => {
    const header = 'content-disposition: form-data; name=a\r\ncontent-type: text/plain; charset=iso-8859-1';
    const body = Buffer.from(`preamble\r\n${part(header, 'J\xf6rg')}--b--\r\nepilogue`, 'latin1');
    expect(JSON.parse(textOfMultipart(await read(body), urls))).toEqual({ a: 'Jörg' });
    expect(await bodyOf(`${field('a', '1')}--b--`, 'Multipart/Form-Data; boundary="b"; x=y')).toEqual({ a: '1' });
  });

  it('reads a form without fields', async () => {
    const { rawBody, contentType } = await aMultipartBody([]);
    expect(await multipartBody(rawBody, contentType)).toEqual({ members: new Map(), files: [] });
    expect(await bodyOf('--b--')).toEqual({});
  });

  it('takes names for data', async () => {
    const body = await read(`${field('__proto__', '1')}${field('constructor', '2')}${field('', '3')}--b--\r\n`);
    expect(textOfMultipart(body, urls)).toBe('{"__proto__":"1","constructor":"2","":"3"}');
  });

  it('takes a part of a type that is no text for a file, also without a name', async () => {
    const { files } = await read(
      `${part('Content-Disposition: form-data; name=a\r\nContent-Type: image/png', 'x')}--b--`,
    );
    expect(files).toMatchObject([{ name: '', contentType: 'image/png' }]);
    const json = part('Content-Disposition: form-data; name=a\r\nContent-Type: application/json', '{"x":1}');
    expect(await bodyOf(`${json}--b--`)).toEqual({ a: '{"x":1}' });
  });

  it.each(['../../x', '..\\..\\x', '/etc/x', 'C:\\x'])('takes no path for the name of a file: %s', async (name) => {
    const header = `Content-Disposition: form-data; name="f"; filename="${name.replaceAll('\\', '\\\\')}"`;
    expect((await read(`${part(header, 'x')}--b--\r\n`)).files[0]?.name).toBe('x');
  });

  it.each([
    ['no boundary', `${field('a', '1')}--b--`, 'multipart/form-data'],
    ['an empty boundary', `${field('a', '1')}--b--`, 'multipart/form-data; boundary=""'],
    ['a boundary that is too long', `${field('a', '1')}--b--`, `multipart/form-data; boundary=${'b'.repeat(71)}`],
    ['a boundary within another parameter', `${field('a', '1')}--b--`, 'multipart/form-data; x="; boundary=b"'],
    ['a boundary with an escape', `${field('a', '1')}--b--`, 'multipart/form-data; boundary="\\b"'],
    ['another boundary', `${field('a', '1')}--b--`, 'multipart/form-data; boundary=c'],
    ['no end', field('a', '1'), TYPE],
    ['an end within a part', field('a', '1').slice(0, -8), TYPE],
    ['an end within a file without a field', '--b\r\nContent-Disposition: form-data; filename="x"\r\n\r\nx', TYPE],
    ['no parts', 'text', TYPE],
    ['a part without a header', `--b\r\n\r\nx\r\n${field('a', '1')}--b--`, TYPE],
    ['a part of another kind', `${part('Content-Disposition: attachment; name="a"', 'x')}--b--`, TYPE],
    ['a part without a name', `${part('Content-Disposition: form-data', 'x')}--b--`, TYPE],
    ['a file without a field', `${part('Content-Disposition: form-data; filename="x"', 'x')}--b--`, TYPE],
    ['a header that never begins', `--b\r\n${'\r\n'.repeat(100_000)}--b--`, TYPE],
    ['a header without an end', `--b\r\n${'x'.repeat(100_000)}\r\n--b--`, TYPE],
    [
      'a huge header before its name',
      `${part(`X: ${'x'.repeat(20_000)}\r\nContent-Disposition: form-data; name=a`, '1')}--b--`,
      TYPE,
    ],
  ])('refuses a body with %s', async (_, body, type) => {
    await expect(read(body, type)).rejects.toThrow(InvalidRequestError);
  });

  it('bounds the parts and the files', async () => {
    const many = (count: number, one: string) => `${one.repeat(count)}--b--\r\n`;
    const file = part('Content-Disposition: form-data; name="f"; filename="x"', 'x');

    expect((await read(many(MOST_PARTS, field('a', '1')))).members.get('a')).toHaveLength(MOST_PARTS);
    await expect(read(many(MOST_PARTS + 1, field('a', '1')))).rejects.toThrow(`at most ${MOST_PARTS} parts`);
    expect((await read(many(MOST_FILES, file))).files).toHaveLength(MOST_FILES);
    await expect(read(many(MOST_FILES + 1, file))).rejects.toThrow(`at most ${MOST_FILES} files`);
  });

  it.each([
    'multipart/form-data; x="; boundary=zzz"; boundary=b',
    'multipart/form-data; x="\\"; boundary=zzz"; boundary=b',
    'multipart/form-data; boundary=b; x="; boundary=zzz"; boundary=zzz',
  ])('reads and bounds the parts by the same boundary: %s', async (type) => {
    expect(await bodyOf(`${field('a', '1')}--b--`, type)).toEqual({ a: '1' });
    const tooMany = `${field('a', '1').repeat(MOST_PARTS + 1)}--b--`;
    await expect(read(tooMany, type)).rejects.toThrow(`at most ${MOST_PARTS} parts`);
  });

  it.each(["'()+_,-./:=?", 'a b;c', '*=', '[{#!}]'])('reads a body with the boundary %s', async (boundary) => {
    const body = `${field('a', '1')}--b--`.replaceAll('--b', `--${boundary}`);
    expect(await bodyOf(body, `multipart/form-data; boundary="${boundary}"`)).toEqual({ a: '1' });
  });

  it('refuses 100,000 parts before it parses one', async () => {
    const body = Buffer.from(`${field('a', '1').repeat(100_000)}--b--`);
    const refuse = () => expect(read(body)).rejects.toThrow(`at most ${MOST_PARTS} parts`);

    expect(await leastCpuMs(refuse)).toBeLessThan(200);
  });

  it('keeps nothing of a long header that it does not know', async () => {
    const header = `Content-Disposition: form-data; name=a\r\nX: ${'x'.repeat(1_000_000)}`;
    expect(await bodyOf(`${part(header, '1')}--b--`)).toEqual({ a: '1' });
  });

  it('comes to an end with any body', async () => {
    const file = part('Content-Disposition: form-data; name="f"; filename="x"\r\nContent-Type: image/png', 'x\r\n-');
    const whole = Buffer.from(`${field('a', '1')}${file}${field('b', '2')}--b--\r\n`, 'latin1');
    for (let n = 0; n < 2_000; n++) {
      const body = mutated(whole, n);
      await multipartBody(body, TYPE).then(
        (read) => expect(() => JSON.parse(textOfMultipart(read, urls)) as unknown).not.toThrow(),
        (error) => expect(error).toBeInstanceOf(InvalidRequestError),
      );
    }
  });
});

/** Cuts the bytes, repeats a part of them, or puts others in their place, as the seed says. */
function mutated(bytes: Buffer, seed: number): Buffer {
  let state = seed + 1;
  const below = (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % most;
  };
  const at = below(bytes.length);
  const end = Math.min(bytes.length, at + below(30));
  const put = [
    Buffer.alloc(0),
    bytes.subarray(at, end),
    Buffer.from('\r\n--b'),
    Buffer.from('\r\n\r\n'),
    Buffer.of(below(256)),
  ];
  return Buffer.concat([bytes.subarray(0, at), put[below(put.length)] as Buffer, bytes.subarray(below(4) ? end : at)]);
}
