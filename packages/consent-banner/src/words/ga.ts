import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Do phríobháideachas, do rogha',
  intro:
    'Tá {controller} ag iarraidh do thoilithe chun do chuid sonraí a úsáid le haghaidh: {purposes}. Is rogha shaor í, agus is féidir leat í a athrú am ar bith.',
  reject: 'Diúltaigh do gach rud',
  accept: 'Glac le gach rud',
  preferences: 'Sainroghanna',
  panelTitle: 'Sainroghanna príobháideachais',
  panelIntro:
    'Roghnaigh cad chuige a bhféadfaidh {controller} do chuid sonraí a úsáid. Is féidir leat é seo a athrú am ar bith.',
  required: 'Ar siúl i gcónaí',
  save: 'Sábháil na roghanna',
  close: 'Dún',
  privacySignal:
    'Iarrann do bhrabhsálaí ar shuíomhanna gan do chuid sonraí a dhíol ná a roinnt. Níl aon rud roghnach ar siúl mura gcuireann tú féin ar siúl é.',
  changed: 'Tá athrú tagtha ar an méid a iarraimid ó rinne tú do rogha dheireanach ({date}).',
  newPurpose: 'Nua',
  trigger: 'Roghanna príobháideachais',
  placeholder: 'Níl an t-ábhar seo á thaispeáint mar níor cheadaigh tú: {label}.',
  placeholderAllow: 'Ceadaigh {label} agus taispeáin an t-ábhar',
  receipt: 'Admháil ar do rogha',
  decidedAt: 'Do rogha: {date}',
  granted: 'Ceadaithe',
  refused: 'Diúltaithe',
  pending: 'Cuirfear an cruthúnas leis an admháil a luaithe a fhreagróidh an freastalaí.',
  download: 'Sábháil an admháil',
  list: '{first}, {next} agus {last}',
};
