import {
  PieceCatalogue,
  TriggerRegistrationError,
  TriggerRegistry,
  type LiveTrigger,
  type TriggerKind,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';

/** Registers one kind of trigger. */
type TriggerRegistrar = Pick<TriggerRegistry, 'register' | 'unregister'>;

const nothingToDo = (): Promise<void> => Promise.resolve();

/** Needs no registration: the published flow is looked up at each request or call. */
const lookedUp: TriggerRegistrar = { register: nothingToDo, unregister: nothingToDo };

/** Is found by the record of what the flow listens to, which is written with the flow. */
const onRecord = lookedUp;

const REGISTRARS: Readonly<Record<TriggerKind, TriggerRegistrar>> = {
  WEBHOOK: lookedUp,
  SUBFLOW: lookedUp,
  MANUAL: lookedUp,
  SCHEDULE: onRecord,
  POLLING: onRecord,
  APP_WEBHOOK: onRecord,
};

/** Registers each trigger by its kind, which the piece catalogue knows. */
@Injectable()
export class BuiltInTriggers extends TriggerRegistry {
  constructor(private readonly pieces: PieceCatalogue) {
    super();
  }

  async register(live: LiveTrigger): Promise<void> {
    const registrar = this.registrarOf(live);
    if (!registrar)
      throw new TriggerRegistrationError(
        live.flowVersionId,
        live.trigger.name,
        `The trigger ${live.trigger.name} is of a kind that nothing here listens to.`,
      );
    await registrar.register(live);
  }

  /** Unregisters the trigger. A kind without a registrar was never registered, so a flow can always be disabled. */
  async unregister(live: LiveTrigger): Promise<void> {
    await this.registrarOf(live)?.unregister(live);
  }

  private registrarOf({ trigger }: LiveTrigger): TriggerRegistrar | undefined {
    if (trigger.type === 'EMPTY') return undefined;
    const { pieceName, pieceVersion, triggerName } = trigger.settings;
    const known = this.pieces.findTrigger(pieceName, pieceVersion, triggerName);
    return known ? REGISTRARS[known.resultType] : undefined;
  }
}
