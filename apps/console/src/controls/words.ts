const number = new Intl.NumberFormat('en');

/** What controls say that stand on many pages. */
export const words = {
  cancel: 'Cancel',
  close: 'Close',
  done: 'Done',
  copy: 'Copy',
  copied: 'Copied.',
  notCopied: 'The browser did not copy it: select it and copy it yourself.',
  actions: 'Actions',
  actionsOf: (name: string) => `Actions of ${name}`,
  loading: 'Loading…',
  loadingLong: 'This takes longer than it should. The page goes on by itself as soon as there is an answer.',
  firstPage: 'First page',
  nextPage: 'Next page',
  request: 'Request',
  tryAgain: 'Try again',
  reload: 'Reload the page',
  partNotLoaded:
    'This part of the page could not be loaded. The connection may be cut, or a newer release of the service is there.',
  wholeText: (letters: number) => `Show all ${number.format(letters)} letters`,
};
