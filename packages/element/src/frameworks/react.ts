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
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import type { PiCheckout as PiCheckoutElement } from '../checkout-element.ts'
import {
  followPayment,
  HandoffError,
  type HandoffProblemCode,
  type PaymentPhase,
  postHandoff,
} from '../client/index.ts'
import { configureCheckout } from '../configure-checkout.ts'
import type { CheckoutError } from '../errors.ts'
import type { PiEventType } from '../events.ts'
import type { FetchHandoff } from '../handoff.ts'
import '../register.ts'
import type { AttributeHandlers, CheckoutValues, Handler } from './handlers.ts'

type Attributes = Omit<HTMLAttributes<PiCheckoutElement>, 'onError'>

/** Values, handlers, and children of `<PiCheckout>`. Other attributes are set on the tag. */
export interface PiCheckoutProps extends Attributes, CheckoutValues {
  /**
   * Origin of the checkout, as in `configureCheckout`.
   *
   * @default The origin that `configureCheckout` has set
   */
  readonly checkoutOrigin?: string | undefined
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
 * <PiCheckout checkoutOrigin="https://pay.example" fetchHandoff={fetchHandoff} onFinish={showResult} />
 */
export const PiCheckout: ForwardRefExoticComponent<
  PiCheckoutProps & RefAttributes<PiCheckoutElement>
> = forwardRef<PiCheckoutElement, PiCheckoutProps>((props, ref) => {
  const { checkoutOrigin, className, children, ...values } = props
  const { fetchHandoff, handoff, ...looks } = values
  const { label, locale, appearance, ...others } = looks
  const { onReady, onStateChange, onLeave, onFinish, onCancel, onError, ...attributes } = others
  const element = useRef<PiCheckoutElement>(null)
  // The ref is set before effects run.
  useImperativeHandle(ref, () => element.current as PiCheckoutElement, [])
  // The first effect: the element reads the origin when it has a handoff, or a function that requests one.
  useEffect(() => {
    if (checkoutOrigin !== undefined) configureCheckout({ checkoutOrigin })
  }, [checkoutOrigin])
  useListener(element, 'pi-ready', onReady)
  useListener(element, 'pi-statechange', onStateChange)
  useListener(element, 'pi-leave', onLeave)
  useListener(element, 'pi-finish', onFinish)
  useListener(element, 'pi-cancel', onCancel)
  useListener(element, 'pi-error', onError)
  useValue(element, 'handoff', handoff)
  useValue(element, 'fetchHandoff', fetchHandoff)
  useValue(element, 'label', label)
  useValue(element, 'locale', locale)
  useValue(element, 'appearance', appearance)
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
function useValue<K extends keyof CheckoutValues>(
  element: RefObject<PiCheckoutElement | null>,
  key: K,
  value: PiCheckoutElement[K] | undefined,
): void {
  const isSet = useRef(false)
  useEffect(() => {
    const target = element.current
    // A value that was never passed must not clear the one that `fetchHandoff` returned.
    if (!target || (value === undefined && !isSet.current)) return
    isSet.current = true
    target[key] = (value ?? null) as PiCheckoutElement[K]
  }, [element, key, value])
}

/** The status route knows more than these errors of the handoff. */
const paymentCodes: ReadonlySet<string> = new Set<HandoffProblemCode>([
  'order_already_paid',
  'payment_in_progress',
  'payment_under_review',
])

/** Your server's routes: paths, or addresses of another origin that your server permits. */
export interface CheckoutRoutes {
  /** Such as `'/checkout/handoff'`. */
  readonly handoff: string
  /** Such as `'/checkout/status'`. */
  readonly status: string
}

/** What `useCheckout` returns. */
export interface CheckoutProgress {
  /** Values and handlers for `<PiCheckout>`. */
  readonly props: {
    readonly fetchHandoff: FetchHandoff
    readonly onReady: () => void
    readonly onFinish: () => void
    readonly onCancel: () => void
    readonly onError: Handler<'pi-error'>
  }
  /** What your server says about the payment: `undefined` while the buyer uses the form. Show it before `error`. */
  readonly phase: PaymentPhase | undefined
  /** Why the checkout cannot be shown. `undefined` for an order with a payment, whose `phase` is followed. */
  readonly error: CheckoutError | undefined
}

/**
 * Connects `<PiCheckout>` to the two routes of your server: requests the handoff, and follows the payment.
 *
 * @param routes - Addresses of both routes.
 * @returns The props of the component, and the progress to show.
 * @example
 * const { props, phase, error } = useCheckout({ handoff: '/checkout/handoff', status: '/checkout/status' })
 * return phase === 'paid' ? <Thanks /> : <PiCheckout checkoutOrigin="https://pay.example" {...props} />
 */
export function useCheckout({ handoff, status }: CheckoutRoutes): CheckoutProgress {
  const [phase, setPhase] = useState<PaymentPhase>()
  const [error, setError] = useState<CheckoutError>()
  /** Another object for each end of the form. */
  const [following, setFollowing] = useState<object>()
  useEffect(() => {
    if (!following) return undefined
    const end = new AbortController()
    followPayment(status, { signal: end.signal }).then(setPhase, () => {})
    return () => end.abort()
  }, [following, status])
  const follow = useCallback(() => {
    setError(undefined)
    setPhase('processing')
    setFollowing({})
  }, [])
  const fetchHandoff: FetchHandoff = useCallback(
    (options) => postHandoff(handoff, options),
    [handoff],
  )
  const onReady = useCallback(() => {
    setError(undefined)
    setFollowing(undefined)
    setPhase((last) => (last === 'paid' ? last : undefined))
  }, [])
  const onError = useCallback<Handler<'pi-error'>>(
    ({ error: failure }) => {
      const { cause } = failure
      if (cause instanceof HandoffError && paymentCodes.has(cause.code)) return follow()
      setError(failure)
      // The checkout has closed the intent: it may be paid.
      if (failure.code === 'unauthorized') setFollowing({})
    },
    [follow],
  )
  return {
    props: { fetchHandoff, onReady, onFinish: follow, onCancel: follow, onError },
    phase,
    error,
  }
}

/** Attributes of the tag in JSX. */
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
