import { details } from '../panel/details.ts';
import { handOver } from '../state/document.ts';

handOver(details);
