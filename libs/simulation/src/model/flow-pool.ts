import type { FlowVersionReader } from '@millrace/domain';
import { CompiledFlows } from '@millrace/runner';
import { Random } from '../schedule/random';
import { CONTROLLED_FLOWS, drawFlow, flowName, FLOWS_IN_POOL, type DrawnFlow } from './drawn-flow';

const drawn = new Map<string, DrawnFlow>();

/** Returns the flow of this name. It is the same in all schedules, so that it is compiled once. */
export function flowCalled(name: string): DrawnFlow {
  let flow = drawn.get(name);
  if (!flow) {
    const number = Number(name.slice(name.indexOf('-') + 1));
    flow = drawFlow(number, new Random(0x51ed270b ^ number));
    drawn.set(name, flow);
  }
  return flow;
}

export const compiledFlows = new CompiledFlows({
  getVersion: (name: string) => Promise.resolve(flowCalled(name).version),
} as unknown as FlowVersionReader);
let areCompiled: Promise<unknown> | null = null;

/** Compiles all flows before a schedule begins, so that no schedule depends on what an earlier one has compiled. */
export const compileAll = (): Promise<unknown> =>
  (areCompiled ??= Promise.all(
    Array.from({ length: FLOWS_IN_POOL + CONTROLLED_FLOWS }, async (_, number) => compiledFlows.get(flowName(number))),
  ));
