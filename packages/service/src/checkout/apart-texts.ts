/** Texts of the pages without a form in English, Armenian, and Russian. @module */
import type { Language } from '../../shared/language.ts'

type ApartTexts = typeof en

const en = {
  /** In the frame of a page that is not registered, in no frame, or with a wrong address. */
  closedTitle: 'This payment cannot be opened here',
  closedText: 'Go back to the shop, and open the payment from your order.',
  scriptTitle: 'Paying needs JavaScript',
  scriptText:
    'Allow JavaScript for {origin} in your browser, then load this page again. You have not paid yet.',
  back: 'Back to the shop',
  /** To the page before. */
  goBack: 'Go back',
}

const hy: ApartTexts = {
  closedTitle: 'Այս վճարումն այստեղ բացել հնարավոր չէ',
  closedText: 'Վերադարձեք խանութ և բացեք վճարումը ձեր պատվերից։',
  scriptTitle: 'Վճարելու համար անհրաժեշտ է JavaScript',
  scriptText:
    'Թույլատրեք JavaScript-ը {origin} հասցեի համար և նորից բացեք այս էջը։ Վճարումը դեռ չի կատարվել։',
  back: 'Վերադառնալ խանութ',
  goBack: 'Հետ գնալ',
}

const ru: ApartTexts = {
  closedTitle: 'Этот платёж нельзя открыть здесь',
  closedText: 'Вернитесь в магазин и откройте платёж из своего заказа.',
  scriptTitle: 'Для оплаты нужен JavaScript',
  scriptText:
    'Разрешите JavaScript для {origin} в браузере и обновите эту страницу. Вы ещё не заплатили.',
  back: 'Вернуться в магазин',
  goBack: 'Назад',
}

export const apartTexts: Readonly<Record<Language, ApartTexts>> = { en, hy, ru }
