/**
 * Everything that the hosted page says, in English, Armenian and Russian.
 *
 * @module
 */

import type { Language } from '../../src/checkout/language.ts'

/** The texts of one language. `{…}` is filled in by `fill`. */
export type Texts = typeof en

/** Puts values into a text: `fill('Pay {amount}', { amount: '5 €' })` is `Pay 5 €`. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

const en = {
  order: 'Order {order}',
  cardNumber: 'Card number',
  expiryDate: 'Expiry date',
  expiryHint: 'MM / YY',
  securityCode: 'Security code',
  nameOnCard: 'Name on card',
  pay: 'Pay {amount}',
  paying: 'Paying…',
  cancelPayment: 'Cancel payment',
  sandbox: 'Sandbox: no real cards',
  testCards: 'Test cards',
  testCardsHint: 'Fills in the form. Press Pay yourself.',
  numberIncomplete: 'The card number is incomplete.',
  numberWrong: 'This card number is not valid.',
  numberNotTest: 'This is a sandbox: only its test cards work here. Never type in a real card.',
  expiryIncomplete: 'Write the expiry date as MM / YY.',
  expiryPast: 'This card has expired.',
  cvcIncomplete: 'The security code has {digits} digits.',
  nameWrong: 'Write the name as it stands on the card.',
  covered:
    'Something on the page covers this form, so paying is switched off. Close it, or reload the page.',
  verify: 'Confirm with your bank',
  verifyText: 'Your bank wants to be sure that it is you.',
  verifyFrame: 'Confirmation by your bank',
  anotherCard: 'Use another card',
  toBank: 'Continue to your bank',
  toBankText: 'Your bank confirms payments on its own page. You come back here afterwards.',
  toBankFailed: 'This page could not be left. Press the button to go to your bank.',
  returnRefused: 'Your bank’s page cannot return to this shop. Use another card.',
  processing: 'Processing your payment',
  processingText: 'This takes a few seconds. Please keep this page open.',
  paidTitle: 'Payment complete',
  paidText: 'You paid {amount} to {merchant}.',
  failedTitle: 'Payment failed',
  failedText: 'You were not charged. Go back to the shop to try again.',
  canceledTitle: 'Payment canceled',
  canceledText: 'You were not charged.',
  expiredTitle: 'This payment has expired',
  expiredText: 'You were not charged. Go back to the shop to start again.',
  waitingTitle: 'Still processing',
  waitingText: 'Your bank needs more time. {merchant} will hear of the result, so you may leave.',
  connection: 'No connection. Trying again…',
  moved: 'This payment changed in another window. Check it and press Pay again.',
  busyElsewhere: 'This payment is being made in another window.',
  tooMany: 'Too many attempts. Wait a minute and try again.',
  trouble: 'Something went wrong on our side. You were not charged. Try again.',
  apart: 'This page belongs inside a shop’s checkout.',
  declined: 'Your card was declined. Try another card, or ask your bank.',
  insufficientFunds: 'There is not enough money on this card. Try another card.',
  expiredCard: 'This card has expired. Check the date or try another card.',
  incorrectCvc: 'The security code is wrong. Check it and try again.',
  processingError: 'The bank could not process the card just now. Try again in a moment.',
  authenticationFailed: 'Your bank did not confirm the payment. Try again or use another card.',
  authenticationCanceled: 'The confirmation was not finished. Try again or use another card.',
  authenticationExpired: 'The confirmation took too long. Try again.',
  authenticationUnavailable: 'Your bank could not confirm the payment just now. Try another card.',
}

const hy: Texts = {
  order: 'Պատվեր {order}',
  cardNumber: 'Քարտի համարը',
  expiryDate: 'Վավեր է մինչև',
  expiryHint: 'ԱԱ / ՏՏ',
  securityCode: 'CVC կոդ',
  nameOnCard: 'Անունը քարտի վրա',
  pay: 'Վճարել {amount}',
  paying: 'Վճարվում է…',
  cancelPayment: 'Չեղարկել վճարումը',
  sandbox: 'Փորձարկում՝ ոչ իրական քարտեր',
  testCards: 'Փորձնական քարտեր',
  testCardsHint: 'Լրացնում է ձևը։ Վճարել կոճակը սեղմեք ինքներդ։',
  numberIncomplete: 'Քարտի համարը լրիվ չէ։',
  numberWrong: 'Քարտի համարը ճիշտ չէ։',
  numberNotTest:
    'Սա փորձարկման միջավայր է․ ընդունվում են միայն փորձնական քարտերը։ Երբեք մի մուտքագրեք իրական քարտ։',
  expiryIncomplete: 'Գրեք ժամկետն այսպես՝ ԱԱ / ՏՏ։',
  expiryPast: 'Քարտի ժամկետն անցել է։',
  cvcIncomplete: 'CVC կոդը {digits} նիշ է։',
  nameWrong: 'Գրեք անունն այնպես, ինչպես քարտի վրա է։',
  covered:
    'Էջի վրա ինչ-որ բան ծածկում է այս ձևը, ուստի վճարումն անջատված է։ Փակեք այն կամ վերաբեռնեք էջը։',
  verify: 'Հաստատեք ձեր բանկում',
  verifyText: 'Ձեր բանկն ուզում է համոզվել, որ դա դուք եք։',
  verifyFrame: 'Հաստատում ձեր բանկի կողմից',
  anotherCard: 'Օգտագործել այլ քարտ',
  toBank: 'Անցնել բանկի էջ',
  toBankText: 'Ձեր բանկը վճարումները հաստատում է իր էջում։ Հետո կվերադառնաք այստեղ։',
  toBankFailed: 'Չհաջողվեց լքել էջը։ Սեղմեք կոճակը՝ բանկի էջ անցնելու համար։',
  returnRefused: 'Ձեր բանկի էջը չի կարող վերադառնալ այս խանութ։ Օգտագործեք այլ քարտ։',
  processing: 'Վճարումը մշակվում է',
  processingText: 'Սա տևում է մի քանի վայրկյան։ Խնդրում ենք չփակել էջը։',
  paidTitle: 'Վճարումը կատարված է',
  paidText: 'Դուք վճարեցիք {amount}․ ստացող՝ {merchant}։',
  failedTitle: 'Վճարումը չհաջողվեց',
  failedText: 'Գումար չի գանձվել։ Վերադարձեք խանութ՝ նորից փորձելու համար։',
  canceledTitle: 'Վճարումը չեղարկված է',
  canceledText: 'Գումար չի գանձվել։',
  expiredTitle: 'Վճարման ժամկետն անցել է',
  expiredText: 'Գումար չի գանձվել։ Վերադարձեք խանութ՝ նորից սկսելու համար։',
  waitingTitle: 'Դեռ մշակվում է',
  waitingText:
    'Ձեր բանկին ավելի շատ ժամանակ է պետք։ {merchant}-ը կիմանա արդյունքը, կարող եք հեռանալ։',
  connection: 'Կապ չկա։ Նորից ենք փորձում…',
  moved: 'Այս վճարումը փոխվել է մեկ այլ պատուհանում։ Ստուգեք և նորից սեղմեք Վճարել։',
  busyElsewhere: 'Այս վճարումը կատարվում է մեկ այլ պատուհանում։',
  tooMany: 'Չափազանց շատ փորձեր։ Սպասեք մեկ րոպե և նորից փորձեք։',
  trouble: 'Մեր կողմից սխալ է տեղի ունեցել։ Գումար չի գանձվել։ Նորից փորձեք։',
  apart: 'Այս էջը բացվում է խանութի վճարման էջի ներսում։',
  declined: 'Քարտը մերժվեց։ Փորձեք այլ քարտ։',
  insufficientFunds: 'Այս քարտի վրա բավարար գումար չկա։ Փորձեք այլ քարտ։',
  expiredCard: 'Քարտի ժամկետն անցել է։ Ստուգեք ամսաթիվը կամ փորձեք այլ քարտ։',
  incorrectCvc: 'CVC կոդը սխալ է։ Ստուգեք և նորից փորձեք։',
  processingError: 'Բանկն այս պահին չկարողացավ մշակել քարտը։ Փորձեք մի փոքր ուշ։',
  authenticationFailed: 'Ձեր բանկը չհաստատեց վճարումը։ Նորից փորձեք կամ օգտագործեք այլ քարտ։',
  authenticationCanceled: 'Հաստատումը չավարտվեց։ Նորից փորձեք կամ օգտագործեք այլ քարտ։',
  authenticationExpired: 'Հաստատումը չափազանց երկար տևեց։ Նորից փորձեք։',
  authenticationUnavailable: 'Ձեր բանկն այս պահին չկարողացավ հաստատել վճարումը։ Փորձեք այլ քարտ։',
}

const ru: Texts = {
  order: 'Заказ {order}',
  cardNumber: 'Номер карты',
  expiryDate: 'Срок действия',
  expiryHint: 'ММ / ГГ',
  securityCode: 'Код CVC',
  nameOnCard: 'Имя на карте',
  pay: 'Оплатить {amount}',
  paying: 'Оплачиваем…',
  cancelPayment: 'Отменить оплату',
  sandbox: 'Песочница: без настоящих карт',
  testCards: 'Тестовые карты',
  testCardsHint: 'Заполняет форму. «Оплатить» нажмите сами.',
  numberIncomplete: 'Номер карты введён не полностью.',
  numberWrong: 'Номер карты неверен.',
  numberNotTest:
    'Это песочница: здесь работают только тестовые карты. Никогда не вводите настоящую карту.',
  expiryIncomplete: 'Напишите срок действия так: ММ / ГГ.',
  expiryPast: 'Срок действия карты истёк.',
  cvcIncomplete: 'В коде CVC {digits} цифры.',
  nameWrong: 'Напишите имя так, как оно стоит на карте.',
  covered:
    'Что-то на странице закрывает эту форму, поэтому оплата отключена. Закройте это или обновите страницу.',
  verify: 'Подтвердите в банке',
  verifyText: 'Ваш банк хочет убедиться, что это вы.',
  verifyFrame: 'Подтверждение вашего банка',
  anotherCard: 'Другая карта',
  toBank: 'Перейти к банку',
  toBankText: 'Ваш банк подтверждает оплату на своей странице. Потом вы вернётесь сюда.',
  toBankFailed: 'Не удалось покинуть страницу. Нажмите кнопку, чтобы перейти к банку.',
  returnRefused: 'Страница банка не может вернуться в этот магазин. Используйте другую карту.',
  processing: 'Оплата обрабатывается',
  processingText: 'Это займёт несколько секунд. Пожалуйста, не закрывайте страницу.',
  paidTitle: 'Оплата прошла',
  paidText: 'Вы заплатили {amount}. Получатель: {merchant}.',
  failedTitle: 'Оплата не прошла',
  failedText: 'Деньги не списаны. Вернитесь в магазин, чтобы попробовать ещё раз.',
  canceledTitle: 'Оплата отменена',
  canceledText: 'Деньги не списаны.',
  expiredTitle: 'Срок этой оплаты истёк',
  expiredText: 'Деньги не списаны. Вернитесь в магазин, чтобы начать заново.',
  waitingTitle: 'Всё ещё обрабатывается',
  waitingText: 'Банку нужно больше времени. {merchant} узнает результат, страницу можно закрыть.',
  connection: 'Нет связи. Пробуем снова…',
  moved: 'Эта оплата изменилась в другом окне. Проверьте и снова нажмите «Оплатить».',
  busyElsewhere: 'Эта оплата идёт в другом окне.',
  tooMany: 'Слишком много попыток. Подождите минуту и попробуйте снова.',
  trouble: 'У нас что-то сломалось. Деньги не списаны. Попробуйте ещё раз.',
  apart: 'Эта страница открывается внутри магазина.',
  declined: 'Карта отклонена. Попробуйте другую карту или спросите свой банк.',
  insufficientFunds: 'На карте не хватает денег. Попробуйте другую карту.',
  expiredCard: 'Срок действия карты истёк. Проверьте дату или попробуйте другую карту.',
  incorrectCvc: 'Код CVC неверен. Проверьте его и попробуйте снова.',
  processingError: 'Банк сейчас не смог обработать карту. Попробуйте чуть позже.',
  authenticationFailed: 'Банк не подтвердил оплату. Попробуйте ещё раз или возьмите другую карту.',
  authenticationCanceled:
    'Подтверждение не завершено. Попробуйте ещё раз или возьмите другую карту.',
  authenticationExpired: 'Подтверждение заняло слишком много времени. Попробуйте ещё раз.',
  authenticationUnavailable: 'Банк сейчас не смог подтвердить оплату. Попробуйте другую карту.',
}

/** The texts of every language. */
export const texts: Readonly<Record<Language, Texts>> = { en, hy, ru }

/** The words for a failure that the service reports; `undefined` for a code that this page does not know. */
export function failureText(
  { code, declineCode }: { readonly code: string; readonly declineCode: string | null },
  language: Language,
): string | undefined {
  const key = failureTexts.get(declineCode ?? '') ?? failureTexts.get(code)
  return key && texts[language][key]
}

const failureTexts: ReadonlyMap<string, keyof Texts> = new Map<string, keyof Texts>([
  ['card_declined', 'declined'],
  ['insufficient_funds', 'insufficientFunds'],
  ['expired_card', 'expiredCard'],
  ['incorrect_cvc', 'incorrectCvc'],
  ['processing_error', 'processingError'],
  ['authentication_failed', 'authenticationFailed'],
  ['authentication_canceled', 'authenticationCanceled'],
  ['authentication_timed_out', 'authenticationExpired'],
  ['authentication_unavailable', 'authenticationUnavailable'],
])
