import { mountContent } from '../held-content/mount-content.ts';
import { handOver } from '../state/document.ts';

handOver(mountContent);
