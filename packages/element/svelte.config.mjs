// For svelte-check, which otherwise reads vite.config.ts and reports that Svelte is missing.
export default {}
