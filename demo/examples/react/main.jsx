import { configureCheckout } from '@pi-checkout/element'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Checkout } from './checkout.jsx'

configureCheckout({ checkoutOrigin: import.meta.env.VITE_CHECKOUT_ORIGIN })
createRoot(document.querySelector('#app')).render(
  <StrictMode>
    <Checkout />
  </StrictMode>,
)
