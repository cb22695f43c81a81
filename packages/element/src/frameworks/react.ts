'use client'
/**
 * `<pi-checkout>` for React 18 and 19, by `@lit/react`: renders the tag with its attributes, also on a server.
 *
 * Markup never contains the secret: values that are no text are set as properties.
 *
 * @module
 */
import { createComponent, type EventName } from '@lit/react'
import * as React from 'react'
import { PiCheckout as PiCheckoutElement } from '../checkout-element.ts'
import { configureCheckout } from '../configure-checkout.ts'
import type { PiEventType } from '../events.ts'
import '../register.ts'
import type { FetchHandoff } from '../handoff.ts'
import type { AttributeHandlers, CheckoutAttributes, CheckoutValues, Handler } from './handlers.ts'

/** Values, handlers, and children of `<PiCheckout>`. Other attributes are set on the tag. */
export type PiCheckoutProps = CheckoutProps &
  (
    | { readonly fetchHandoff?: null | undefined; readonly orderId?: string | undefined }
    /** With the id, a function may be another one at each render. */
    | { readonly fetchHandoff: FetchHandoff; readonly orderId: string }
  )

interface CheckoutProps
  extends Omit<React.HTMLAttributes<PiCheckoutElement>, 'onError'>,
    Omit<CheckoutValues, 'fetchHandoff'> {
  /**
   * Origin of the checkout, as in `configureCheckout`.
   *
   * @default The origin that `configureCheckout` has set
   */
  readonly checkoutOrigin?: string | undefined
  /** Path of the routes of `createCheckout`, such as `/checkout`. */
  readonly basePath?: string | undefined
  readonly onReady?: Handler<'pi-ready'> | undefined
  readonly onStateChange?: Handler<'pi-statechange'> | undefined
  /** What your server says about the payment. */
  readonly onPhase?: Handler<'pi-phase'> | undefined
  readonly onLeave?: Handler<'pi-leave'> | undefined
  /** Without `fetchStatus`. Not proof of payment: ask your server. */
  readonly onFinish?: Handler<'pi-finish'> | undefined
  /** Without `fetchStatus`. Not proof of anything: ask your server. */
  readonly onCancel?: Handler<'pi-cancel'> | undefined
  readonly onError?: Handler<'pi-error'> | undefined
}

const eventOf = <T extends PiEventType>(type: T): EventName<HTMLElementEventMap[T]> =>
  type as unknown as EventName<HTMLElementEventMap[T]>

// React 18 warns about layout effects on a server, where none of them runs.
const isServer = typeof document === 'undefined'

const Element = createComponent({
  react: isServer ? { ...React, useLayoutEffect: React.useEffect } : React,
  tagName: 'pi-checkout',
  elementClass: PiCheckoutElement,
  events: {
    onReady: eventOf('pi-ready'),
    onStateChange: eventOf('pi-statechange'),
    onPhase: eventOf('pi-phase'),
    onLeave: eventOf('pi-leave'),
    onFinish: eventOf('pi-finish'),
    onCancel: eventOf('pi-cancel'),
    onError: eventOf('pi-error'),
  },
})

/**
 * The hosted checkout as a React component. Its ref is the element.
 *
 * @example
 * <PiCheckout checkoutOrigin="https://pay.example" basePath="/checkout" orderId="A-1001" onPhase={showPhase} />
 */
export const PiCheckout: React.ForwardRefExoticComponent<
  PiCheckoutProps & React.RefAttributes<PiCheckoutElement>
> = React.forwardRef<PiCheckoutElement, PiCheckoutProps>(
  ({ checkoutOrigin, basePath, orderId, ...props }, ref) => {
    if (props.fetchHandoff && orderId === undefined) {
      throw new TypeError('orderId: fetchHandoff needs it. Pass the id of the order, or basePath.')
    }
    React.useEffect(() => {
      if (checkoutOrigin !== undefined) configureCheckout({ checkoutOrigin })
    }, [checkoutOrigin])
    const attributes = { 'base-path': basePath, 'order-id': orderId }
    // `@lit/react` takes the types of the element's own properties, which are never `undefined`.
    return React.createElement(Element as React.ElementType, { ...props, ...attributes, ref })
  },
)
PiCheckout.displayName = 'PiCheckout'

/** Attributes of the tag in JSX. */
interface PiCheckoutTag
  extends React.HTMLAttributes<PiCheckoutElement>,
    React.RefAttributes<PiCheckoutElement>,
    CheckoutValues,
    CheckoutAttributes,
    AttributeHandlers {
  readonly class?: string | undefined
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'pi-checkout': PiCheckoutTag
    }
  }
}
