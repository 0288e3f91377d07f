import type { AppRequest } from '../app-events/app-event';
import type { ConnectionValue } from '../connections/connection';
import type { PieceRef } from './piece-package';

// What the api asks installed packages of pieces, whose code only workers run.
//
// Q1. The api writes a question down and enqueues a job. A worker answers it, and the api reads and deletes it.
// Q2. A question names its project. A stored connection stands in it as the expression that its author wrote, and the
//     worker reads the connection in that project alone. A connection that is about to be stored is in the question
//     itself. Therefore a question and its answer are sealed, as stored connections are.
// Q3. A question is not asked again when its job was lost, because whoever asked it waits for seconds only. Nothing of
//     it stays after that.

/** How long somebody waits for the answer to a question. */
export const QUESTION_SECONDS = 20;

export type PieceQuestion = OptionsQuestion | ConnectionQuestion | EventQuestion;

/** Asks for the choices of an input, or for the inputs that it stands for. */
export interface OptionsQuestion {
  readonly kind: 'OPTIONS';
  readonly piece: PieceRef;
  /** The action or the trigger that has the input. */
  readonly name: string;
  readonly propName: string;
  /** The inputs that the author has written so far. Its member `auth` names the connection by an expression. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly searchValue?: string;
}

/** Asks whether a connection works. */
export interface ConnectionQuestion {
  readonly kind: 'VALIDATE';
  readonly piece: PieceRef;
  readonly value: ConnectionValue;
}

/**
 * Asks what event a request at the URL of an app is, if it is genuine. It is the question of no project, because the app
 * belongs to the installation.
 */
export interface EventQuestion {
  readonly kind: 'EVENT';
  readonly piece: PieceRef;
  readonly request: AppRequest;
}

export type PieceAnswer = { readonly value: unknown } | PieceProblem;

export interface PieceProblem {
  /** One sentence that says why there is no answer, or why the connection does not work. */
  readonly problem: string;
  /**
   * Of an event and of a connection: the package gave no answer, by trouble of this installation, so the event may be
   * genuine and the connection may work.
   */
  readonly isOurs?: true;
}

/** A question as a worker finds it. */
export interface AskedQuestion {
  readonly id: string;
  readonly projectId: string;
  readonly question: PieceQuestion;
  /** How long somebody still waits for the answer. */
  readonly leftMs: number;
}

/** Keeps the questions that are open, and their answers until they are read. */
export abstract class PieceQuestions {
  /** Writes a question down, and resolves with its id. */
  abstract ask(projectId: string, question: PieceQuestion): Promise<string>;
  /** The question, as long as somebody waits for its answer. Null afterwards, and when it is answered. */
  abstract find(id: string): Promise<AskedQuestion | null>;
  /** Writes the first answer to a question. A later one, or one for which nobody waits any more, is dropped. */
  abstract answer(asked: Pick<AskedQuestion, 'id' | 'projectId'>, answer: PieceAnswer): Promise<void>;
  /** The answer, or null as long as there is none. */
  abstract answerTo(asked: Pick<AskedQuestion, 'id' | 'projectId'>): Promise<PieceAnswer | null>;
  /** Deletes a question with its answer. */
  abstract remove(id: string): Promise<void>;
}
