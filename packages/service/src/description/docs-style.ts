/**
 * The documentation's style: a file of its own, because the page's policy allows no other, and in the
 * source, so that the page needs no build.
 *
 * @module
 */

/** The text of `/docs.css`. */
export const docsStyle = `
:root {
  color-scheme: light dark;
  --surface: #fff; --raised: #f7f8fb; --text: #16181d; --muted: #5a6170; --line: #e1e4ea;
  --accent: #3346d3; --code: #2b55a8; --mark: #eef0fe; --good: #0b6b41; --good-surface: #e3f5eb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --surface: #14161b; --raised: #1b1e25; --text: #eef0f4; --muted: #a3abb9; --line: #2a2f39;
    --accent: #8d99ff; --code: #9dbcff; --mark: #222745; --good: #6fdcaa; --good-surface: #14322a;
  }
}
* { box-sizing: border-box; }
html {
  background: var(--surface); color: var(--text); scroll-padding-block-start: 1.5rem;
  font: 400 1rem/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue",
    "Noto Sans", "Noto Sans Armenian", Arial, sans-serif;
  -webkit-text-size-adjust: 100%;
}
body {
  display: grid; grid-template-columns: 13rem minmax(0, 50rem); gap: 4rem; justify-content: center;
  margin: 0; padding: 3rem 1.5rem 6rem;
}
a { color: var(--accent); text-underline-offset: .15em; }
nav { position: sticky; inset-block-start: 3rem; align-self: start; font-size: .9375rem; }
nav p { margin: 0 0 .75rem; font-weight: 650; letter-spacing: -.01em; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li a { display: block; padding: .25rem 0; color: var(--muted); text-decoration: none; }
nav li a:hover { color: var(--text); }
nav .small { margin-block-start: 1rem; font-weight: 400; }
h1 { margin: 0 0 .75rem; font-size: 2.125rem; letter-spacing: -.025em; line-height: 1.15; }
h2 {
  margin: 3.5rem 0 1rem; padding-block-start: 1.75rem; border-block-start: 1px solid var(--line);
  font-size: 1.375rem; letter-spacing: -.015em;
}
p { margin: 0 0 1rem; }
.lead { color: var(--muted); font-size: 1.0625rem; }
.route b {
  margin-inline-end: .375rem; padding: .125rem .5rem; border-radius: 6px; background: var(--mark);
  color: var(--accent); font-size: .8125rem;
}
code, pre {
  font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: .875em;
}
p code, td code { color: var(--code); }
pre {
  margin: 0 0 1.25rem; padding: 1rem 1.125rem; border: 1px solid var(--line); border-radius: 12px;
  background: var(--raised); font-size: .875rem; overflow-x: auto;
}
.scroll { margin-block-end: 1.25rem; overflow-x: auto; }
table { inline-size: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td {
  padding: .5625rem 1.25rem .5625rem 0; border-block-end: 1px solid var(--line);
  text-align: start; vertical-align: baseline;
}
th { color: var(--muted); font-size: .8125rem; font-weight: 560; }
td:first-child { white-space: nowrap; }
tr:target td { background: var(--mark); }
.again {
  padding: .0625rem .4375rem; border-radius: 99px; background: var(--good-surface);
  color: var(--good); font-size: .75rem; font-weight: 580;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
@media (max-width: 60rem) {
  body { grid-template-columns: minmax(0, 1fr); gap: 1.5rem; padding: 1.5rem 1.125rem 4rem; }
  nav { position: static; }
  nav p:first-child { display: none; }
  nav ul { display: flex; flex-wrap: wrap; gap: 0 1rem; }
  h2 { margin-block-start: 2.25rem; }
  table { min-inline-size: 36rem; }
}
`.trim()
