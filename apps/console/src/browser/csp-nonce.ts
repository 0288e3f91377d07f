/** The nonce with which the policy of the page allows style elements. The page carries it for this answer alone. */
export const cspNonce = (): string => document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
