import { aPrincipal } from '../testing/a-principal';
import { mayAnswerIn, RequestLinkFilter, withoutRequestLinks } from './request-links';

const LINK = 'https://flows.test/api/v1/flow-runs/r1/requests/se-cr_et22/sync?action=approve';
const HIDDEN = 'https://flows.test/api/v1/flow-runs/r1/requests/**REDACTED**/sync?action=approve';

describe('mayAnswerIn', () => {
  it.each([
    ['ADMIN', true],
    ['EDITOR', true],
    ['OPERATOR', true],
    ['VIEWER', false],
  ] as const)('says of %s: %j', (role, expected) => {
    expect(mayAnswerIn(aPrincipal({ p1: role }), 'p1')).toBe(expected);
  });
});

describe('withoutRequestLinks', () => {
  it('hides the id in every link, and nothing else', () => {
    expect(withoutRequestLinks(`Click ${LINK}, or ${LINK}.`)).toBe(`Click ${HIDDEN}, or ${HIDDEN}.`);
  });
});

describe('RequestLinkFilter', () => {
  const shownOf = (pieces: readonly Buffer[]): string => {
    const filter = new RequestLinkFilter();
    return Buffer.concat([...pieces.map((piece) => filter.next(piece)), filter.end()]).toString();
  };
  const inPiecesOf = (bytes: number, text: string): Buffer[] => {
    const whole = Buffer.from(text);
    const count = Math.ceil(whole.length / bytes);
    return Array.from({ length: count }, (_, index) => whole.subarray(index * bytes, (index + 1) * bytes));
  };
  const text = JSON.stringify({ größe: '日本 👩‍🚀', to: [LINK, `/requests/${LINK}`], path: '/requests/', last: '/requ' });

  it.each(Array.from({ length: 60 }, (_, index) => index + 1))('misses no link in pieces of %i bytes', (bytes) => {
    const shown = shownOf(inPiecesOf(bytes, text));

    expect(shown).toBe(withoutRequestLinks(text));
    expect(shown).not.toContain('se-cr');
  });

  it.each(Array.from({ length: Buffer.byteLength(LINK) }, (_, at) => at))(
    'misses no link that is cut at byte %i, with an empty piece there',
    (at) => {
      const whole = Buffer.from(LINK);
      expect(shownOf([whole.subarray(0, at), Buffer.alloc(0), whole.subarray(at)])).toBe(HIDDEN);
    },
  );

  it.each(['/', '/requests', '/requests/', 'x/req'])('gives what ends in %j to its end', (end) => {
    expect(shownOf([Buffer.from(end)])).toBe(end);
  });

  it('keeps back no more than a link has before its id, however long the id is', () => {
    const filter = new RequestLinkFilter();
    filter.next(Buffer.from('/requests/a'));

    for (let n = 0; n < 100; n++) expect(filter.next(Buffer.alloc(64 * 1024, 'a'))).toHaveLength(0);

    expect(filter.next(Buffer.from('"]')).toString()).toBe('"]');
  });
});
