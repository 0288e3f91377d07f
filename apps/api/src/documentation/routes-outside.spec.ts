import { describeRoutesOutside } from './routes-outside';

const { paths } = describeRoutesOutside({ paths: {}, components: { schemas: {} } });
const statusesOf = (path: string) => Object.keys(paths[`/api/v1/webhooks/{flowId}${path}`]?.['post']?.responses ?? {});

describe('the documented answers to webhooks', () => {
  it.each([
    ['', ['200', '400', '401', '404', '413', '415', '429', '500', '503']],
    ['/sync', ['200', '202', '204', '302', '400', '401', '404', '408', '413', '415', '429', '500', '503', 'default']],
    ['/draft', ['200', '400', '401', '404', '409', '413', '415', '429', '500', '503']],
    [
      '/draft/sync',
      ['200', '202', '204', '302', '400', '401', '404', '408', '409', '413', '415', '429', '500', '503', 'default'],
    ],
    ['/test', ['200', '400', '401', '404', '413', '415', '429', '500', '503']],
  ])('to %s are those that the gateway gives', (path, statuses) => expect(statusesOf(path)).toEqual(statuses));
});
