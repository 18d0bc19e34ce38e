import { mountExtras } from '../extras.ts';
import { handOver } from '../state/document.ts';

handOver(mountExtras);
