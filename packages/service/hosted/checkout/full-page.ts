/** The hosted page as a separate page: what the shop's page around a frame says and receives otherwise. @module */
import type { FromElement, FromFrame } from '@pi-checkout/contract/frame-protocol'
import type { PageLink } from './frame-link.ts'

const { return: returnUrl, locale, appearance } = document.documentElement.dataset

export class FullPageLink implements PageLink {
  /** Address of the shop's page, which the service has checked. */
  readonly returnUrl: string

  constructor(url: string) {
    this.returnUrl = url
  }

  /** Returns to the shop at the end. Back does not lead here again. */
  send({ t }: FromFrame): void {
    if (t === 'finish' || t === 'cancel') location.replace(this.returnUrl)
  }

  /** The bank's page returns to this page. */
  async request<T extends FromElement['t']>(
    _: FromFrame,
    type: T,
  ): Promise<Extract<FromElement, { t: T }> | undefined> {
    const left: FromElement = { t: 'left', page: location.search }
    return left.t === type ? (left as Extract<FromElement, { t: T }>) : undefined
  }

  /** The page shows the failure, with a way back. */
  fail(): void {}
}

/** `undefined` in a frame. */
export const fullPage = returnUrl === undefined ? undefined : new FullPageLink(returnUrl)

export const fullPageConfig: FromElement = {
  t: 'config',
  locale: locale || navigator.language,
  appearance,
}
