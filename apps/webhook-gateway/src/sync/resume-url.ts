import { RESUME_URL_HEADER } from '@millrace/domain';

type Headers = Readonly<Record<string, string>>;

/**
 * Lets the resume URL in the headers of a flow's answer begin with `origin`, at which the caller has reached this
 * service. The worker that made the URL knows only the address at which the service listens.
 */
export function withResumeUrlAt(origin: string, headers: Headers): Headers {
  const made = headers[RESUME_URL_HEADER];
  if (made === undefined || !URL.canParse(made) || !URL.canParse(origin)) return headers;
  const { pathname } = new URL(made);
  return pathname.startsWith('/api/v1/flow-runs/')
    ? { ...headers, [RESUME_URL_HEADER]: new URL(origin).origin + pathname }
    : headers;
}
