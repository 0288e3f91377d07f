import { isEmailAddress, normalizedEmail } from './email-address';

describe('an e-mail address', () => {
  it.each([
    ['upper case', 'Ada@Example.COM', 'ada@example.com'],
    ['decomposed characters', 'zoe\u0308@example.com', 'zo\u00eb@example.com'],
    ['wide characters', '\uff41da@example\uff0ecom', 'ada@example.com'],
    ['the sign of the unit kelvin', '\u212aate@example.com', 'kate@example.com'],
  ])('has one form, whether written with %s or not', (_what, written, form) => {
    expect(normalizedEmail(written)).toBe(form);
    expect(normalizedEmail(form)).toBe(form);
    expect(isEmailAddress(form)).toBe(true);
  });

  it.each([
    ['nothing before the @', '@example.com'],
    ['two @', 'ada@home@example.com'],
    ['a space', 'ada @example.com'],
    ['U+0000', 'ada\0@example.com'],
    ['a line break', 'ada@example.com\n'],
    ['a character without width', 'ada\u200b@example.com'],
    ['a mark that turns the direction of text', 'ada\u202e@example.com'],
    ['half a character', 'ada\ud800@example.com'],
  ])('has no %s', (_what, text) => {
    expect(isEmailAddress(normalizedEmail(text))).toBe(false);
  });
});
