/** A process that creates an intent and prints its id. @module */
import { PaymentIntents } from '../../src/index.ts'

const [orderId = ''] = process.argv.slice(2)
const { intent } = await new PaymentIntents().create({ amount: 1999, currency: 'USD', orderId })
process.stdout.write(intent.id)
