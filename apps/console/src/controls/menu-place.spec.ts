import { isWithin, placeOfMenu } from './menu-place';

describe('a menu', () => {
  const window = { width: 1000, height: 800 };
  const menu = { width: 180, height: 200 };
  const at = (left: number, top: number) => placeOfMenu({ left, top, width: 40, height: 32 }, menu, window);

  it('stands below what opened it', () => expect(at(100, 100)).toEqual({ left: 100, top: 136 }));

  it('stands above it where there is no room below', () => expect(at(100, 700)).toEqual({ left: 100, top: 496 }));

  it('stays within the window', () => {
    expect(at(950, 100)).toEqual({ left: 812, top: 136 });
    expect(placeOfMenu({ left: -20, top: 90, width: 0, height: 0 }, menu, { width: 320, height: 240 })).toEqual({
      left: 8,
      top: 32,
    });
  });

  it('belongs to something that is in the window as long as a part of it is', () => {
    const isShown = (left: number, top: number) => isWithin({ left, top, width: 40, height: 32 }, window);
    expect([isShown(100, 100), isShown(-30, 100), isShown(100, 790)]).toEqual([true, true, true]);
    expect([isShown(-50, 100), isShown(100, -40), isShown(100, 810)]).toEqual([false, false, false]);
  });
});
