import { coverFrames } from '../panel/cover-frames.ts';
import { handOver } from '../state/document.ts';

handOver(coverFrames);
