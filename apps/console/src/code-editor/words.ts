export const words = {
  loading: 'Loading the editor…',
  notLoaded: 'The editor could not be loaded, so this is a plain field. A reload of the page tries again.',
  tabSays: 'Tab leaves the code. After Enter it indents, until Escape.',
  completions: 'Suggestions',
};
