module.exports = {
  displayName: 'console-e2e',
  preset: '../../jest.preset.js',
  testMatch: ['**/*.e2e-spec.ts'],
  testTimeout: 120_000,
};
