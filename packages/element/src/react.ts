'use client'
/**
 * `<pi-checkout>` for React 18 and 19: renders the bare tag, and hands values over through its ref.
 *
 * So no markup, rendered by a server or not, ever holds the secret.
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
import type { PiCheckout as PiCheckoutElement } from './checkout-element.ts'
import './define.ts'
import type { PiEventType } from './events.ts'

type Handler<T extends PiEventType> = (event: HTMLElementEventMap[T]) => void
type Attributes = Omit<HTMLAttributes<PiCheckoutElement>, 'onError'>

/** Values, handlers and children of `<PiCheckout>`; other attributes go to the tag as they are. */
export interface PiCheckoutProps extends Attributes {
  /** Id of the Payment Intent. */
  readonly intentId?: string | null | undefined
  /** Its secret; never rendered. */
  readonly clientSecret?: string | null | undefined
  /** Title of the frame. */
  readonly label?: string | null | undefined
  /** BCP 47; by default the closest `lang`. */
  readonly locale?: string | null | undefined
  readonly onReady?: Handler<'pi-ready'> | undefined
  readonly onStateChange?: Handler<'pi-statechange'> | undefined
  readonly onLeave?: Handler<'pi-leave'> | undefined
  /** Not proof of payment: ask your server. */
  readonly onFinish?: Handler<'pi-finish'> | undefined
  /** Not proof of anything: ask your server. */
  readonly onCancel?: Handler<'pi-cancel'> | undefined
  readonly onError?: Handler<'pi-error'> | undefined
  /** Shown before definition and while idle. */
  readonly children?: ReactNode
}

/** The hosted checkout as a React component. Its ref is the element. */
export const PiCheckout: ForwardRefExoticComponent<
  PiCheckoutProps & RefAttributes<PiCheckoutElement>
> = forwardRef<PiCheckoutElement, PiCheckoutProps>((props, ref) => {
  const { intentId, clientSecret, label, locale, className, children, ...others } = props
  const { onReady, onStateChange, onLeave, onFinish, onCancel, onError, ...attributes } = others
  const element = useRef<PiCheckoutElement>(null)
  // An element that is there whenever React looks: the ref is set before effects run.
  useImperativeHandle(ref, () => element.current as PiCheckoutElement, [])
  useListener(element, 'pi-ready', onReady)
  useListener(element, 'pi-statechange', onStateChange)
  useListener(element, 'pi-leave', onLeave)
  useListener(element, 'pi-finish', onFinish)
  useListener(element, 'pi-cancel', onCancel)
  useListener(element, 'pi-error', onError)
  // One effect each: setting an unchanged secret again would lend it to another id.
  useValue(element, 'clientSecret', clientSecret)
  useValue(element, 'intentId', intentId)
  useValue(element, 'label', label)
  useValue(element, 'locale', locale)
  // React 18 knows no `className` on custom elements, and both know `class`.
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
 * What the bare tag takes in JSX. Not the secret: React prints it into server-rendered HTML.
 *
 * @see https://github.com/react/react/issues/35446
 */
interface PiCheckoutTag
  extends HTMLAttributes<PiCheckoutElement>,
    RefAttributes<PiCheckoutElement> {
  readonly class?: string | undefined
  readonly intentId?: string | null | undefined
  readonly label?: string | null | undefined
  readonly locale?: string | null | undefined
  readonly 'onpi-ready'?: Handler<'pi-ready'> | undefined
  readonly 'onpi-statechange'?: Handler<'pi-statechange'> | undefined
  readonly 'onpi-leave'?: Handler<'pi-leave'> | undefined
  readonly 'onpi-finish'?: Handler<'pi-finish'> | undefined
  readonly 'onpi-cancel'?: Handler<'pi-cancel'> | undefined
  readonly 'onpi-error'?: Handler<'pi-error'> | undefined
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'pi-checkout': PiCheckoutTag
    }
  }
}
