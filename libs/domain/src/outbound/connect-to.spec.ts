import { connectTarget, parseConnectTo } from './connect-to';

const target = (rules: string, host: string, port: number): string => {
  const found = connectTarget(parseConnectTo(rules), host, port);
  return `${found.host} ${found.port}`;
};

describe('a call to a host and port', () => {
  it.each([
    ['nothing, so it connects to where it asks for', '', 'slack.com', 443, 'slack.com 443'],
    ['its host and port', 'slack.com:443:127.0.0.1:8443', 'slack.com', 443, '127.0.0.1 8443'],
    [
      'its host and port, whatever their case and final dot',
      'Slack.com:443:127.0.0.1:8443',
      'SLACK.com.',
      443,
      '127.0.0.1 8443',
    ],
    ['its host at another port', 'slack.com:80:127.0.0.1:8080', 'slack.com', 443, 'slack.com 443'],
    ['another host', 'slack.com:443:127.0.0.1:8443', 'api.slack.com', 443, 'api.slack.com 443'],
    ['every host at its port', ':443:127.0.0.1:8443', 'slack.com', 443, '127.0.0.1 8443'],
    ['every port of its host', 'slack.com::127.0.0.1:8443', 'slack.com', 443, '127.0.0.1 8443'],
    ['another host at the same port', 'slack.com:443:staging.example:', 'slack.com', 443, 'staging.example 443'],
    ['another port of the same host', 'slack.com:443::8443', 'slack.com', 443, 'slack.com 8443'],
    [
      'it twice, so the first rule counts',
      'a.example:1:b.example:2, a.example:1:c.example:3',
      'a.example',
      1,
      'b.example 2',
    ],
    [
      'a chain, which is not followed',
      'a.example:1:b.example:2,b.example:2:c.example:3',
      'a.example',
      1,
      'b.example 2',
    ],
    ['an IPv6 address instead', 'slack.com:443:[::1]:8443', 'slack.com', 443, '::1 8443'],
    ['every name, but it asks for an address', '::127.0.0.1:8443', '[2606:4700::1]', 443, '2606:4700::1 443'],
  ])('with rules for %s', (_name, rules, host, port, expected) => {
    expect(target(rules, host, port)).toBe(expected);
  });
});

it.each([
  'slack.com',
  'slack.com:443',
  'slack.com:443:127.0.0.1',
  'a:0:b:1',
  'a:1:b:70000',
  'a:x:b:1',
  '::1:443:b:1',
  'a:1:b:1:2',
  '*:443:b:1',
  'https//slack.com:443:b:1',
  'bücher.example:443:b:1',
  '203.0.113.5:443:127.0.0.1:1',
  'a:1::',
  ':::',
])('the entry %s is refused by name', (entry) => {
  expect(() => parseConnectTo(`good.example:1:other.example:2,${entry}`)).toThrow(`"${entry}" is not host:port`);
});
