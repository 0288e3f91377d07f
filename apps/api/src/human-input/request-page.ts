import type { FormField, HumanRequest } from '@millrace/domain';
import { createHash } from 'node:crypto';

// The pages behind the link of a request. They are plain HTML without scripts. Other people wrote the text in them, so
// every word is escaped, and the browser is told to load nothing.

export interface AskPage {
  flowName: string;
  request: HumanRequest;
  /** The answer starts a run. Nobody has asked this person for it, so the page has the flow's name as its title. */
  startsRun?: boolean;
  /** The answer that the link stands for. */
  preset?: 'approve' | 'disapprove';
  /** The problems of the last answer, which the person can correct. */
  refused?: { given: Readonly<Record<string, unknown>>; problems: readonly AnswerProblem[] };
}

export interface AnswerProblem {
  /** A JSON pointer, which names the field. */
  path: string;
  message: string;
}

/** Returns the page that asks the person. Its form is sent to the same address. */
export function askPage(page: AskPage): string {
  const { request, startsRun } = page;
  const flowName = escaped(page.flowName);
  const question = `${messageOf(request)}${problemsOf(page)}${QUESTIONS[request.kind](page)}`;
  return startsRun
    ? pageOf(flowName, question)
    : pageOf(TITLES[request.kind], `<p class="flow">${flowName}</p>\n${question}`);
}

export const thankYouPage = (): string =>
  pageOf('Thank you', '<p>Your answer was received. You can close this page.</p>');

/** Returns a page without a form. `message` says in one sentence why the request cannot be answered. */
export const refusalPage = (title: string, message: string): string => pageOf(title, `<p>${escaped(message)}</p>`);

const STYLE = `
:root { color-scheme: light; }
body { margin: 0; background: #f4f4f2; color: #1d1d1b; font: 16px/1.5 system-ui, sans-serif; }
main { box-sizing: border-box; max-width: 34rem; margin: 8vh auto; padding: 2rem; background: #fff; border: 1px solid #dcdcd8; border-radius: 8px; overflow-wrap: anywhere; }
h1 { margin: 0 0 0.5rem; font-size: 1.4rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
.flow { color: #5c5c57; }
.message { white-space: pre-wrap; }
.problems { margin: 0 0 1rem; padding: 0.75rem 1rem 0.75rem 2rem; background: #fdf0ee; border: 1px solid #e3b4ac; border-radius: 4px; }
label { display: block; margin: 0 0 1rem; font-weight: 600; }
input, select, textarea { box-sizing: border-box; display: block; width: 100%; margin-top: 0.25rem; padding: 0.5rem; font: inherit; color: inherit; background: #fff; border: 1px solid #8c8c86; border-radius: 4px; }
.optional { font-weight: 400; color: #5c5c57; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; }
button { flex: 1 1 8rem; padding: 0.6rem 1rem; font: inherit; font-weight: 600; color: #1d4f91; background: #fff; border: 2px solid #1d4f91; border-radius: 4px; cursor: pointer; }
button.main { color: #fff; background: #1d4f91; }
:focus-visible { outline: 3px solid #f0b429; outline-offset: 2px; }
@media (max-width: 36rem) { main { margin: 0; min-height: 100vh; border: 0; border-radius: 0; padding: 1.25rem; } }
`;

const hashOfStyle = createHash('sha256').update(STYLE).digest('base64');

/** The headers of every page. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hashOfStyle}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
};

const TITLES: Readonly<Record<HumanRequest['kind'], string>> = {
  approval: 'Your approval is asked for',
  form: 'Your input is asked for',
  webhook: 'This flow waits for a request',
};

const QUESTIONS: Readonly<Record<HumanRequest['kind'], (page: AskPage) => string>> = {
  approval: approvalQuestion,
  form: formQuestion,
  webhook: () =>
    '<p>The run continues when a program sends a POST request to this address. There is nothing to do here.</p>',
};

const messageOf = ({ message }: HumanRequest): string =>
  message === undefined ? '' : `<p class="message">${escaped(message)}</p>\n`;

function approvalQuestion({ preset, refused }: AskPage): string {
  const approve = button('APPROVE', 'Approve', preset !== 'disapprove');
  const reject = button('REJECT', 'Reject', preset === 'disapprove');
  const buttons = preset === 'disapprove' ? [reject, approve] : [approve, reject];
  const comment = `<textarea name="comment" rows="3">${escaped(textOf(refused?.given['comment']))}</textarea>`;
  return form([labelled('Comment', false, comment), `<div class="buttons">${buttons.join('\n')}</div>`]);
}

const button = (action: string, text: string, isMain: boolean): string =>
  `<button name="action" value="${action}"${isMain ? ' class="main"' : ''}>${text}</button>`;

function formQuestion({ request, refused }: AskPage): string {
  const fields = request.kind === 'form' ? request.fields : [];
  const inputs = fields.map((field) => {
    const given = refused && Object.hasOwn(refused.given, field.name) ? refused.given[field.name] : '';
    return labelled(field.label || field.name, field.required, inputOf(field, textOf(given)));
  });
  return form([...inputs, '<div class="buttons"><button class="main">Send</button></div>']);
}

/** Drops the query of the link: it says what the link stands for, and is no part of the answer. */
const form = (parts: readonly string[]): string => `<form method="post" action="?">\n${parts.join('\n')}\n</form>`;

const labelled = (label: string, isRequired: boolean, input: string): string =>
  `<label>${escaped(label)}${isRequired ? '' : ' <span class="optional">(optional)</span>'}${input}</label>`;

function inputOf({ name, type, required, options = [] }: FormField, value: string): string {
  const attributes = `name="${escaped(name)}"${required ? ' required' : ''}`;
  switch (type) {
    case 'boolean':
      return choice(attributes, value, [
        ['true', 'Yes'],
        ['false', 'No'],
      ]);
    case 'select':
      return choice(
        attributes,
        value,
        options.map((option) => [option, option]),
      );
    case 'number':
      return `<input type="number" step="any" ${attributes} value="${escaped(value)}">`;
    case 'date':
    case 'text':
      return `<input type="${type}" ${attributes} value="${escaped(value)}">`;
  }
}

function choice(
  attributes: string,
  value: string,
  options: readonly (readonly [value: string, text: string])[],
): string {
  const all = [['', ''] as const, ...options].map(
    ([each, text]) => `<option value="${escaped(each)}"${each === value ? ' selected' : ''}>${escaped(text)}</option>`,
  );
  return `<select ${attributes}>${all.join('')}</select>`;
}

function problemsOf({ request, refused }: AskPage): string {
  if (!refused) return '';
  const fields = request.kind === 'form' ? request.fields : [];
  const labelOf = (path: string): string => {
    const name = path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
    return fields.find((field) => field.name === name)?.label || name;
  };
  const items = refused.problems.map(
    ({ path, message }) => `<li>${escaped(`${labelOf(path)} ${message}`.trim())}</li>`,
  );
  return `<ul class="problems" role="alert">${items.join('')}</ul>\n`;
}

const textOf = (given: unknown): string => (typeof given === 'string' ? given : '');

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);

const pageOf = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
