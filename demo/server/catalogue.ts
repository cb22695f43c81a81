/** What the shop sells, in three languages and four price lists. No price is converted from another. @module */
import { type Currency, toMinor } from '@pi-checkout/server'

export const languages = ['en', 'hy', 'ru'] as const

/** A language of the shop's texts. */
export type Language = (typeof languages)[number]

/** AMD is the default. */
export const priceLists = ['AMD', 'USD', 'EUR', 'RUB'] as const satisfies readonly Currency[]

export interface Product {
  readonly id: string
  readonly name: Readonly<Record<Language, string>>
  readonly about: Readonly<Record<Language, string>>
  /** Minor units, one price per list. */
  readonly prices: Readonly<Record<Currency, number>>
}

/** Returns the name of a product, or the id of one that is no longer sold. */
export function nameOf(id: string, language: Language): string {
  return findProduct(id)?.name[language] ?? id
}

/** Finds a product of the current catalogue. */
export function findProduct(id: string): Product | undefined {
  return products.find((product) => product.id === id)
}

export const products: readonly Product[] = [
  {
    id: 'pomegranate-vase',
    name: { en: 'Pomegranate vase', hy: 'Նռնաձև ծաղկաման', ru: 'Ваза «Гранат»' },
    about: {
      en: 'Red clay from Gyumri, thrown by hand and burnished with agate.',
      hy: 'Գյումրիի կարմիր կավ՝ ձեռքով կերտված և ագաթով հղկված։',
      ru: 'Красная глина из Гюмри, ручная работа, лощение агатом.',
    },
    prices: priced({ AMD: '18500', USD: '49', EUR: '45', RUB: '4400' }),
  },
  {
    id: 'copper-jazve',
    name: { en: 'Copper jazve', hy: 'Պղնձե ջազվե', ru: 'Медная джезва' },
    about: {
      en: 'Beaten copper, tinned inside. Makes three small cups.',
      hy: 'Կռած պղինձ՝ ներսից անագապատ։ Երեք փոքր գավաթի համար։',
      ru: 'Кованая медь, внутри лужёная. На три маленькие чашки.',
    },
    prices: priced({ AMD: '24000', USD: '62', EUR: '57', RUB: '5600' }),
  },
  {
    id: 'coffee-cups',
    name: { en: 'Two coffee cups', hy: 'Սուրճի երկու գավաթ', ru: 'Две кофейные чашки' },
    about: {
      en: 'Stoneware, glazed with the ash of apricot wood.',
      hy: 'Քարախեցի՝ ծիրանենու մոխրից ջնարակով։',
      ru: 'Каменная керамика с глазурью из золы абрикоса.',
    },
    prices: priced({ AMD: '14800', USD: '39', EUR: '36', RUB: '3500' }),
  },
  {
    id: 'lori-honey',
    name: { en: 'Lori wildflower honey', hy: 'Լոռվա ծաղկամեղր', ru: 'Лорийский мёд' },
    about: {
      en: '500 g, gathered in July above the Debed gorge.',
      hy: '500 գ՝ հավաքված հուլիսին, Դեբեդի ձորից վեր։',
      ru: '500 г, собран в июле над ущельем Дебеда.',
    },
    prices: priced({ AMD: '4900', USD: '13.50', EUR: '12.50', RUB: '1200' }),
  },
  {
    id: 'dried-apricots',
    name: { en: 'Sun-dried apricots', hy: 'Ծիրանի չիր', ru: 'Сушёные абрикосы' },
    about: {
      en: '400 g of Shalakh from the Ararat valley, nothing added.',
      hy: '400 գ Շալախ՝ Արարատյան դաշտից, առանց հավելումների։',
      ru: '400 г шалаха из Араратской долины, без добавок.',
    },
    prices: priced({ AMD: '3200', USD: '8.90', EUR: '8.20', RUB: '790' }),
  },
  {
    id: 'gavar-blanket',
    name: { en: 'Gavar wool blanket', hy: 'Գավառի բրդյա ծածկոց', ru: 'Плед из Гавара' },
    about: {
      en: 'Undyed and madder-red wool from a hand loom, 130 × 180 cm.',
      hy: 'Բնագույն և տորոնով ներկված բուրդ, ձեռքի հաստոց, 130 × 180 սմ։',
      ru: 'Шерсть, окрашенная мареной, ручной станок, 130 × 180 см.',
    },
    prices: priced({ AMD: '58000', USD: '149', EUR: '139', RUB: '13500' }),
  },
  {
    id: 'scribe-notebook',
    name: { en: 'Scribe’s notebook', hy: 'Գրչի տետր', ru: 'Тетрадь писца' },
    about: {
      en: 'Sewn binding, 160 blank pages, a border from old manuscripts.',
      hy: 'Կարովի կազմ, 160 դատարկ էջ, զարդագոտի հին ձեռագրերից։',
      ru: 'Шитый переплёт, 160 чистых страниц, узор старых рукописей.',
    },
    prices: priced({ AMD: '6700', USD: '17.90', EUR: '16.50', RUB: '1600' }),
  },
  {
    id: 'thyme-tea',
    name: { en: 'Mountain thyme tea', hy: 'Լեռնային ուրցի թեյ', ru: 'Чай с горным чабрецом' },
    about: {
      en: '50 g, picked on the slopes of Aragats, dried in the shade.',
      hy: '50 գ՝ հավաքված Արագածի լանջերին, չորացված ստվերում։',
      ru: '50 г, собран на склонах Арагаца, высушен в тени.',
    },
    prices: priced({ AMD: '2400', USD: '6.50', EUR: '5.90', RUB: '580' }),
  },
]

function priced(list: Readonly<Record<Currency, string>>): Readonly<Record<Currency, number>> {
  const { AMD, USD, EUR, RUB } = list
  return {
    AMD: toMinor(AMD, 'AMD'),
    USD: toMinor(USD, 'USD'),
    EUR: toMinor(EUR, 'EUR'),
    RUB: toMinor(RUB, 'RUB'),
  }
}
