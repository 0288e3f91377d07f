module.exports = { displayName: 'pieces', preset: '../../jest.preset.js' };
