import { receivedFile, uploadedFile } from './stored-file';

const upload = (more: object) =>
  uploadedFile({ id: 'i', projectId: 'p', name: 'a.txt', contentType: 'text/plain', bytes: 1, ...more });

describe('uploadedFile', () => {
  it('is a file of the project, called file and of an unknown type unless said otherwise', () => {
    const file = { id: 'i', projectId: 'p', type: 'FILE', bytes: 1, runId: null };
    expect(upload({})).toEqual({ ...file, name: 'a.txt', contentType: 'text/plain' });
    expect(upload({ name: undefined, contentType: undefined })).toEqual({
      ...file,
      name: 'file',
      contentType: 'application/octet-stream',
    });
  });

  it.each(['Größe 日本 👩‍🚀.txt', '.profile', 'a..b', 'x'.repeat(255), "it's 100%.csv"])('takes the name %j', (name) => {
    expect(upload({ name }).name).toBe(name);
  });

  it.each(['', '  ', '.', '..', '../etc', 'a\\b', 'a\nb', 'a\0', '\ud800', 'cod.\u202etxt', 'x'.repeat(256)])(
    'refuses the name %j',
    (name) => {
      expect(() => upload({ name })).toThrow(
        expect.objectContaining({
          code: 'VALIDATION',
          params: { errors: [{ path: '/name', message: expect.any(String) as string }] },
        }),
      );
    },
  );

  it.each(['text/plain; charset=utf-8', 'application/vnd.ms-excel', 'image/svg+xml;q=1'])(
    'takes the type %j',
    (contentType) => {
      expect(upload({ contentType }).contentType).toBe(contentType);
    },
  );

  it.each(['', 'text', 'text/', 'text/plain\r\nx: y', 'täxt/plain', `text/${'x'.repeat(255)}`])(
    'refuses the type %j',
    (contentType) => {
      expect(() => upload({ contentType })).toThrow('/content-type: must be a media type.');
    },
  );

  it('refuses an empty file', () => {
    expect(() => upload({ bytes: 0 })).toThrow('The body: must be the content of the file.');
  });
});

describe('receivedFile', () => {
  const received = (more: object) =>
    receivedFile({ id: 'i', projectId: 'p', runId: 'r', name: 'a.txt', contentType: 'text/plain', bytes: 0, ...more });

  it('is a file of its run', () => {
    const file = { id: 'i', projectId: 'p', runId: 'r', type: 'FILE', bytes: 0 };
    expect(received({})).toEqual({ ...file, name: 'a.txt', contentType: 'text/plain' });
  });

  it.each([
    ['../../x', '.._.._x'],
    ['a\\b', 'a_b'],
    ['a\0b\r\nc', 'a_b__c'],
    ['cod.\u202etxt', 'cod._txt'],
    ['\ud800', '_'],
    ['..', 'file'],
    ['', 'file'],
    [' \t', '_'],
    ['Größe 👩‍🚀.txt', 'Größe 👩‍🚀.txt'],
  ])('gives %j the name %j', (name, stored) => expect(received({ name }).name).toBe(stored));

  it('shortens a name, and never within a character', () => {
    const { name } = received({ name: '👩'.repeat(300) });
    expect(name.length).toBeLessThanOrEqual(255);
    expect(name.endsWith('👩')).toBe(true);
  });

  it.each(['', 'text', 'text/plain\r\nx: y', `text/${'x'.repeat(255)}`])('takes no type from %j', (contentType) => {
    expect(received({ contentType }).contentType).toBe('application/octet-stream');
  });
});
