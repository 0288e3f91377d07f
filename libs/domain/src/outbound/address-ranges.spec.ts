import { addressOf, isPublicAddress } from './address-ranges';

const judge = (literal: string): string => {
  const address = addressOf(literal);
  return address === null ? 'no address' : isPublicAddress(address) ? 'public' : 'closed';
};

describe('isPublicAddress', () => {
  it.each([
    ['closed', '0.0.0.0 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 168.63.129.16 169.254.169.254 172.31.255.255'],
    ['closed', '192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1'],
    ['closed', '239.1.1.1 240.0.0.1 255.255.255.255'],
    [
      'public',
      '1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.1.1.1 128.0.0.1 168.63.129.17 169.253.1.1',
    ],
    ['public', '172.15.255.255 172.32.0.0 192.0.1.1 192.167.1.1 198.17.1.1 198.20.0.0 223.255.255.255'],
    [
      'closed',
      ':: ::1 ::2 ::127.0.0.1 ::8.8.8.8 100::1 fc00::1 fdff::1 fe80::1 fec0::1 ff02::1 4000::1 5f00::1 1fff::1',
    ],
    ['closed', '2001::1 2001:0:4136:e378:8000:63bf:f7f7:f7f7 2001:1ff::1 2001:db8::1 2002:808:808:: 3fff:fff::1'],
    ['public', '2001:200::1 2001:4860:4860::8888 2606:4700::1111 2a00:1450::1 2003::1 3fff:1000::1'],
    ['closed', '::ffff:127.0.0.1 ::ffff:7f00:1 [::ffff:a9fe:a9fe] 0:0:0:0:0:ffff:0a00:0001 ::ffff:0:127.0.0.1'],
    ['public', '::ffff:1.1.1.1 [::ffff:808:808]'],
    ['closed', '64:ff9b::a9fe:a9fe 64:ff9b::10.0.0.1 64:ff9b:1::808:808'],
    ['public', '64:ff9b::808:808'],
    ['closed', 'fe80::1%eth0 2606:4700::1111%eth0 ::ffff:1.1.1.1%1'],
    ['no address', 'example.com 127.1 0x7f000001 2130706433 1.2.3.4.5 [] :::'],
  ])('is %s for %s', (verdict, literals) => {
    const verdicts = literals.split(' ').map((literal) => `${literal} ${judge(literal)}`);

    expect(verdicts).toEqual(literals.split(' ').map((literal) => `${literal} ${verdict}`));
  });
});

describe('addressOf', () => {
  it.each([
    ['[::1]', { address: '::1', family: 6 }],
    ['::ffff:7f00:1', { address: '127.0.0.1', family: 4 }],
    ['0:0:0:0:0:ffff:102:304', { address: '1.2.3.4', family: 4 }],
    ['64:ff9b::102:304', { address: '64:ff9b::102:304', family: 6 }],
  ])('leads from %s to where the system would connect', (literal, address) => {
    expect(addressOf(literal)).toEqual(address);
  });
});
