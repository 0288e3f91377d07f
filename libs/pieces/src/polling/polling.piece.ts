import { definePiece } from '../framework/piece';
import { newItemInFeed } from './new-item-in-feed';
import { newItemInJson } from './new-item-in-json';

export const polling = definePiece({
  name: 'polling',
  displayName: 'Polling',
  description: 'Asks another server every few minutes what is new.',
  category: 'NETWORK',
  keywords: ['feed', 'rss', 'atom', 'new items', 'json', 'check'],
  version: '0.1.0',
  auth: { kind: 'none' },
  triggers: { new_item_in_json: newItemInJson, new_item_in_feed: newItemInFeed },
  actions: {},
});
