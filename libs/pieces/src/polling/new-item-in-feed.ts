import type { FoundItem } from '@millrace/domain';
import { defineTrigger, type PollContext } from '../framework/piece';
import { decodedText } from './decoded-text';
import type { FeedItem } from './feed/feed-item';
import { oldestFirst, readFeed } from './feed/read-feed';
import {
  askForChange,
  MOST_ITEMS,
  readInTurn,
  rememberAnswer,
  REQUEST_CHECKS,
  REQUEST_PROPS,
  pollProblems,
  type RequestInput,
} from './poll-request';
import { sampleItems } from './sample-items';

export const newItemInFeed = defineTrigger({
  displayName: 'New Item in Feed',
  description: 'Starts a run for each new item of an RSS or Atom feed.',
  resultType: 'POLLING',
  output: {
    id: 'What the feed calls the item: the `guid` of RSS, the `id` of Atom. Null when it has no name.',
    title: 'The title.',
    link: 'The URL of the item.',
    description: 'The description or summary, often as HTML.',
    content: 'The whole content, often as HTML.',
    author: 'The name of the author.',
    published: 'When the item was published, in ISO 8601.',
    updated: 'When the item was changed, in ISO 8601.',
    categories: 'The names of its categories.',
    enclosures: 'Its media: a list of `{url, type, length}`.',
    comments: 'The URL of the comments.',
    feed: '`{title, url}` of the feed.',
  },
  props: REQUEST_PROPS,
  ...REQUEST_CHECKS,
  problems: (input) => pollProblems(input),
  polledInputs: ['url'],
  poll: pollFeed,
  test: sampleItems(pollFeed),
});

async function pollFeed({ input, http, store, signal }: PollContext<RequestInput>): Promise<FoundItem[]> {
  const answer = await askForChange({ input, http, store });
  if (answer === null) return [];
  const { title, items } = await readInTurn(() => {
    const text = decodedText(answer.body, answer.headers['content-type']);
    return readFeed(text, { url: input.url, mostItems: MOST_ITEMS, signal });
  });
  rememberAnswer(answer, store);
  const feed = { title, url: input.url };
  return oldestFirst(items).map((item) => ({ name: nameOf(item), value: { ...item, feed } }));
}

/** An item without a name is known by its link. Without both, equal items are the same one. */
const nameOf = ({ id, link }: FeedItem): string | undefined => id ?? link ?? undefined;
