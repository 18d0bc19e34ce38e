import type { Words } from '../words.ts';

export const words: Words = {
  title: 'خصوصيتك، قرارك',
  intro:
    'يطلب {controller} موافقتك على استخدام بياناتك للأغراض التالية: {purposes}. لك حرية الاختيار، ويمكنك تغيير قرارك في أي وقت.',
  reject: 'رفض الكل',
  accept: 'قبول الكل',
  preferences: 'التفضيلات',
  panelTitle: 'تفضيلات الخصوصية',
  panelIntro: 'اختر الأغراض التي يجوز لـ {controller} استخدام بياناتك لها. يمكنك تغيير ذلك في أي وقت.',
  required: 'مفعّل دائمًا',
  save: 'حفظ الاختيارات',
  close: 'إغلاق',
  privacySignal: 'يطلب متصفحك من المواقع عدم بيع بياناتك أو مشاركتها. لا يُفعَّل أي شيء اختياري ما لم تفعّله بنفسك.',
  changed: 'تغيّر ما نطلبه منذ اختيارك الأخير بتاريخ {date}.',
  newPurpose: 'جديد',
  trigger: 'خيارات الخصوصية',
  placeholder: 'لا يُعرض هذا المحتوى لأنك لم تسمح بما يلي: {label}.',
  placeholderAllow: 'السماح بـ {label} وعرض المحتوى',
  receipt: 'إيصال اختيارك',
  decidedAt: 'اختيارك بتاريخ {date}',
  granted: 'مسموح به',
  refused: 'مرفوض',
  pending: 'سيُضاف الإثبات إلى الإيصال فور ردّ الخادم.',
  download: 'حفظ الإيصال',
  list: '{first} و{next} و{last}',
};
