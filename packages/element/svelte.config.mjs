// For svelte-check alone, which would look for Svelte in vite.config.ts and complain.
export default {}
