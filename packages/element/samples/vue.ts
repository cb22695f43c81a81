/**
 * A shop's checkout page in Vue.
 *
 * @module
 */
import { configureCheckout } from '@pi-checkout/element'
import '@pi-checkout/element/define'
import '@pi-checkout/element/vue'
import { createApp, defineComponent, ref } from 'vue'

const Checkout = defineComponent({
  template: `
    <pi-checkout
      id="pay"
      :intentId.prop="id"
      :clientSecret.prop="clientSecret"
      @pi-finish="finish"
    ><p>Waiting</p></pi-checkout>
    <output>{{ finished }}</output>`,
  setup() {
    const id = ref<string | null>(null)
    const clientSecret = ref<string | null>(null)
    const finished = ref('')
    const headers = { 'content-type': 'application/json' }
    void fetch('/checkout/handoff', { method: 'POST', headers, body: '{}' })
      .then((answer) => answer.json())
      .then((handoff) => {
        id.value = handoff.id
        clientSecret.value = handoff.clientSecret
      })
    const finish = ({ intentId }: HTMLElementEventMap['pi-finish']): void => {
      finished.value = intentId
    }
    return { id, clientSecret, finished, finish }
  },
})

export function start(root: HTMLElement, origin: string): void {
  configureCheckout({ origin })
  const app = createApp(Checkout)
  app.config.compilerOptions.isCustomElement = (tag) => tag === 'pi-checkout'
  app.mount(root)
}
