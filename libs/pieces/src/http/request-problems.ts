import { isJsonObject } from '@millrace/domain';
import { holdsExpression, isMissing } from '../framework/coerce-input';
import { asText } from '../framework/text-values';
import { headerNameProblems, headerValueProblems } from './header-problems';

// What can only fail in a request as its author wrote it. What is in an expression is known later.

type Written = Readonly<Record<string, unknown>>;

/** The problems of the inputs that all requests have. */
export const requestProblems = ({ url, headers, authType, authFields }: Written): string[] => [
  ...urlProblems(url),
  ...headersProblems(headers),
  ...authProblems(authType, authFields),
];

/** A value that is no text or number is reported by its prop. */
function urlProblems(written: unknown): string[] {
  if (isMissing(written) || typeof written === 'object' || holdsExpression(written)) return [];
  const text = asText(written);
  if (!URL.canParse(text)) return ['The input "URL" (url) is not a valid URL.'];
  const { protocol, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol)) return ['The input "URL" (url) must begin with http:// or https://.'];
  if (username === '' && password === '') return [];
  return ['The input "URL" (url) must have no user name and no password in it; authType sends them.'];
}

function headersProblems(headers: unknown): string[] {
  if (!isJsonObject(headers)) return [];
  return Object.entries(headers)
    .filter(([, value]) => !isMissing(value))
    .flatMap(([name, value]) => [
      ...headerNameProblems('headers', name),
      ...headerValueProblems(`headers.${name}`, asText(value)),
    ]);
}

function authProblems(authType: unknown, authFields: unknown): string[] {
  if (!isJsonObject(authFields)) return [];
  const { username, token, headerName, headerValue } = authFields;
  if (
    authType === 'basic' &&
    asText(username ?? '')
      .split('{{', 1)[0]
      ?.includes(':')
  )
    return ['The input "User name" (authFields.username) must not have a colon in it.'];
  if (authType === 'bearer') return headerValueProblems('authFields.token', token);
  if (authType !== 'header') return [];
  return [
    ...(holdsExpression(headerName) ? [] : headerNameProblems('authFields.headerName', headerName)),
    ...headerValueProblems('authFields.headerValue', headerValue),
  ];
}
