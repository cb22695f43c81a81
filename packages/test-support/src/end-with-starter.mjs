// Preloaded into a program (`--import`): ends it when the process that started it is gone.
const starter = process.ppid

setInterval(() => {
  if (process.ppid !== starter) process.kill(process.pid, 'SIGTERM')
}, 1000).unref()
