// What this shop adds to its pages. Without it, all of them still work.
const checkout = document.querySelector('pi-checkout')

if (checkout) {
  checkout.appearance = JSON.parse(checkout.dataset.appearance)
  // The element says when the form takes long, but not when its own file does.
  setTimeout(() => {
    if (customElements.get('pi-checkout')) return
    checkout.querySelector('.idle').textContent =
      'This is taking longer than usual. You can reload the page: you pay only once.'
  }, 8_000)
  // These results have a page, that of the order. After the others, the element offers "Try again".
  checkout.addEventListener('pi-phase', ({ phase, orderId }) => {
    if (['paid', 'processing', 'review'].includes(phase)) location.replace(`/orders/${orderId}`)
  })
  // Another tab may have closed the order, or paid for it: then this page leads elsewhere.
  document.addEventListener('visibilitychange', async () => {
    if (document.visibilityState === 'visible' && (await load())?.redirected) location.reload()
  })
}

// The browser kept the page as it was.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

// While the bank is processing a payment. A reload without a change would interrupt screen readers.
if (document.querySelector('[data-waiting]')) {
  const statesIn = (html) => html.match(/data-state="\w+"/g)?.join()
  setInterval(async () => {
    const page = await (await load())?.text()
    if (page && statesIn(page) !== statesIn(document.body.innerHTML)) location.reload()
  }, 5000)
}

function load() {
  return fetch(location.href).catch(() => undefined)
}
