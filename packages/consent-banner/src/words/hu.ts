import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Az Ön magánszférája, az Ön döntése',
  intro:
    '{controller} a hozzájárulását kéri ahhoz, hogy adatait a következő célokra használja: {purposes}. Szabadon dönthet, és döntését bármikor megváltoztathatja.',
  reject: 'Összes elutasítása',
  accept: 'Összes elfogadása',
  preferences: 'Beállítások',
  panelTitle: 'Adatvédelmi beállítások',
  panelIntro: 'Válassza ki, mire használhatja {controller} az Ön adatait. Ezt bármikor megváltoztathatja.',
  required: 'Mindig aktív',
  save: 'Választás mentése',
  close: 'Bezárás',
  privacySignal:
    'Böngészője arra kéri a webhelyeket, hogy ne adják el és ne osszák meg az adatait. Semmi sincs bekapcsolva, ami nem kötelező, hacsak Ön be nem kapcsolja.',
  changed: 'Legutóbbi döntése ({date}) óta megváltozott, amihez hozzájárulást kérünk.',
  newPurpose: 'Új',
  trigger: 'Adatvédelmi beállítások',
  placeholder: 'Ez a tartalom nem jelenik meg, mert a következőt nem engedélyezte: {label}.',
  placeholderAllow: '{label} engedélyezése és a tartalom megjelenítése',
  receipt: 'Igazolás a döntéséről',
  decidedAt: 'Az Ön döntése: {date}',
  granted: 'Engedélyezve',
  refused: 'Elutasítva',
  pending: 'A bizonyíték bekerül az igazolásba, amint a kiszolgáló válaszol.',
  download: 'Igazolás mentése',
  list: '{first}, {next} és {last}',
};
