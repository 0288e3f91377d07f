import { DomainError, InvalidRequestError } from '@millrace/domain';
import { errorAnswer } from '@millrace/http';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, from, map, type Observable } from 'rxjs';
import { askPage, PAGE_HEADERS, refusalPage, thankYouPage, type AnswerProblem, type AskPage } from './request-page';

type PersonsRequest = FastifyRequest<{ Params: Readonly<Record<string, string>> }>;

/** Answers a browser with pages where a program gets JSON: thanks for an answer, or a refusal in words. */
export abstract class PagesForPeople implements NestInterceptor {
  /** What is asked of the person. It is asked again when the answer is refused. */
  protected abstract asked(
    params: Readonly<Record<string, string>>,
  ): Promise<Pick<AskPage, 'flowName' | 'request' | 'startsRun'>>;

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<PersonsRequest>();
    const reply = http.getResponse<FastifyReply>();
    const isPage = request.method !== 'POST';
    const isBrowser = (request.headers.accept ?? '').includes('text/html');
    if (!isPage && !isBrowser) return next.handle();
    const sent = (html: string): string => {
      void reply.headers(PAGE_HEADERS);
      return html;
    };
    const pages = next.handle().pipe(map((page) => sent(isPage ? String(page) : thankYouPage())));
    return isBrowser
      ? pages.pipe(catchError((error) => from(this.pageOf(error, request, reply)).pipe(map(sent))))
      : pages;
  }

  /** Returns the page for a refusal. Rethrows every other error. */
  private async pageOf(error: unknown, request: PersonsRequest, reply: FastifyReply): Promise<string> {
    if (!(error instanceof DomainError)) throw error;
    const page = error instanceof InvalidRequestError ? await this.askedAgain(error, request) : null;
    void reply.status(errorAnswer(error, request.id).body.statusCode);
    return page ?? refusalPage(TITLES[error.code] ?? 'This did not work', wordsFor(error));
  }

  private async askedAgain({ params }: InvalidRequestError, request: PersonsRequest): Promise<string> {
    const asked = await this.asked(request.params);
    const given = typeof request.body === 'object' && request.body !== null ? request.body : {};
    const problems = params['errors'] as readonly AnswerProblem[];
    return askPage({ ...asked, refused: { given: given as Record<string, unknown>, problems } });
  }
}

const TITLES: Readonly<Record<string, string>> = {
  ENTITY_NOT_FOUND: 'There is nothing here',
  FLOW_DISABLED: 'This form is closed',
  FLOW_RUN_NOT_PAUSED: 'There is nothing to answer any more',
};

/** Replaces messages with ids, which a person cannot use. */
const WORDS: Readonly<Record<string, string>> = {
  ENTITY_NOT_FOUND: 'This link leads nowhere. Perhaps a part of it was lost.',
  FLOW_DISABLED: 'It takes no answers at the moment.',
};

const wordsFor = ({ code, message }: DomainError): string => WORDS[code] ?? message;
