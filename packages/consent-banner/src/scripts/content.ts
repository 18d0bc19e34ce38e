import { mountContent } from '../blocked-content/blocked-tags.ts';
import { handOver } from '../page/document.ts';

handOver(mountContent);
