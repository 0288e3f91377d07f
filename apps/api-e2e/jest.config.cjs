module.exports = {
  displayName: 'api-e2e',
  preset: '../../jest.preset.js',
  testMatch: ['**/*.e2e-spec.ts'],
  testTimeout: 120_000,
};
