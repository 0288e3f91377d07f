import { EnvError, makeExactValidator } from 'envalid';
import { parseAllowList, type AllowedTarget } from './allow-list';

const allowList = makeExactValidator<readonly AllowedTarget[]>((text) => {
  try {
    return parseAllowList(text);
  } catch (error) {
    throw new EnvError(error instanceof Error ? error.message : String(error));
  }
});

/** The settings of apps that call other services. */
export const outboundEnv = {
  SVC_SSRF_ALLOW_LIST: allowList({ default: [], desc: 'addresses inside the network that may be called' }),
};
