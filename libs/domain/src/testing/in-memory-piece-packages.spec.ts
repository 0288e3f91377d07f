import { HandDrivenClock } from './hand-driven-clock';
import { InMemoryPiecePackages } from './in-memory-piece-packages';
import { describePiecePackages } from './piece-packages.contract';

const clock = new HandDrivenClock();
const packages = new InMemoryPiecePackages(clock);

describePiecePackages('InMemoryPiecePackages', () => ({
  packages,
  passTime: async (seconds) => clock.advance(seconds * 1_000),
  told: async (name) => packages.told.filter(({ targetId }) => targetId === name),
  publishFlow: async (ref) => void packages.published.push(ref),
}));
