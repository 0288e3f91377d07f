import {
  abortWith,
  connectionsNamedIn,
  HiddenValues,
  OutboundHttp,
  PieceQuestions,
  readAs,
  resolveConnections,
  ServiceUnavailableError,
  shownText,
  type AskedQuestion,
  type ConnectionQuestion,
  type EventQuestion,
  type OptionsQuestion,
  type PieceAnswer,
  type PieceQuestion,
} from '@millrace/domain';
import { ConnectionSource } from '@millrace/engine';
import { ActionFailure, InstalledPieces, UnansweredCall } from '@millrace/pieces';
import { Injectable } from '@nestjs/common';
import { findForTrigger } from '../adapters/stored-connections';

const LONGEST_PROBLEM = 1_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** What a question is answered with: its project, what must not be shown, and when the work ends. */
interface Answering {
  readonly projectId: string;
  readonly hidden: HiddenValues;
  readonly signal: AbortSignal;
}

/**
 * Answers the questions of the api to packages. A connection is read in the project of the question alone, and neither an
 * answer nor a problem contains its value.
 */
@Injectable()
export class PieceAnswers {
  constructor(
    private readonly questions: PieceQuestions,
    private readonly pieces: InstalledPieces,
    private readonly connections: ConnectionSource,
    private readonly http: OutboundHttp,
  ) {}

  /** Does nothing when nobody waits for the answer any more. Rejects only for trouble of this service. */
  async answer(id: string, stopping: AbortSignal): Promise<void> {
    const asked = await this.questions.find(id);
    if (!asked) return;
    const patience = AbortSignal.timeout(Math.ceil(asked.leftMs));
    const link = abortWith([stopping, patience]);
    try {
      await this.questions.answer(asked, await this.tried(asked, link.signal));
    } catch (error) {
      if (!patience.aborted) throw error; // otherwise its asker has left
    } finally {
      link.end();
    }
  }

  private async tried({ projectId, question }: AskedQuestion, signal: AbortSignal): Promise<PieceAnswer> {
    const hidden = new HiddenValues();
    const answering = { projectId, hidden, signal };
    try {
      await this.pieces.load([question.piece]);
      const value = await this.valueFor(question, answering);
      return { value: withoutHidden(value, hidden) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceUnavailableError) throw error;
      const problem = hidden.mask((error as Error).message).slice(0, LONGEST_PROBLEM);
      return { problem, ...(question.kind !== 'OPTIONS' && !isOfPackage(error) && { isOurs: true }) };
    }
  }

  private valueFor(question: PieceQuestion, answering: Answering): Promise<unknown> {
    switch (question.kind) {
      case 'OPTIONS':
        return this.options(question, answering);
      case 'VALIDATE':
        return this.connectionProblem(question, answering);
      case 'EVENT':
        return this.event(question, answering);
    }
  }

  private event({ piece, request }: EventQuestion, { hidden, ...context }: Answering): Promise<unknown> {
    hidden.add(new Map([['app', request.webhookSecret]]));
    return this.pieces.readEvent(piece, request, context);
  }

  private async options(question: OptionsQuestion, { projectId, hidden, signal }: Answering): Promise<unknown> {
    const { piece, name, propName, searchValue } = question;
    const named = [...connectionsNamedIn(question.input)];
    const find = async (externalIds: readonly string[]): Promise<ReadonlyMap<string, unknown>> => {
      const found = await findForTrigger(this.connections, projectId, externalIds);
      hidden.add(found);
      return found;
    };
    const found = await find(named);
    const unknown = named.find((externalId) => !found.has(externalId));
    if (unknown !== undefined) throw new ActionFailure(`The project has no connection ${JSON.stringify(unknown)}.`);
    const input = resolveConnections(question.input, found);
    hidden.add(new Map([['auth', input['auth']]]));
    return this.pieces.options(
      { pieceName: piece.name, pieceVersion: piece.version, name, propName, input, searchValue },
      { http: this.http, signal, projectId, connection: async (id) => (await find([id])).get(id) },
    );
  }

  private async connectionProblem({ piece, value }: ConnectionQuestion, answering: Answering): Promise<unknown> {
    const { hidden, ...context } = answering;
    hidden.add(new Map([['auth', readAs(value)]]));
    return this.pieces.connectionProblem({ pieceName: piece.name, pieceVersion: piece.version, value }, context);
  }
}

/** Whether the error is what the package said. */
const isOfPackage = (error: unknown): boolean => error instanceof ActionFailure && !(error instanceof UnansweredCall);

function withoutHidden(value: unknown, hidden: HiddenValues): unknown {
  const text = JSON.stringify(value ?? null);
  if (text.length > MOST_CHARACTERS) throw new ActionFailure('The package has answered more than 4 MB.');
  return JSON.parse(shownText(hidden.hide(text))) as unknown;
}
