import { TriggerRegistry, type LiveTrigger } from '../flows/trigger-registry';

type RegistryCall = 'register' | 'unregister';

/** Records all calls, including refused ones. A test decides which calls are refused. */
export class RecordingTriggerRegistry extends TriggerRegistry {
  readonly calls: { call: RegistryCall; trigger: LiveTrigger }[] = [];
  private readonly refusals: { call: RegistryCall; flowVersionId: string; error: Error }[] = [];

  /** Makes this call reject from now on, for one version or for any. */
  refuse(call: RegistryCall, error: Error, flowVersionId = 'any'): void {
    this.refusals.push({ call, error, flowVersionId });
  }

  override register(trigger: LiveTrigger): Promise<void> {
    return this.record('register', trigger);
  }

  override unregister(trigger: LiveTrigger): Promise<void> {
    return this.record('unregister', trigger);
  }

  private record(call: RegistryCall, trigger: LiveTrigger): Promise<void> {
    this.calls.push({ call, trigger });
    const refusal = this.refusals.find(
      ({ call: refused, flowVersionId }) => refused === call && ['any', trigger.flowVersionId].includes(flowVersionId),
    );
    return refusal ? Promise.reject(refusal.error) : Promise.resolve();
  }
}
