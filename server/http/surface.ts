import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readJsonBody } from './body.ts';
import type { Problem, ProblemCode } from './problem.ts';

/** A body as it was read: the bytes as they came, for the fingerprint of the request, and the value. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/** What the documentation tells of every operation of a surface. */
export interface SurfaceText {
  /** The form of errors. */
  readonly errors: z.ZodType;
  /** Codes that any operation may answer with. */
  readonly commonCodes: readonly ProblemCode[];
  /** Codes that an operation with a body may answer with besides. */
  readonly bodyCodes: readonly ProblemCode[];
  /** What errors call a code; null where the status alone tells it. */
  nameCode(code: ProblemCode): string | null;
  /** Whether a 201 tells the address of what was created (Location). */
  readonly tellsLocation: boolean;
}

/** How the operations below one path speak: what bodies they take, and how results and problems look. */
export interface Surface {
  /** The path that they stand below. */
  readonly base: string;
  /** The media type of answers. */
  readonly answerType: string;
  /** Media types of bodies, for the documentation. */
  readonly bodyTypes: readonly string[];
  readonly text: SurfaceText;
  /** Whether callers must be known before anything is told of path and method. */
  readonly admitsFirst: boolean;
  /** Whether the Svc-Version header chooses a version. */
  readonly isVersioned: boolean;
  readBody(request: IncomingMessage): Promise<ReadBody>;
  /** The text of a result. */
  present(result: unknown): string;
  presentProblem(problem: Problem, requestId: string): { readonly status: number; readonly body: object };
}

/** The most bytes of a body under /v1 (contract.md "Headers"). */
const bodyLimit = 64 * 1024;

/** spec.md "Errors". */
const ErrorEnvelope = z
  .strictObject({
    error: z
      .looseObject({
        code: z.string().meta({ description: 'One of the codes of this operation.' }),
        message: z.string().meta({ description: 'What is wrong and what to do about it, for people.' }),
        details: z
          .array(z.strictObject({ path: z.string(), issue: z.string() }).meta({ id: 'ProblemDetail' }))
          .optional()
          .meta({ description: 'Each value that breaks its rule, such as body.purposes.analytics; the first 100.' }),
        requestId: z.string().optional().meta({ description: 'The value of Svc-Request-Id.' }),
      })
      .meta({ id: 'Problem' }),
  })
  .meta({ id: 'ErrorEnvelope' });

/** The REST API: JSON in envelopes (spec.md "Response envelope", "Errors"). */
export const rest: Surface = {
  base: '/v1',
  answerType: 'application/json; charset=utf-8',
  bodyTypes: ['application/json'],
  text: {
    errors: ErrorEnvelope,
    // spec.md "Conventions" names the statuses.
    commonCodes: [
      'invalid_json',
      'invalid_header',
      'unsupported_version',
      'unauthenticated',
      'forbidden',
      'not_found',
      'method_not_allowed',
      'conflict',
      'validation_failed',
      'rate_limited',
      'internal_error',
      'unavailable',
    ],
    bodyCodes: ['payload_too_large', 'unsupported_media_type'],
    nameCode: (code) => code,
    tellsLocation: false,
  },
  admitsFirst: false,
  isVersioned: true,
  readBody: (request) => readJsonBody(request, bodyLimit, ['application/json']),
  present: (result) => `{"data":${JSON.stringify(result)}}`,
  presentProblem: (problem, requestId) => ({ status: problem.status, body: problem.toEnvelope(requestId) }),
};

/** Whether a path is the base of a surface or stands below it. */
export function isOn(surface: Surface, path: string): boolean {
  return path.startsWith(surface.base) && (path.length === surface.base.length || path[surface.base.length] === '/');
}
