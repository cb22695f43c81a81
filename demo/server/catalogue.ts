/** What the shop sells. Prices are in one currency. @module */
import { formatMoney, toMinor } from '@pi-checkout/server'

export const currency = 'AMD'

export interface Product {
  readonly id: string
  readonly name: string
  readonly about: string
  /** Minor units. */
  readonly price: number
}

export const products: readonly Product[] = [
  {
    id: 'pomegranate-vase',
    name: 'Pomegranate vase',
    about: 'Red clay from Gyumri, thrown by hand and burnished with agate.',
    price: toMinor('18500', currency),
  },
  {
    id: 'copper-jazve',
    name: 'Copper jazve',
    about: 'Beaten copper, tinned inside. Makes three small cups.',
    price: toMinor('24000', currency),
  },
  {
    id: 'coffee-cups',
    name: 'Two coffee cups',
    about: 'Stoneware, glazed with the ash of apricot wood.',
    price: toMinor('14800', currency),
  },
  {
    id: 'lori-honey',
    name: 'Lori wildflower honey',
    about: '500 g, gathered in July above the Debed gorge.',
    price: toMinor('4900', currency),
  },
  {
    id: 'dried-apricots',
    name: 'Sun-dried apricots',
    about: '400 g of Shalakh from the Ararat valley, nothing added.',
    price: toMinor('3200', currency),
  },
  {
    id: 'gavar-blanket',
    name: 'Gavar wool blanket',
    about: 'Undyed and madder-red wool from a hand loom, 130 × 180 cm.',
    price: toMinor('58000', currency),
  },
  {
    id: 'scribe-notebook',
    name: 'Scribe’s notebook',
    about: 'Sewn binding, 160 blank pages, a border from old manuscripts.',
    price: toMinor('6700', currency),
  },
  {
    id: 'thyme-tea',
    name: 'Mountain thyme tea',
    about: '50 g, picked on the slopes of Aragats, dried in the shade.',
    price: toMinor('2400', currency),
  },
]

/** Finds a product of the current catalogue. */
export function findProduct(id: string): Product | undefined {
  return products.find((product) => product.id === id)
}

/** Returns the name of a product, or the id of one that is no longer sold. */
export function nameOf(id: string): string {
  return findProduct(id)?.name ?? id
}

/** Formats an amount of minor units. */
export function priceText(amount: number): string {
  return formatMoney(amount, currency, 'en')
}
