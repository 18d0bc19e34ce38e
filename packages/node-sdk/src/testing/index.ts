/** A server in memory, for tests of programs that use the SDK. */
export type { TestAnswer, TestAnswerOptions } from './answer.ts';
export type { DeliveryAnswer, DeliveryOutcome, NoAnswer } from './delivery-outcome.ts';
export type { Fault, FaultKind, PendingFault } from './faults.ts';
export type { OperationAnswers, OperationId, OperationName } from './operation-answers.ts';
export type { RecordedRequest } from './recorded-request.ts';
export type { TestClock } from './test-clock.ts';
export { createTestServer, type TestServer } from './test-server.ts';
