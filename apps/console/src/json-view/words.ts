const number = new Intl.NumberFormat('en');
const plural = (count: number, one: string, many: string) => `${number.format(count)} ${count === 1 ? one : many}`;

export const words = {
  search: (name: string) => `Search in ${name}`,
  copyValue: 'Copy value',
  copyPath: 'Copy path',
  copied: 'Copied',
  notCopied: 'The browser does not allow copying here.',
  everything: 'the whole value',
  items: (count: number) => plural(count, 'item', 'items'),
  keys: (count: number) => plural(count, 'key', 'keys'),
  more: (shown: number, all: number) => `Show more (${number.format(shown)} of ${number.format(all)})`,
  moreText: (shown: number, all: number) =>
    `Show more (${number.format(shown)} of ${plural(all, 'letter', 'letters')})`,
  nothingFound: 'Nothing contains this text.',
  nothing: 'nothing',
  types: { string: 'text', number: 'number', boolean: 'yes or no', object: 'object', list: 'list' },
  moreFound: (shown: number) => `Only the first ${number.format(shown)} are shown.`,
};
