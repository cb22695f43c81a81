'use client'
/**
 * `<pi-checkout>` for React 18 and 19: renders the tag, and sets values and listeners through its ref.
 *
 * So markup never contains the secret, whether a server renders it or not.
 *
 * @module
 */
import {
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type HTMLAttributes,
  type ReactNode,
  type RefAttributes,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useRef,
} from 'react'
import type { PiCheckout as PiCheckoutElement } from '../checkout-element.ts'
import '../define.ts'
import type { PiEventType } from '../events.ts'
import type { AttributeHandlers, CheckoutValues, Handler } from './handlers.ts'

type Attributes = Omit<HTMLAttributes<PiCheckoutElement>, 'onError'>

/** Values, handlers, and children of `<PiCheckout>`. Other attributes are set on the tag. */
export interface PiCheckoutProps extends Attributes, CheckoutValues {
  /** Secret of that intent. Never rendered. */
  readonly clientSecret?: string | null | undefined
  readonly onReady?: Handler<'pi-ready'> | undefined
  readonly onStateChange?: Handler<'pi-statechange'> | undefined
  readonly onLeave?: Handler<'pi-leave'> | undefined
  /** Not proof of payment: ask your server. */
  readonly onFinish?: Handler<'pi-finish'> | undefined
  /** Not proof of anything: ask your server. */
  readonly onCancel?: Handler<'pi-cancel'> | undefined
  readonly onError?: Handler<'pi-error'> | undefined
  /** Shown before the definition and while idle. */
  readonly children?: ReactNode
}

/**
 * The hosted checkout as a React component. Its ref is the element.
 *
 * @example
 * <PiCheckout intentId={id} clientSecret={clientSecret} onFinish={showResult} />
 */
export const PiCheckout: ForwardRefExoticComponent<
  PiCheckoutProps & RefAttributes<PiCheckoutElement>
> = forwardRef<PiCheckoutElement, PiCheckoutProps>((props, ref) => {
  const { intentId, clientSecret, label, locale, className, children, ...others } = props
  const { onReady, onStateChange, onLeave, onFinish, onCancel, onError, ...attributes } = others
  const element = useRef<PiCheckoutElement>(null)
  // The ref is set before effects run.
  useImperativeHandle(ref, () => element.current as PiCheckoutElement, [])
  useListener(element, 'pi-ready', onReady)
  useListener(element, 'pi-statechange', onStateChange)
  useListener(element, 'pi-leave', onLeave)
  useListener(element, 'pi-finish', onFinish)
  useListener(element, 'pi-cancel', onCancel)
  useListener(element, 'pi-error', onError)
  // One effect each: setting an unchanged secret again would allow it for another id.
  useValue(element, 'clientSecret', clientSecret)
  useValue(element, 'intentId', intentId)
  useValue(element, 'label', label)
  useValue(element, 'locale', locale)
  // React 18 does not support `className` on custom elements. Both versions support `class`.
  return createElement('pi-checkout', { ...attributes, class: className, ref: element }, children)
})
PiCheckout.displayName = 'PiCheckout'

function useListener<T extends PiEventType>(
  element: RefObject<PiCheckoutElement | null>,
  type: T,
  handler: Handler<T> | undefined,
): void {
  useEffect(() => {
    const target = element.current
    if (!target || !handler) return undefined
    target.addEventListener(type, handler)
    return () => target.removeEventListener(type, handler)
  }, [element, type, handler])
}

// No cleanup: StrictMode runs effects twice, and clearing a value would end the session.
function useValue<K extends 'intentId' | 'clientSecret' | 'label' | 'locale'>(
  element: RefObject<PiCheckoutElement | null>,
  key: K,
  value: PiCheckoutElement[K] | undefined,
): void {
  useEffect(() => {
    const target = element.current
    if (target) target[key] = (value ?? null) as PiCheckoutElement[K]
  }, [element, key, value])
}

/**
 * Attributes of the tag in JSX, without the secret: React prints it into server-rendered HTML.
 *
 * @see https://github.com/react/react/issues/35446
 */
interface PiCheckoutTag
  extends HTMLAttributes<PiCheckoutElement>,
    RefAttributes<PiCheckoutElement>,
    CheckoutValues,
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
