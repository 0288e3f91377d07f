import { parseAllowList } from '@millrace/domain';
import { AddressGuard } from '@millrace/http';
import { DestinationUrls } from './destination-urls';

const ADDRESSES: Readonly<Record<string, string>> = { 'public.example': '93.184.215.14', 'inside.example': '10.1.2.3' };

function lookup(name: string): Promise<{ address: string }[]> {
  const address = ADDRESSES[name];
  return address ? Promise.resolve([{ address }]) : Promise.reject(new Error('unknown name'));
}

describe('the URL of an event destination', () => {
  const urls = new DestinationUrls(new AddressGuard({ lookup, allowList: parseAllowList('127.0.0.1:8080') }));

  it.each([
    'https://public.example/hook?key=1',
    'https://not-known-yet.example',
    'http://127.0.0.1:8080/hook',
    'https://127.0.0.1:8080/hook',
  ])('may be %s', async (url) => await expect(urls.assertAllowed(url)).resolves.toBeUndefined());

  it.each([
    ['hook', 'is not a valid URL.'],
    ['ftp://public.example', 'must begin with https'],
    ['http://public.example', 'must begin with https'],
    ['http://inside.example', 'must begin with https'],
    ['http://not-known-yet.example', 'must begin with https'],
    ['http://127.0.0.1:8081', 'must begin with https'],
    ['https://inside.example', 'is not allowed'],
    ['https://10.0.0.1', 'is not allowed'],
    ['https://[::1]', 'is not allowed'],
    ['https://ada:secret@public.example', 'must not contain a user name'],
  ])('is not %s', async (url, message) => {
    await expect(urls.assertAllowed(url)).rejects.toThrow(`/url: ${message}`);
  });
});
