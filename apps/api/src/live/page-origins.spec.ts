import { PageOrigins } from './page-origins';

const refusal = { code: 'PERMISSION_DENIED', message: expect.stringContaining('SVC_API_CORS_ORIGINS') as string };

describe('the pages that may open live connections', () => {
  it.each([
    ['any page of the public URL', 'https://flows.example/base', [], { origin: 'https://flows.example' }],
    ['a listed origin', 'https://flows.example', ['https://app.example'], { origin: 'https://app.example' }],
    ['everybody, by the list', 'https://flows.example', ['*'], { origin: 'null' }],
    ['a program, which names no origin', 'https://flows.example', [], {}],
    [
      'the host that was called, whatever the public URL',
      'https://flows.example',
      [],
      { origin: 'http://a:3000', host: 'A:3000' },
    ],
    [
      'the host that a proxy was called by',
      undefined,
      [],
      { origin: 'https://flows.example', host: 'api:3001', 'x-forwarded-host': 'flows.example, gateway:3000' },
    ],
  ])('are those of %s', (_who, publicUrl, listed, headers) => {
    expect(() => new PageOrigins(publicUrl, listed).assertAllowed(headers)).not.toThrow();
  });

  it.each([
    ['another origin', 'https://flows.example', [], { origin: 'https://evil.example', host: 'flows.example' }],
    ['another scheme', 'https://flows.example', [], { origin: 'http://flows.example' }],
    ['another port', 'https://flows.example', [], { origin: 'https://flows.example:8443' }],
    ['a longer name', 'https://flows.example', [], { origin: 'https://flows.example.evil.example' }],
    ['no origin that can be told', 'https://flows.example', [], { origin: 'null' }],
    ['another host, without a public URL', undefined, [], { origin: 'http://evil.example', host: 'a:3000' }],
    ['an origin that is no URL', undefined, [], { origin: 'a:3000', host: 'a:3000' }],
    ['no list member but a part of one', 'https://flows.example', ['https://app.example'], { origin: 'https://app' }],
  ])('are not those of %s', (_who, publicUrl, listed, headers) => {
    const origins = new PageOrigins(publicUrl, listed);

    expect(() => origins.assertAllowed(headers)).toThrow(expect.objectContaining(refusal));
  });
});
