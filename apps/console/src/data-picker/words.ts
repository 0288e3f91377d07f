const number = new Intl.NumberFormat('en');

export const words = {
  data: 'Data of earlier steps',
  search: 'Search data',
  tree: 'Data',
  nothingBefore: 'There is no step before this one.',
  noSample: 'no data yet',
  tooLarge: 'too large to be shown here',
  sampleOf: (time: string) => `sample ${time}`,
  nothingFound: 'Nothing contains this text.',
  more: (shown: number, all: number) => `Show more (${number.format(shown)} of ${number.format(all)})`,
  cut: (shown: number, all: number) => `Only the first ${number.format(shown)} of ${number.format(all)} are here.`,
  says: 'Click, or press Enter, to put a value where the caret was. Values can be dragged into a field as well.',
  chooseField: 'Put the caret into a field first.',
};
