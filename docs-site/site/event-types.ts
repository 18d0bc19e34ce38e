import { eventData } from '../../server/site/documentation/api-document.ts';
import { eventOccasions, eventTypes } from '../../server/webhooks/deliveries/event.ts';
import { writeLine } from '../reference/prose.ts';
import { html, type Markup } from './markup.ts';
import { writeTable } from './table.ts';

/** Writes every type of event with its occasion and the fields of its data. */
export function writeEventTypes(): Markup {
  return writeTable(
    'Types of events',
    ['Type', 'When', 'Fields of data'],
    eventTypes.map((type) => [
      html`<code>${type}</code>`,
      writeLine(eventOccasions[type]),
      writeLine(
        Object.keys(eventData[type].shape)
          .map((name) => `\`${name}\``)
          .join(', '),
      ),
    ]),
  );
}
