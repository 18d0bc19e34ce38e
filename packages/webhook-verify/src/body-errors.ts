import { WebhookVerificationError } from './error.ts';

export function bodyTooLarge(): WebhookVerificationError {
  return new WebhookVerificationError('body_too_large', 'The body is over maxBytes.');
}

export function bodyIncomplete(): WebhookVerificationError {
  return new WebhookVerificationError('body_incomplete', 'The body does not end.');
}
