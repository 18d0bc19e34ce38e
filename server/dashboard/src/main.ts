import './app.ts';
import { readTheme, useTheme } from './preferences.ts';

useTheme(readTheme());
