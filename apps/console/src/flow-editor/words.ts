export const words = {
  editor: 'Flow editor',
  loading: 'Loading the flow…',
  enabled: 'Enabled',
  disabled: 'Disabled',
  draft: 'Draft',
  stepSettings: 'Step settings',
  close: 'Close',
  flows: 'Flows',
};
