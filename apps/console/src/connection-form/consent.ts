// How the window of the provider hands its answer to the window that asked for it. Both are pages of this origin, and
// browsers keep them apart otherwise: the provider's page must not reach the console by its opener.

/** What the provider said: a code, or why there is none. */
export interface Consent {
  state: string;
  code: string | null;
  error: string | null;
}

const CHANNEL = 'millrace.consent';
const PATH = '/connections/oauth2';

/** Where the provider sends the person back to. */
export const redirectUrl = (): string => window.location.origin + PATH;

/** Resolves with the answer that has this state. Rejects when the signal is aborted. */
export function consentTo(state: string, signal: AbortSignal): Promise<Consent> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise<Consent>((resolve, reject) => {
    channel.onmessage = ({ data }: MessageEvent<Consent>) => {
      if (data.state === state) resolve(data);
    };
    signal.addEventListener('abort', () => reject(new DOMException('The wait was ended.', 'AbortError')));
  }).finally(() => channel.close());
}

/** Hands over what the provider put into the address; null when it is no answer of a provider. */
export function handOver(search: URLSearchParams): Consent | null {
  const state = search.get('state');
  if (state === null) return null;
  const error = search.get('error_description') ?? search.get('error');
  const consent = { state, code: search.get('code'), error };
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(consent);
  channel.close();
  return consent;
}
