import { details } from '../panel/details.ts';
import { handOver } from '../state/current-script.ts';

handOver(details);
