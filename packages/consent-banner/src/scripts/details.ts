import { handOver } from '../page/document.ts';
import { details } from '../panel/details.ts';

handOver(details);
