// TypeScript alone cannot read a component of Vue; vue-tsc does.
declare module '*.vue' {
  import type { Component } from 'vue'

  const component: Component
  export default component
}
