import { eventOccasions } from '../../server/documentation/webhook-events.ts';
import { eventTypes } from '../../server/webhooks/deliveries/event.ts';
import { writeLine } from '../reference/prose.ts';
import { html, type Markup } from './markup.ts';
import { writeTable } from './table.ts';

/** Writes every type of event with its occasion. */
export function writeEventTypes(): Markup {
  return writeTable(
    'Types of events',
    ['Type', 'When'],
    eventTypes.map((type) => [html`<code>${type}</code>`, writeLine(eventOccasions[type])]),
  );
}
