import { attachment } from './file-download';

describe('attachment', () => {
  it.each([
    ['orders.csv', 'orders.csv', 'orders.csv'],
    ['Größe 日本.txt', 'Gr__e __.txt', 'Gr%C3%B6%C3%9Fe%20%E6%97%A5%E6%9C%AC.txt'],
    ['a"b\'c(1)*%.txt', "a_b'c(1)*_.txt", 'a%22b%27c%281%29%2A%25.txt'],
  ])('names %j for all who read it', (name, plain, extended) => {
    expect(attachment(name)).toBe(`attachment; filename="${plain}"; filename*=UTF-8''${extended}`);
  });
});
