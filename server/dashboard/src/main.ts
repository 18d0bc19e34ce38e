import { readLanguage, readTheme, useLanguage, useTheme } from './preferences.ts';

useTheme(readTheme());
await useLanguage(readLanguage());
await import('./app.ts');
