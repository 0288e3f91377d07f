import { HostUnderTest } from '../testing/a-piece-host';

const JSON_TYPE = { 'content-type': 'application/json' };
const TEXT_TYPE = { 'content-type': 'text/plain; charset=utf-8' };

describe('webhook.return_response', () => {
  const subject = new HostUnderTest();
  const respond = (input: Record<string, unknown>) => subject.run('webhook.return_response', input);

  it.each([
    ['json', { body: { a: 1 } }, { status: 200, headers: JSON_TYPE, body: { a: 1 } }],
    ['json', { status: '201', body: [1] }, { status: 201, headers: JSON_TYPE, body: [1] }],
    ['json', { body: '{"a":  1}' }, { status: 200, headers: JSON_TYPE, body: '{"a":  1}' }],
    ['json', { body: 'plain' }, { status: 200, headers: JSON_TYPE, body: '"plain"' }],
    ['json', {}, { status: 200, headers: JSON_TYPE, body: null }],
    ['raw', { body: 'plain' }, { status: 200, headers: TEXT_TYPE, body: 'plain' }],
    ['raw', {}, { status: 200, headers: TEXT_TYPE, body: '' }],
    ['redirect', { body: 'https://a.test' }, { status: 302, headers: { location: 'https://a.test' }, body: null }],
    [
      'redirect',
      { status: 307, headers: { Location: '/b' } },
      { status: 307, headers: { Location: '/b' }, body: null },
    ],
    [
      'redirect',
      { body: 'https://bücher.test/größe?q=日本' },
      {
        status: 302,
        headers: { location: 'https://xn--bcher-kva.test/gr%C3%B6%C3%9Fe?q=%E6%97%A5%E6%9C%AC' },
        body: null,
      },
    ],
    [
      'redirect',
      { headers: { Location: '/größe' } },
      { status: 302, headers: { Location: '/gr%C3%B6%C3%9Fe' }, body: null },
    ],
    [undefined, { body: 1 }, { status: 200, headers: JSON_TYPE, body: 1 }],
  ])('answers as %s with %j', async (responseType, fields, response) =>
    expect(await respond({ responseType, fields, respond: 'respond' })).toMatchObject({
      kind: 'value',
      output: response,
      effects: { response },
    }),
  );

  it('keeps the headers of the author, as text', async () => {
    const headers = { 'Content-Type': 'text/csv', 'X-Count': 5, 'X-None': null };

    expect(await respond({ responseType: 'raw', fields: { headers, body: 'a,b' } })).toMatchObject({
      output: { headers: { 'Content-Type': 'text/csv', 'X-Count': '5' } },
    });
  });

  it('ends the run after the response, unless it is to go on', async () => {
    const stop = { status: 'SUCCEEDED' };

    expect(await respond({ respond: 'stop' })).toMatchObject({ effects: { stop } });
    expect(await respond({})).toMatchObject({ effects: { stop } });
    expect(await respond({ respond: 'respond' })).not.toHaveProperty('effects.stop');
  });

  it.each([
    [{ responseType: 'redirect', fields: {} }, 'The redirect has no target: its body must be an address.'],
    [{ fields: { status: 99 } }, 'The status of a response must be a whole number from 200 to 599.'],
    [{ fields: { status: 200.5 } }, 'The status of a response must be a whole number from 200 to 599.'],
    [{ fields: { status: 'fine' } }, 'The input "Status" (fields.status) must be a number.'],
    [
      { fields: { headers: { 'x-city': '東京' } } },
      'The header "x-city" of the response has characters that HTTP headers cannot carry.',
    ],
    [
      { fields: { headers: { 'bad name': 'x' } } },
      'The header "bad name" of the response has characters that HTTP headers cannot carry.',
    ],
    [{ responseType: 'xml' }, 'The input "Response type" (responseType) must be one of json, raw, redirect.'],
  ])('answers nothing with %j', async (input, message) =>
    expect(await respond(input)).toEqual({ kind: 'failed', message, logs: [] }),
  );
});
