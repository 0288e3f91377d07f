import { definePiece } from '../framework/piece';
import { sendRequest } from './send-request';

export const http = definePiece({
  name: 'http',
  displayName: 'HTTP',
  description: 'Calls any server over HTTP.',
  category: 'NETWORK',
  keywords: ['api', 'request', 'rest', 'get', 'post', 'fetch', 'curl', 'url'],
  version: '0.1.0',
  auth: { kind: 'none' },
  triggers: {},
  actions: { send_request: sendRequest },
});
