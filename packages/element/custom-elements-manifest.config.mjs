export default {
  globs: ['src/checkout-element.ts'],
  litelement: true,
  outdir: 'dist',
  // package.json contains its path already.
  packagejson: false,
}
