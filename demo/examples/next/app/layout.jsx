export const metadata = { title: 'Checkout' }

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <style>{'pi-checkout:not(:defined) { display: block; min-block-size: 532px }'}</style>
        {children}
      </body>
    </html>
  )
}
