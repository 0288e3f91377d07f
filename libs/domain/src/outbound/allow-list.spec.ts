import { addressOf } from './address-ranges';
import { allowedBy, parseAllowList, tooWide } from './allow-list';

const allows = (list: string, literal: string, port: number): boolean => {
  const address = addressOf(literal);
  return address !== null && allowedBy(parseAllowList(list))(address, port);
};

describe('parseAllowList', () => {
  it.each([
    ['10.0.0.1', { address: '10.0.0.1', family: 4, prefix: 32 }],
    ['10.0.0.1:8080', { address: '10.0.0.1', family: 4, prefix: 32, port: 8080 }],
    ['10.0.0.0/8', { address: '10.0.0.0', family: 4, prefix: 8 }],
    ['10.0.0.0/8:443', { address: '10.0.0.0', family: 4, prefix: 8, port: 443 }],
    ['::1', { address: '::1', family: 6, prefix: 128 }],
    ['[::1]', { address: '::1', family: 6, prefix: 128 }],
    ['[::1]:3000', { address: '::1', family: 6, prefix: 128, port: 3000 }],
    ['fd00::/8', { address: 'fd00::', family: 6, prefix: 8 }],
    ['fd00::/8:443', { address: 'fd00::', family: 6, prefix: 8, port: 443 }],
    ['[fd00::]/8:443', { address: 'fd00::', family: 6, prefix: 8, port: 443 }],
    ['[fd00::/8]:443', { address: 'fd00::', family: 6, prefix: 8, port: 443 }],
  ])('reads %s', (text, target) => {
    expect(parseAllowList(text)).toEqual([target]);
  });

  it('reads several, with spaces and empty entries between', () => {
    expect(parseAllowList(' 10.0.0.1 ,, [::1]:80,')).toHaveLength(2);
  });

  it.each([
    'localhost',
    'localhost:3000',
    '10.0.0',
    '10.0.0.1:0',
    '10.0.0.1:65536',
    '10.0.0.1:http',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '0x7f.1',
    'fe80::1%eth0',
    '::ffff:10.0.0.1/104',
    'fd00::/129',
    '[::1',
    'http://10.0.0.1',
    '*',
  ])('refuses %s and names it', (entry) => {
    expect(() => parseAllowList(`127.0.0.1, ${entry}`)).toThrow(`"${entry}" is not an IP address or CIDR range`);
  });
});

describe('allowedBy', () => {
  it.each([
    ['127.0.0.1:80', '127.0.0.1', 80, true],
    ['127.0.0.1:80', '127.0.0.1', 81, false],
    ['127.0.0.1:80', '127.0.0.2', 80, false],
    ['127.0.0.1:80', '::ffff:7f00:1', 80, true],
    ['127.0.0.1', '127.0.0.1', 6379, true],
    ['10.1.2.3/8', '10.200.0.1', 1, true],
    ['10.0.0.0/8', '11.0.0.1', 1, false],
    ['0.0.0.0/0', '10.0.0.1', 1, true],
    ['0.0.0.0/0', '::1', 1, false],
    ['::/0', '::1', 1, true],
    ['::/0', '127.0.0.1', 1, false],
    ['::/0', 'fe80::1%eth0', 1, false],
    ['[fd00::/8]:443', 'fd12::1', 443, true],
    ['[fd00::/8]:443', 'fd12::1', 80, false],
    ['', '127.0.0.1', 80, false],
  ])('with %s, says of %s at port %i: %s', (list, literal, port, answer) => {
    expect(allows(list, literal, port)).toBe(answer);
  });
});

describe('tooWide', () => {
  it('names the entries that open the whole inside', () => {
    expect(tooWide(parseAllowList('0.0.0.0/0, 10.0.0.0/8, ::/0'))).toEqual(['0.0.0.0/0', '::/0']);
  });
});
