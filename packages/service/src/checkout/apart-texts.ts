/** Texts of the pages without a form in English, Armenian, and Russian. @module */
import type { Language } from '../../shared/language.ts'

type ApartTexts = typeof en

const en = {
  closedTitle: 'This payment cannot be opened here',
  closedText:
    'Its address is wrong, or it was opened outside of the shop. Open this payment from the shop’s checkout page.',
  scriptTitle: 'Paying needs JavaScript',
  scriptText:
    'Turn on JavaScript in your browser and load this page again, or go back to the shop.',
  back: 'Back to the shop',
}

const hy: ApartTexts = {
  closedTitle: 'Այս վճարումն այստեղ բացել հնարավոր չէ',
  closedText:
    'Հասցեն սխալ է, կամ էջը բացվել է խանութից դուրս։ Բացեք այս վճարումը խանութի վճարման էջից։',
  scriptTitle: 'Վճարելու համար անհրաժեշտ է JavaScript',
  scriptText: 'Միացրեք JavaScript-ը և նորից բացեք այս էջը կամ վերադարձեք խանութ։',
  back: 'Վերադառնալ խանութ',
}

const ru: ApartTexts = {
  closedTitle: 'Этот платёж нельзя открыть здесь',
  closedText:
    'Адрес неверен, или страница открыта не из магазина. Откройте этот платёж со страницы оплаты в магазине.',
  scriptTitle: 'Для оплаты нужен JavaScript',
  scriptText: 'Включите JavaScript в браузере и обновите страницу или вернитесь в магазин.',
  back: 'Вернуться в магазин',
}

export const apartTexts: Readonly<Record<Language, ApartTexts>> = { en, hy, ru }
