/** Texts of the pages without a form in English, Armenian, and Russian. @module */
import type { Language } from '../../shared/language.ts'

type ApartTexts = typeof en

const en = {
  /** In the frame of a page that is not registered. */
  closed: {
    title: 'This payment cannot be opened here',
    text: 'This page is not a checkout of the shop. Open the payment from the shop’s checkout page.',
  },
  /** In no frame. */
  alone: {
    title: 'Open this payment in the shop',
    text: 'This address works only inside the shop’s checkout page. Go back to the shop, and pay for your order there.',
  },
  missing: {
    title: 'There is no payment at this address',
    text: 'The address is wrong or incomplete. Go back to the shop, and open the payment from your order.',
  },
  scriptTitle: 'Paying needs JavaScript',
  scriptText:
    'Allow JavaScript for {origin} in your browser, then load this page again. You have not paid yet.',
  order: 'Order',
  back: 'Back to the shop',
  /** To the page before. */
  goBack: 'Go back',
}

const hy: ApartTexts = {
  closed: {
    title: 'Այս վճարումն այստեղ բացել հնարավոր չէ',
    text: 'Սա խանութի վճարման էջը չէ։ Բացեք այս վճարումը խանութի վճարման էջից։',
  },
  alone: {
    title: 'Բացեք այս վճարումը խանութում',
    text: 'Այս հասցեն աշխատում է միայն խանութի վճարման էջում։ Վերադարձեք խանութ և վճարեք պատվերն այնտեղ։',
  },
  missing: {
    title: 'Այս հասցեում վճարում չկա',
    text: 'Հասցեն սխալ է կամ թերի։ Վերադարձեք խանութ և բացեք վճարումը ձեր պատվերից։',
  },
  scriptTitle: 'Վճարելու համար անհրաժեշտ է JavaScript',
  scriptText:
    'Թույլատրեք JavaScript-ը {origin} հասցեի համար և նորից բացեք այս էջը։ Վճարումը դեռ չի կատարվել։',
  order: 'Պատվեր',
  back: 'Վերադառնալ խանութ',
  goBack: 'Հետ գնալ',
}

const ru: ApartTexts = {
  closed: {
    title: 'Этот платёж нельзя открыть здесь',
    text: 'Это не страница оплаты магазина. Откройте платёж со страницы оплаты в магазине.',
  },
  alone: {
    title: 'Откройте этот платёж в магазине',
    text: 'Этот адрес работает только на странице оплаты в магазине. Вернитесь в магазин и оплатите заказ там.',
  },
  missing: {
    title: 'По этому адресу нет платежа',
    text: 'Адрес неверен или неполон. Вернитесь в магазин и откройте платёж из своего заказа.',
  },
  scriptTitle: 'Для оплаты нужен JavaScript',
  scriptText:
    'Разрешите JavaScript для {origin} в браузере и обновите эту страницу. Вы ещё не заплатили.',
  order: 'Заказ',
  back: 'Вернуться в магазин',
  goBack: 'Назад',
}

export const apartTexts: Readonly<Record<Language, ApartTexts>> = { en, hy, ru }
