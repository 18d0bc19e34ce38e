import { mountExtras } from '../extras.ts';
import { handOver } from '../page/document.ts';

handOver(mountExtras);
