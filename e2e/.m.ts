import { startWorld } from './fixtures/world.ts'
import { Line, requestOf } from './fixtures/keep-alive.ts'
import fc from 'fast-check'
import { jsonNear } from './security/inputs.ts'
const w = await startWorld({ probed: true })
const lines = Array.from({length:16},()=>new Line(new URL(w.api.baseUrl).port))
const h = {host:new URL(w.api.baseUrl).host, authorization:`Bearer ${w.api.apiKey}`,'content-type':'application/json'}
for (const [name,inputs] of [['bad',fc.constant('{"amount":1}')],['near',jsonNear([['orderId','"A-1"'],['amount','150000'],['currency','"amd"']])],['good',fc.constant('{"orderId":"A-1","amount":1,"currency":"AMD"}')]] as const) {
let t=performance.now(), c=process.cpuUsage()
const s = fc.sample(inputs as any,{numRuns:2000}) as string[]
console.log(name,'gen',performance.now()-t)
t=performance.now()
let i=0
await Promise.all(lines.map(async l=>{ while(i<s.length) await l.send(requestOf('POST /payment-intents',h,s[i++])) }))
c=process.cpuUsage(c)
console.log(name, performance.now()-t,'ms wall; client cpu ms',(c.user+c.system)/1000)
}
await w.stop()
