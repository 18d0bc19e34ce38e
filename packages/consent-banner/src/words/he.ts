import type { Words } from '../words.ts';

export const words: Words = {
  title: 'הפרטיות שלכם, הבחירה שלכם',
  intro:
    'הסכמתכם מתבקשת לשימוש של {controller} בנתונים שלכם למטרות הבאות: {purposes}. הבחירה חופשית, ואפשר לשנות אותה בכל עת.',
  reject: 'דחיית הכול',
  accept: 'אישור הכול',
  preferences: 'העדפות',
  panelTitle: 'העדפות פרטיות',
  panelIntro: 'בחרו לאילו מטרות מותר ל־{controller} להשתמש בנתונים שלכם. אפשר לשנות זאת בכל עת.',
  required: 'פעיל תמיד',
  save: 'שמירת הבחירות',
  close: 'סגירה',
  privacySignal:
    'הדפדפן שלכם מבקש מאתרים שלא למכור ולא לשתף את הנתונים שלכם. שום דבר אופציונלי אינו פעיל אלא אם תפעילו אותו בעצמכם.',
  changed: 'מה שאנו מבקשים השתנה מאז הבחירה האחרונה שלכם ({date}).',
  newPurpose: 'חדש',
  trigger: 'בחירות פרטיות',
  placeholder: 'התוכן הזה אינו מוצג כי לא אישרתם: {label}.',
  placeholderAllow: 'אישור {label} והצגת התוכן',
  receipt: 'קבלה על הבחירה שלכם',
  decidedAt: 'הבחירה שלכם: {date}',
  granted: 'אושר',
  refused: 'נדחה',
  pending: 'ההוכחה תתווסף לקבלה ברגע שהשרת ישיב.',
  download: 'שמירת הקבלה',
  list: '{first}, {next} ו-{last}',
};
