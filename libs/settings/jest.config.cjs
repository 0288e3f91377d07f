module.exports = { displayName: 'settings', preset: '../../jest.preset.js' };
