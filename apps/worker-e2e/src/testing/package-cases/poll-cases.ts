import { custom, secret, signedIn, type TriedPackage } from './package-case';

/** A trigger of a published package that asks its vendor from time to time. */
export interface PollCase extends TriedPackage {
  readonly trigger: string;
  readonly input?: Record<string, unknown>;
  /** What tells new items: times after the moment of publishing, or ids that were not there at that moment. */
  readonly compares: 'times' | 'ids';
  /** The host and path that is asked. */
  readonly place: string;
  /** What the vendor answers when it has these items, of which later ones have larger numbers. */
  readonly answer: (numbers: readonly number[]) => unknown;
  /** Members of the output of the trigger for an item. */
  readonly output: (number: number) => object;
}

/** A time in the future, so that the item is newer than the moment at which the flow was published. */
const timeOf = (number: number): string => new Date(Date.UTC(2099, 0, number)).toISOString();

export const POLL_CASES: readonly PollCase[] = [
  {
    piece: 'greenhouse',
    version: '0.1.0',
    trigger: 'new_job_post',
    compares: 'times',
    connection: secret('token-greenhouse'),
    auth: signedIn,
    place: 'harvest.greenhouse.io/v3/job_posts',
    answer: (numbers) => numbers.map((id) => ({ id, title: `Job ${id}`, created_at: timeOf(id) })),
    output: (id) => ({ id, title: `Job ${id}` }),
  },
  {
    piece: 'motion',
    version: '0.2.0',
    trigger: 'task-created',
    compares: 'times',
    connection: secret('key-motion'),
    input: { workspaceId: 'w1' },
    place: 'api.usemotion.com/v1/tasks',
    answer: (numbers) => ({
      tasks: numbers.map((id) => ({ id: `t${id}`, createdTime: timeOf(id) })),
      meta: {},
    }),
    output: (id) => ({ id: `t${id}` }),
  },
  {
    piece: 'notion',
    version: '0.7.3',
    trigger: 'new_database_item',
    compares: 'ids',
    connection: custom({ accessToken: 'key-notion' }),
    input: { database_id: 'd1' },
    place: 'api.notion.com/v1/databases/d1/query',
    answer: (numbers) => ({
      results: numbers.map((id) => ({
        ...{ object: 'page', id: `p${id}`, created_time: timeOf(id), last_edited_time: timeOf(id) },
        properties: { Name: { id: 'title', type: 'title', title: [{ plain_text: `Lamp ${id}` }] } },
      })),
      has_more: false,
      next_cursor: null,
    }),
    output: (id) => ({ id: `p${id}` }),
  },
  {
    piece: 'shopify',
    version: '0.3.0',
    trigger: 'new_abandoned_checkout',
    compares: 'ids',
    connection: custom({ shopName: 'lamps', adminToken: 'key-shopify' }),
    place: 'lamps.myshopify.com/admin/api/2023-10/checkouts.json',
    answer: (numbers) => ({ checkouts: numbers.map((id) => ({ id, created_at: timeOf(id) })) }),
    output: (id) => ({ id }),
  },
  {
    piece: 'totalcms',
    version: '0.2.0',
    trigger: 'new_blog_post',
    compares: 'ids',
    connection: custom({ domain: 'https://pages.example.com', license: 'key-total' }),
    input: { slug: 'news' },
    place: 'pages.example.com/rw_common/plugins/stacks/total-cms/totalapi.php',
    answer: (numbers) => ({ data: numbers.map((id) => ({ permalink: `post-${id}` })) }),
    output: (id) => ({ permalink: `post-${id}` }),
  },
];
