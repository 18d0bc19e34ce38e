import { mountExtras } from '../extras.ts';
import { handOver } from '../state/current-script.ts';

handOver(mountExtras);
