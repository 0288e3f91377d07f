import type { FormField } from '@millrace/domain';
import { createHash } from 'node:crypto';
import { askPage, PAGE_HEADERS, refusalPage, thankYouPage, type AskPage } from './request-page';

const HOSTILE = `"><script>alert(1)</script>&'`;
const ESCAPED = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;';

const field = (type: FormField['type'], more: Partial<FormField> = {}): FormField => ({
  name: 'answer',
  label: 'The answer',
  type,
  required: false,
  ...more,
});
const formPage = (fields: readonly FormField[], more: Partial<AskPage> = {}): string =>
  askPage({ flowName: 'Orders', request: { kind: 'form', fields }, ...more });
const approvalPage = (more: Partial<AskPage> = {}): string =>
  askPage({ flowName: 'Orders', request: { kind: 'approval' }, ...more });

describe('the page of an approval', () => {
  it('names the flow and lets a person approve or reject with a comment', () => {
    const page = approvalPage();
    for (const part of [
      'Orders',
      '<form method="post" action="?">',
      '<button name="action" value="APPROVE" class="main">',
      '<button name="action" value="REJECT">',
      '<textarea name="comment"',
    ])
      expect(page).toContain(part);
  });

  it('puts first what the link was for', () => {
    const page = approvalPage({ preset: 'disapprove' });
    expect(page).toContain('<button name="action" value="REJECT" class="main">');
    expect(page.indexOf('REJECT')).toBeLessThan(page.indexOf('APPROVE'));
  });
});

describe('the page of a form', () => {
  it.each<[FormField, string]>([
    [field('text'), '<input type="text" name="answer" value="">'],
    [field('text', { required: true }), '<input type="text" name="answer" required value="">'],
    [field('number'), '<input type="number" step="any" name="answer" value="">'],
    [field('date'), '<input type="date" name="answer" value="">'],
    [field('boolean'), '<option value="true">Yes</option><option value="false">No</option></select>'],
    [
      field('select', { required: true, options: ['S', 'M'] }),
      '<select name="answer" required><option value="" selected></option><option value="S">S</option><option value="M">M</option></select>',
    ],
  ])('asks for %j', (asked, input) => {
    expect(formPage([asked])).toContain(input);
  });

  it('says which fields may be left out', () => {
    const page = formPage([field('text', { label: 'Name', required: true }), field('text', { label: 'Age' })]);
    expect(page).toContain('<label>Name<input');
    expect(page).toContain('<label>Age <span class="optional">(optional)</span><input');
  });

  it('says what was wrong, in the words of the form, and keeps what was given', () => {
    const fields = [
      field('number', { name: 'a/b', label: 'Age' }),
      field('select', { name: 'size', label: 'Size', options: ['S', 'M'] }),
    ];
    const problems = [{ path: '/a~1b', message: 'must be a number.' }];
    const page = formPage(fields, { refused: { given: { 'a/b': 'old', size: 'M' }, problems } });
    expect(page).toContain('<li>Age must be a number.</li>');
    expect(page).toContain('name="a/b" value="old"');
    expect(page).toContain('<option value="M" selected>');
  });

  it('takes nothing inherited for what was given', () => {
    const refused = { given: {}, problems: [] };
    expect(formPage([field('text', { name: 'toString' })], { refused })).toContain('name="toString" value=""');
  });
});

describe('the page of a webhook', () => {
  it('has nothing to send', () => {
    const page = askPage({ flowName: 'Orders', request: { kind: 'webhook' } });
    expect(page).toContain('POST request');
    expect(page).not.toContain('<form');
  });
});

describe('the message of a request', () => {
  it('stands above the question, as it was written', () => {
    const page = approvalPage({ request: { kind: 'approval', message: `Order 7:\n40 € ${HOSTILE}` } });
    expect(page).toContain(`<p class="message">Order 7:\n40 € ${ESCAPED}</p>`);
    expect(page.indexOf('Order 7')).toBeLessThan(page.indexOf('<form'));
  });
});

describe('every page', () => {
  const pages: [string, string][] = [
    ['an approval', approvalPage({ flowName: HOSTILE, refused: { given: { comment: HOSTILE }, problems: [] } })],
    [
      'a form',
      formPage(
        (['text', 'number', 'date', 'boolean', 'select'] as const).map((type) =>
          field(type, { name: `${type}${HOSTILE}`, label: HOSTILE, options: [HOSTILE] }),
        ),
        {
          flowName: HOSTILE,
          refused: { given: { [`text${HOSTILE}`]: HOSTILE }, problems: [{ path: `/${HOSTILE}`, message: HOSTILE }] },
        },
      ),
    ],
    ['a webhook', askPage({ flowName: HOSTILE, request: { kind: 'webhook' } })],
    ['a form that starts a run', formPage([], { flowName: HOSTILE, startsRun: true })],
    ['a refusal', refusalPage('No', HOSTILE)],
  ];

  it.each(pages)('of %s escapes what others wrote', (_, page) => {
    expect(page).toContain(ESCAPED);
    expect(page).not.toContain('<script');
    expect(page).not.toMatch(/alert\(1\)<\/script>/);
  });

  it.each([...pages, ['thanks', thankYouPage()]])('of %s has the one style that its headers allow', (_, page) => {
    const styles = [...page.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style]) => style ?? '');
    const hash = createHash('sha256').update(styles.join()).digest('base64');
    expect(PAGE_HEADERS['content-security-policy']).toContain(`style-src 'sha256-${hash}'`);
    expect(page).not.toMatch(/ style=|<link|<img|src=/);
  });

  it('may load nothing, stand in no frame, and is neither stored nor indexed', () => {
    expect(PAGE_HEADERS).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none';.*form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      ) as string,
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
    });
  });
});
